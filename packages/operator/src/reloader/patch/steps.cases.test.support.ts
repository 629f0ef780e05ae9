/** Reloads that take several steps: evictions, Jobs of CronJobs, Jobs that are created anew. */
import { type KubernetesObject, kinds, NotFoundError } from '@reloader/runtime';
import { recordWrites } from '@reloader/runtime/testing';
import { expect, it } from 'vitest';
import { parseLedger } from '../decide/ledger.ts';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { Outcome } from '../model/plan.ts';
import type { WorkloadKind } from '../model/workload.ts';
import { oldestPod } from '../verify/pods.ts';
import { rolloutOf } from '../verify/rollout.ts';
import { KEPT_LABEL } from './kept-jobs.ts';
import { SLOT } from './plan.test.support.ts';
import {
  NAMESPACE,
  never,
  OPERATOR_NAMESPACE,
  podTemplate,
  replicated,
  type Stage,
  type Workshop,
  workshop,
} from './stage.test.support.ts';

const restarting = { rolloutStrategy: 'restart' } as const;
const variable = { name: 'STAKATER_SETTINGS_CONFIGMAP', value: SLOT };

export function stepCases(stage: () => Stage): void {
  const rolledOut = ({ until, facts }: Workshop, kind: WorkloadKind, name: string): Promise<true> =>
    until(`${kind} ${name} rolls out`, async () => {
      const { rollout } = await facts(kind, name);
      const state = rolloutOf(await facts(kind, name));
      return state.state === 'done' && rollout.wanted > 0 ? true : undefined;
    });

  const uids = async ({ pods }: Workshop, app: string): Promise<string[]> =>
    (await pods(app)).map(({ metadata }) => metadata.uid).sort();

  const jobPod = (app: string, annotations: Record<string, string> = {}) => {
    const { metadata, spec } = podTemplate(app);
    return { metadata: { ...metadata, annotations }, spec: { ...spec, restartPolicy: 'Never' } };
  };

  it.each([
    ['Deployment', (app: string) => replicated(app, 2)],
    ['StatefulSet', (app: string) => ({ ...replicated(app, 2), serviceName: app })],
    ['DaemonSet', (app: string) => ({ selector: { matchLabels: { app } }, template: podTemplate(app) })],
  ] as [WorkloadKind, (app: string) => object][])(
    'restarting a %s replaces every pod once and leaves the template alone',
    async (kind, spec) => {
      const app = `evict-${kind.toLowerCase()}`;
      const { client, writes } = recordWrites(stage().client);
      const here = workshop(stage(), {}, client);
      await here.create(kind, app, spec(app));
      await rolledOut(here, kind, app);
      const before = await uids(here, app);
      const { templateDigest, templateAnnotations } = await here.facts(kind, app);
      const outcomes = await here.drive(kind, app, restarting);
      expect(outcomes.at(-1)).toEqual({ kind: 'done', changed: true });
      const after = await here.facts(kind, app);
      expect({ ...after }).toMatchObject({ templateDigest, templateAnnotations });
      expect(Object.keys(after.annotations)).toEqual(expect.arrayContaining([FIXED_ANNOTATIONS.ledger]));
      expect(after.annotations).not.toHaveProperty([FIXED_ANNOTATIONS.restarting]);
      await rolledOut(here, kind, app);
      const now = await uids(here, app);
      expect(now).toHaveLength(before.length);
      expect(now.filter((uid) => before.includes(uid))).toEqual([]);
      expect(writes.filter(({ target }) => target.endsWith('(eviction)'))).toHaveLength(before.length);
    },
  );

  it('a StatefulSet goes from the highest ordinal down, each ready before the next', async () => {
    const { client, writes } = recordWrites(stage().client);
    const here = workshop(stage(), {}, client);
    await here.create('StatefulSet', 'order', { ...replicated('order', 3), serviceName: 'order' });
    await rolledOut(here, 'StatefulSet', 'order');
    const outcomes = await here.drive('StatefulSet', 'order', restarting);
    const evicted = writes.filter(({ target }) => target.endsWith('(eviction)')).map(({ target }) => target);
    expect(evicted).toEqual([2, 1, 0].map((ordinal) => `pods ${NAMESPACE}/order-${ordinal} (eviction)`));
    const waits = outcomes.filter(
      (outcome): outcome is Extract<Outcome, { kind: 'continue' }> => outcome.kind === 'continue',
    );
    expect(waits.map(({ message }) => message)).toContain('evicted pod order-2');
  });

  it('a disruption budget holds an eviction back, and is waited for', async () => {
    const here = workshop(stage());
    const { client, executor, plan, until } = here;
    await here.create('Deployment', 'guarded', replicated('guarded', 2));
    await client.create(kinds.PodDisruptionBudget, {
      metadata: { namespace: NAMESPACE, name: 'guarded' },
      spec: { minAvailable: 2, selector: { matchLabels: { app: 'guarded' } } },
    });
    await rolledOut(here, 'Deployment', 'guarded');
    await until('the budget is observed', async () => {
      const { status } = await here.read(kinds.PodDisruptionBudget, 'guarded');
      return status?.currentHealthy === 2;
    });
    const before = await uids(here, 'guarded');
    const turn = async (): Promise<Outcome> =>
      executor.reload(await plan('Deployment', 'guarded', restarting), never);
    let outcome = await turn();
    if (outcome.kind === 'continue' && outcome.message.startsWith('begins')) {
      await stage().pass(outcome.afterMs);
      outcome = await turn();
    }
    expect(outcome).toMatchObject({ kind: 'continue', message: expect.stringMatching(/is protected/) });
    expect(await uids(here, 'guarded')).toEqual(before);
    await client.delete(kinds.PodDisruptionBudget, { namespace: NAMESPACE, name: 'guarded' });
    expect((await here.drive('Deployment', 'guarded', restarting)).at(-1)).toEqual({
      kind: 'done',
      changed: true,
    });
  });

  it('a crash in the middle neither spares an old pod nor evicts a new one', async () => {
    const { client, writes } = recordWrites(stage().client);
    const here = workshop(stage(), {}, client);
    await here.create('Deployment', 'crash', replicated('crash', 3));
    await rolledOut(here, 'Deployment', 'crash');
    const before = await uids(here, 'crash');
    const evictions = () => writes.filter(({ target }) => target.endsWith('(eviction)')).length;
    while (evictions() === 0) {
      await here.executor.reload(await here.plan('Deployment', 'crash', restarting), never);
      await stage().pass(1_000);
    }
    const reborn = workshop(stage(), {}, client);
    expect((await reborn.drive('Deployment', 'crash', restarting)).at(-1)).toEqual({
      kind: 'done',
      changed: true,
    });
    expect(evictions()).toBe(3);
    expect((await uids(here, 'crash')).filter((uid) => before.includes(uid))).toEqual([]);
  });

  it('another change in the middle makes all pods old again', async () => {
    const { client, writes } = recordWrites(stage().client);
    const here = workshop(stage(), {}, client);
    await here.create('Deployment', 'twice', replicated('twice', 2));
    await rolledOut(here, 'Deployment', 'twice');
    const evictions = () => writes.filter(({ target }) => target.endsWith('(eviction)')).length;
    while (evictions() === 0) {
      await here.executor.reload(await here.plan('Deployment', 'twice', restarting), never);
      await stage().pass(1_000);
    }
    await here.until('the first replacement', async () => (await here.pods('twice')).length === 2);
    await here.drive('Deployment', 'twice', { ...restarting, mark: '{"n":1,"s":{"cm/settings":"d2"}}' });
    expect(evictions()).toBe(3);
  });

  it('a workload without pods is recorded at once', async () => {
    const here = workshop(stage());
    await here.create('Deployment', 'empty', replicated('empty', 0));
    expect(await here.drive('Deployment', 'empty', restarting)).toEqual([{ kind: 'done', changed: true }]);
  });

  it('the oldest pod is that of this workload, also where others wear its labels', async () => {
    const here = workshop(stage());
    await here.create('Deployment', 'twin-a', replicated('twin', 1));
    await rolledOut(here, 'Deployment', 'twin-a');
    await stage().pass(1_100);
    const other = replicated('twin', 1);
    await here.create('StatefulSet', 'twin-b', { ...other, serviceName: 'b' });
    await rolledOut(here, 'StatefulSet', 'twin-b');
    const pods = await here.pods('twin');
    const createdAt = (prefix: string): number =>
      Date.parse(
        pods.find(({ metadata }) => metadata.name.startsWith(prefix))?.metadata.creationTimestamp ?? '',
      ) / 1000;
    const asked = async (kind: WorkloadKind, name: string) =>
      (await oldestPod(here.client, await here.facts(kind, name), never)).oldestCreatedAt;
    expect(await asked('Deployment', 'twin-a')).toBe(createdAt('twin-a'));
    expect(await asked('StatefulSet', 'twin-b')).toBe(createdAt('twin-b'));
    expect(createdAt('twin-b')).toBeGreaterThan(createdAt('twin-a'));
  });

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
      await stage().client.list(kinds.ConfigMap, {
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

  it('a finished Job runs again, unless told not to or a config asks', async () => {
    const here = workshop(stage());
    await here.create('Job', 'finished', { template: jobPod('finished') });
    const finished = () =>
      here.until('the Job ends', async () => (await here.facts('Job', 'finished')).finished);
    await finished();
    const uid = async () => (await here.facts('Job', 'finished')).metadata.uid;
    const first = await uid();
    const skipping = workshop(stage(), { finishedJobs: 'skip' });
    expect(await skipping.executor.reload(await here.plan('Job', 'finished'), never)).toEqual({
      kind: 'done',
      changed: false,
    });
    const asked = await here.plan('Job', 'finished', { configs: ['shop/rules'], ledgerAfter: 'asked' });
    expect(await here.executor.reload(asked, never)).toEqual({ kind: 'done', changed: false });
    expect(await uid()).toBe(first);
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
