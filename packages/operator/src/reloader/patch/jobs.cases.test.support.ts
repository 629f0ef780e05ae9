/** Jobs that are run for a CronJob, and Jobs that are created anew. */
import { ConnectionError, type KubernetesObject, kinds, NotFoundError } from '@reloader/runtime';
import { recordWrites } from '@reloader/runtime/testing';
import { expect, it } from 'vitest';
import { formatLedger, parseLedger } from '../ledger/ledger.ts';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { Outcome } from '../model/plan.ts';
import { KEPT_LABEL } from './kept-jobs.ts';
import { SLOT } from './plan.test.support.ts';
import { jobPod, NAMESPACE, never, OPERATOR_NAMESPACE, type Stage, workshop } from './stage.test.support.ts';

const variable = { name: 'STAKATER_SETTINGS_CONFIGMAP', value: SLOT };

export function jobCases(stage: () => Stage): void {
  it('a CronJob runs once per change, on whatever try', async () => {
    const here = workshop(stage());
    const { create, plan, executor, client } = here;
    const cronJob = await create('CronJob', 'nightly', {
      schedule: '0 0 1 1 *',
      suspend: true,
      jobTemplate: {
        metadata: { labels: { run: 'nightly' } },
        spec: { backoffLimit: 1, template: jobPod('nightly') },
      },
    });
    const first = await plan('CronJob', 'nightly');
    expect(await executor.reload(first, never)).toEqual({ kind: 'done', changed: true });
    const list = async () =>
      (await client.list(kinds.Job, { namespace: NAMESPACE, labelSelector: 'run=nightly' })).items;
    const [job] = await list();
    expect(job?.metadata).toMatchObject({
      name: expect.stringMatching(/^nightly-[0-9a-f]{10}$/),
      annotations: { 'cronjob.kubernetes.io/instantiate': 'manual' },
      ownerReferences: [{ kind: 'CronJob', name: 'nightly', uid: cronJob.metadata.uid, controller: true }],
    });
    expect(job?.spec).toMatchObject({
      backoffLimit: 1,
      template: { spec: { containers: [{ env: [variable] }] } },
    });
    expect((await executor.reload(first, never)).kind).toBe('conflict');
    const outdated = { ...first, mark: '{"n":9,"s":{}}' };
    expect((await executor.reload(outdated, never)).kind).toBe('conflict');
    expect(await list()).toHaveLength(1);
    const { spec, metadata } = await here.read(kinds.CronJob, 'nightly');
    expect(spec).toEqual(cronJob.spec);
    expect(metadata.annotations?.[FIXED_ANNOTATIONS.ledger]).toBe(first.ledgerAfter);
    // Created, and then a crash before the record: the second try finds the Job.
    const second = await plan('CronJob', 'nightly', { mark: '{"n":2,"s":{}}', ledgerAfter: 'second' });
    await executor.reload(second, never);
    await executor.record(await here.facts('CronJob', 'nightly'), 'second', first.ledgerAfter, never);
    await executor.reload(
      await plan('CronJob', 'nightly', { mark: '{"n":2,"s":{}}', ledgerAfter: 'third' }),
      never,
    );
    expect(await list()).toHaveLength(2);
  });

  it('a CronJob whose next run will do is only recorded', async () => {
    const { create, plan, executor, client, facts } = workshop(stage());
    await create('CronJob', 'weekly', {
      schedule: '0 0 1 1 *',
      jobTemplate: { metadata: { labels: { run: 'weekly' } }, spec: { template: jobPod('weekly') } },
    });
    const wanted = await plan('CronJob', 'weekly', { cronJob: 'next-run' });
    expect(await executor.reload(wanted, never)).toEqual({ kind: 'done', changed: false });
    const { items } = await client.list(kinds.Job, { namespace: NAMESPACE, labelSelector: 'run=weekly' });
    expect(items).toEqual([]);
    expect((await facts('CronJob', 'weekly')).annotations[FIXED_ANNOTATIONS.ledger]).toBe(wanted.ledgerAfter);
  });

  const kept = async () =>
    (
      await stage().client.list(kinds.Secret, {
        namespace: OPERATOR_NAMESPACE,
        labelSelector: `${KEPT_LABEL}=true`,
      })
    ).items;

  it.each([
    ['a running Job', {}],
    [
      'a Job with a selector of its own',
      { manualSelector: true, selector: { matchLabels: { app: 'manual' } } },
    ],
  ])('%s is created anew with the change, and its ledger names the new one', async (_, extra) => {
    const here = workshop(stage());
    const app = 'manualSelector' in extra ? 'manual' : 'running';
    const old = await here.create('Job', app, {
      suspend: true,
      backoffLimit: 3,
      template: jobPod(app),
      ...extra,
    });
    const wanted = await here.plan('Job', app);
    expect(await here.executor.reload(wanted, never)).toEqual({ kind: 'done', changed: true });
    const { metadata, spec } = await here.read(kinds.Job, app);
    expect(metadata.uid).not.toBe(old.metadata.uid);
    expect(spec).toMatchObject({
      backoffLimit: 3,
      template: { spec: { containers: [{ env: [variable] }] } },
    });
    const parsed = parseLedger(metadata.annotations?.[FIXED_ANNOTATIONS.ledger]);
    expect(parsed).toMatchObject({ kind: 'ledger', ledger: { uid: metadata.uid, seq: 1 } });
    expect(await kept()).toEqual([]);
  });

  it('a finished Job runs again', async () => {
    const here = workshop(stage());
    await here.create('Job', 'finished', { template: jobPod('finished') });
    const finished = () =>
      here.until('the Job ends', async () => (await here.facts('Job', 'finished')).finished);
    await finished();
    const uid = async () => (await here.facts('Job', 'finished')).metadata.uid;
    const first = await uid();
    expect(await here.executor.reload(await here.plan('Job', 'finished'), never)).toEqual({
      kind: 'done',
      changed: true,
    });
    expect(await uid()).not.toBe(first);
  });

  it('a Job of a CronJob is left alone', async () => {
    const { client, takeWrites } = recordWrites(stage().client);
    const here = workshop(stage(), {}, client);
    await here.create('Job', 'of-cron', { suspend: true, template: jobPod('of-cron') });
    const { workload, ...rest } = await here.plan('Job', 'of-cron');
    const plan = { ...rest, workload: { ...workload, controlledBy: 'CronJob/nightly' } };
    expect(await here.executor.reload(plan, never)).toMatchObject({
      kind: 'done',
      changed: false,
      recorded: false,
    });
    expect(takeWrites()).toEqual([]);
  });

  it('a Job that the server would refuse is not deleted', async () => {
    const here = workshop(stage());
    const { metadata } = await here.create('Job', 'refused', { suspend: true, template: jobPod('refused') });
    const wanted = await here.plan('Job', 'refused', { mark: 'x'.repeat(300_000) });
    expect((await here.executor.reload(wanted, never)).kind).toBe('rejected');
    expect((await here.facts('Job', 'refused')).metadata.uid).toBe(metadata.uid);
    expect(await kept()).toEqual([]);
  });

  it('a re-creation that a crash interrupted is finished afterwards', async () => {
    const here = workshop(stage());
    await here.create('Job', 'interrupted', { suspend: true, template: jobPod('interrupted') });
    // The process dies when it is about to create the new Job.
    const { client } = stage();
    const dying = workshop(
      stage(),
      {},
      {
        ...client,
        create: (type, object: KubernetesObject, options) =>
          object.metadata?.name === 'interrupted' && !options?.dryRun
            ? Promise.reject(new Error('killed'))
            : client.create(type, object as never, options),
      },
    );
    await expect(dying.executor.reload(await here.plan('Job', 'interrupted'), never)).rejects.toThrow(
      'killed',
    );
    await expect(here.facts('Job', 'interrupted')).rejects.toThrow(NotFoundError);
    expect(await kept()).toHaveLength(1);
    expect(await here.executor.finishInterruptedJobs(never)).toEqual({ finished: 1, pending: 0 });
    const { spec } = await here.read(kinds.Job, 'interrupted');
    expect(spec).toMatchObject({ template: { spec: { containers: [{ env: [variable] }] } } });
    expect(await kept()).toEqual([]);
    expect(await here.executor.finishInterruptedJobs(never)).toEqual({ finished: 0, pending: 0 });
  });

  it.each([
    { when: 'before', recorded: false },
    { when: 'after the engine read it back from the mark,', recorded: true },
  ])('$when its ledger is written, a crash takes nothing from the count', async ({ recorded }) => {
    const name = recorded ? 'uncounted' : 'unrecorded';
    const here = workshop(stage());
    await here.create('Job', name, { suspend: true, template: jobPod(name) });
    const { client } = stage();
    const dying = workshop(stage(), {}, { ...client, patch: () => Promise.reject(new Error('killed')) });
    const plain = parseLedger((await here.plan('Job', name)).ledgerAfter);
    if (plain.kind !== 'ledger') throw new Error('the plan has a ledger');
    const recent = [{ seq: 1, at: 5, configs: ['shop/config'], sources: ['cm/settings'] }];
    const ours = { ...plain.ledger, recent };
    const wanted = await here.plan('Job', name, { ledgerAfter: formatLedger(ours) });
    await expect(dying.executor.reload(wanted, never)).rejects.toThrow('killed');
    const created = await here.facts('Job', name);
    const { uid } = created.metadata;
    const silent = formatLedger({ ...ours, uid, recent: [] });
    if (recorded) {
      const body = { metadata: { annotations: { [FIXED_ANNOTATIONS.ledger]: silent } } };
      await client.patch(kinds.Job, { namespace: NAMESPACE, name }, { type: 'merge', body });
    }
    expect(await here.executor.finishInterruptedJobs(never)).toEqual({ finished: 1, pending: 0 });
    const { annotations } = await here.facts('Job', name);
    expect(parseLedger(annotations[FIXED_ANNOTATIONS.ledger])).toMatchObject({
      ledger: { uid, seq: 1, recent },
    });
    expect(await kept()).toEqual([]);
  });

  it('what a predecessor left is finished before the first record of a Job', async () => {
    const here = workshop(stage());
    await here.create('Job', 'late', { suspend: true, template: jobPod('late') });
    const { client } = stage();
    const dying = workshop(stage(), {}, { ...client, patch: () => Promise.reject(new Error('killed')) });
    const wanted = await here.plan('Job', 'late');
    await expect(dying.executor.reload(wanted, never)).rejects.toThrow('killed');
    const created = await here.facts('Job', 'late');
    const outcome = await here.executor.record(created, undefined, wanted.ledgerAfter, never);
    expect(outcome.kind, 'it has the ledger that was kept').toBe('conflict');
    expect(await kept()).toEqual([]);
  });

  it('what is under way is not taken for interrupted', async () => {
    const here = workshop(stage());
    await here.create('Job', 'busy', { suspend: true, template: jobPod('busy') });
    const { client } = stage();
    let meanwhile: unknown;
    const slow = workshop(
      stage(),
      {},
      {
        ...client,
        async delete(type, key, options) {
          if (type.kind === 'Job') {
            meanwhile = await slow.executor.finishInterruptedJobs(never);
            expect(await kept()).toHaveLength(1);
          }
          await client.delete(type, key, options);
        },
      },
    );
    expect(await slow.executor.reload(await here.plan('Job', 'busy'), never)).toMatchObject({ kind: 'done' });
    expect(meanwhile).toEqual({ finished: 0, pending: 0 });
  });

  it('a Job whose deletion got no answer is created from its manifest', async () => {
    const here = workshop(stage());
    await here.create('Job', 'unanswered', { suspend: true, template: jobPod('unanswered') });
    const { client } = stage();
    const losing = workshop(
      stage(),
      {},
      {
        ...client,
        async delete(type, key, options) {
          await client.delete(type, key, options);
          throw new ConnectionError('lost');
        },
      },
    );
    await expect(losing.executor.reload(await here.plan('Job', 'unanswered'), never)).rejects.toThrow('lost');
    expect(losing.executor.hasInterruptedJobs).toBe(true);
    expect(await here.executor.finishInterruptedJobs(never)).toEqual({ finished: 1, pending: 0 });
    expect((await here.facts('Job', 'unanswered')).slots).toHaveLength(1);
  });

  it('a Job that does not go is waited for, and created once it is gone', async () => {
    const here = workshop(stage());
    const key = { namespace: NAMESPACE, name: 'stuck' };
    const finalizers = (list: string[]) =>
      here.client.patch(kinds.Job, key, { type: 'merge', body: { metadata: { finalizers: list } } });
    const { metadata } = await here.create('Job', 'stuck', { suspend: true, template: jobPod('stuck') });
    await finalizers(['example.test/held']);
    let outcome: Outcome | undefined;
    const reload = here.executor.reload(await here.plan('Job', 'stuck'), never).then((seen) => {
      outcome = seen;
    });
    await here.until('it gives up waiting', async () => outcome);
    await reload;
    expect(outcome).toMatchObject({ kind: 'continue' });
    expect(await here.executor.finishInterruptedJobs(never)).toEqual({ finished: 0, pending: 1 });
    expect(here.executor.hasInterruptedJobs).toBe(true);
    expect((await here.executor.reload(await here.plan('Job', 'stuck'), never)).kind).toBe('conflict');
    await finalizers([]);
    expect(await here.executor.finishInterruptedJobs(never)).toEqual({ finished: 1, pending: 0 });
    expect(here.executor.hasInterruptedJobs).toBe(false);
    expect((await here.facts('Job', 'stuck')).metadata.uid).not.toBe(metadata.uid);
    await finalizers([]);
  });

  it('a crash before the old Job was deleted leaves it to the next decision', async () => {
    const here = workshop(stage());
    const { metadata } = await here.create('Job', 'untouched', {
      suspend: true,
      template: jobPod('untouched'),
    });
    const { client } = stage();
    const dying = workshop(stage(), {}, { ...client, delete: () => Promise.reject(new Error('killed')) });
    await expect(dying.executor.reload(await here.plan('Job', 'untouched'), never)).rejects.toThrow('killed');
    expect(await kept()).toHaveLength(1);
    expect(await here.executor.finishInterruptedJobs(never)).toEqual({ finished: 1, pending: 0 });
    expect((await here.facts('Job', 'untouched')).metadata.uid).toBe(metadata.uid);
    expect(await kept()).toEqual([]);
  });
}
