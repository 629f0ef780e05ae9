/** Jobs that are run for a CronJob, and Jobs that are re-created. */
import { type Client, ConnectionError, type KubernetesObject, kinds, NotFoundError } from '@reloader/runtime';
import { recordWrites } from '@reloader/runtime/testing';
import { expect, it } from 'vitest';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { Outcome } from '../model/plan.ts';
import { KEPT_LABEL } from './kept-jobs.ts';
import { cause, SLOT } from './plan.test.support.ts';
import { jobPod, NAMESPACE, never, OPERATOR_NAMESPACE, type Stage, workshop } from './stage.test.support.ts';

const variable = { name: 'STAKATER_SETTINGS_CONFIGMAP', value: SLOT };

export function jobCases(stage: () => Stage): void {
  it('a CronJob runs once per change, however often it is retried', async () => {
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
    expect(await executor.reload(first, never)).toEqual({ kind: 'done', changed: true, noteOnly: true });
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
    // After a crash before the note, the retry finds the Job.
    expect(await executor.reload(first, never)).toEqual({ kind: 'done', changed: true, noteOnly: true });
    expect(await list()).toHaveLength(1);
    const { spec, metadata } = await here.read(kinds.CronJob, 'nightly');
    expect(spec).toEqual(cronJob.spec);
    expect(metadata.annotations ?? {}).not.toHaveProperty([FIXED_ANNOTATIONS.ledger]);
    expect(metadata.generation).toBe(cronJob.metadata.generation);
    await executor.reload(await plan('CronJob', 'nightly', { mark: '{"n":2,"s":{}}' }), never);
    expect(await list()).toHaveLength(2);
  });

  it('a Job for the same content from before that was written does not count', async () => {
    const here = workshop(stage());
    await here.create('CronJob', 'hourly', {
      schedule: '0 0 1 1 *',
      jobTemplate: { metadata: { labels: { run: 'hourly' } }, spec: { template: jobPod('hourly') } },
    });
    const runs = async () =>
      (await here.client.list(kinds.Job, { namespace: NAMESPACE, labelSelector: 'run=hourly' })).items;
    const writtenAt = (seconds: number) => ({ causes: [cause({ container: 'main', writtenAt: seconds })] });
    await here.executor.reload(await here.plan('CronJob', 'hourly', writtenAt(1000)), never);
    const [first] = await runs();
    const created = Math.floor(Date.parse(first?.metadata.creationTimestamp ?? '') / 1000);
    await here.executor.reload(await here.plan('CronJob', 'hourly', writtenAt(created)), never);
    expect(await runs()).toHaveLength(1);
    await here.executor.reload(await here.plan('CronJob', 'hourly', writtenAt(created + 1)), never);
    expect(await runs()).toHaveLength(2);
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
  ])('%s is created anew with the change, and noted under its new uid', async (_, extra) => {
    const here = workshop(stage());
    const app = 'manualSelector' in extra ? 'manual' : 'running';
    const old = await here.create('Job', app, {
      suspend: true,
      backoffLimit: 3,
      template: jobPod(app),
      ...extra,
    });
    const wanted = await here.plan('Job', app);
    const outcome = await here.executor.reload(wanted, never);
    const { metadata, spec } = await here.read(kinds.Job, app);
    expect(outcome).toEqual({ kind: 'done', changed: true, noteOnly: true, newUid: metadata.uid });
    expect(metadata.uid).not.toBe(old.metadata.uid);
    expect(spec).toMatchObject({
      backoffLimit: 3,
      template: { spec: { containers: [{ env: [variable] }] } },
    });
    expect(metadata.annotations ?? {}).not.toHaveProperty([FIXED_ANNOTATIONS.ledger]);
    expect(here.notes.jobs.get(metadata.uid)).toMatchObject({ seq: 1 });
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
    expect(await here.executor.reload(await here.plan('Job', 'finished'), never)).toMatchObject({
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
      noteOnly: true,
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
    // The process crashes just before it creates the new Job.
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

  it('a crash before the new Job is noted takes nothing from the count', async () => {
    const here = workshop(stage());
    await here.create('Job', 'uncounted', { suspend: true, template: jobPod('uncounted') });
    const { client } = stage();
    const dying = workshop(stage(), {}, { ...client, delete: killedAt('Secret', client) });
    const wanted = await here.plan('Job', 'uncounted');
    await expect(dying.executor.reload(wanted, never)).rejects.toThrow('killed');
    const { uid } = (await here.facts('Job', 'uncounted')).metadata;
    expect(await here.executor.finishInterruptedJobs(never)).toEqual({ finished: 1, pending: 0 });
    expect(here.notes.jobs.get(uid)).toMatchObject({ seq: 1 });
    expect(await kept()).toEqual([]);
  });

  it('a re-creation that is under way is not taken for interrupted', async () => {
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

  it('a Job that is deleted slowly is waited for, and created once it is gone', async () => {
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

/** Deletes every other kind; a deletion of this kind fails, as if the process crashed there. */
function killedAt(kind: string, client: Client): Client['delete'] {
  return (type, key, options) =>
    type.kind === kind ? Promise.reject(new Error('killed')) : client.delete(type, key, options);
}
