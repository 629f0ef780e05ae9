/** Restarts by eviction, and which pods count as those of a workload. */
import { kinds } from '@reloader/runtime';
import { recordWrites } from '@reloader/runtime/testing';
import { expect, it } from 'vitest';
import { lookAtPods } from '../evidence/pods.ts';
import type { Outcome } from '../model/plan.ts';
import type { WorkloadKind } from '../model/workload.ts';
import { rolloutOf } from '../verify/rollout.ts';
import {
  jobPod,
  NAMESPACE,
  never,
  podTemplate,
  replicated,
  type Stage,
  type Workshop,
  workshop,
} from './stage.test.support.ts';

const restarting = { rolloutStrategy: 'restart' } as const;

export function restartCases(stage: () => Stage): void {
  const rolledOut = ({ until, facts }: Workshop, kind: WorkloadKind, name: string): Promise<true> =>
    until(`${kind} ${name} rolls out`, async () => {
      const { rollout } = await facts(kind, name);
      const state = rolloutOf(await facts(kind, name));
      return state.state === 'done' && rollout.wanted > 0 ? true : undefined;
    });

  const uids = async ({ pods }: Workshop, app: string): Promise<string[]> =>
    (await pods(app)).map(({ metadata }) => metadata.uid).sort();

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
      expect(outcomes.at(-1)).toEqual({ kind: 'done', changed: true, noteOnly: true });
      const after = await here.facts(kind, app);
      expect({ ...after }).toMatchObject({ templateDigest, templateAnnotations });
      expect(after.annotations).toEqual({});
      expect(writes.filter(({ target }) => !target.endsWith('(eviction)'))).toEqual([]);
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
      noteOnly: true,
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
    const reborn = workshop(stage(), {}, client, here.notes);
    expect((await reborn.drive('Deployment', 'crash', restarting)).at(-1)).toEqual({
      kind: 'done',
      changed: true,
      noteOnly: true,
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
    expect(await here.drive('Deployment', 'empty', restarting)).toEqual([
      { kind: 'done', changed: true, noteOnly: true },
    ]);
  });

  it('the pods are those of this workload, also where others wear its labels', async () => {
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
      (await lookAtPods(here.client, await here.facts(kind, name), 'away', never)).readSince;
    expect(await asked('Deployment', 'twin-a')).toEqual([createdAt('twin-a')]);
    expect(await asked('StatefulSet', 'twin-b')).toEqual([createdAt('twin-b')]);
    expect(createdAt('twin-b')).toBeGreaterThan(createdAt('twin-a'));
  });

  it('a pod that has ended, or is being deleted, does not live', async () => {
    const here = workshop(stage());
    await here.create('Job', 'ended', { template: jobPod('ended') });
    await here.until('the Job ends', async () => (await here.facts('Job', 'ended')).finished);
    const ended = await here.facts('Job', 'ended');
    expect(await lookAtPods(here.client, ended, 'away', never)).toEqual({ readSince: [] });
    await here.create('Deployment', 'leaving', replicated('leaving', 1));
    await rolledOut(here, 'Deployment', 'leaving');
    const [pod] = await here.pods('leaving');
    const key = { namespace: NAMESPACE, name: pod?.metadata.name ?? '' };
    const finalizers = (list: string[]) =>
      here.client.patch(kinds.Pod, key, { type: 'merge', body: { metadata: { finalizers: list } } });
    await finalizers(['example.test/held']);
    await stage().pass(1_100);
    await here.client.delete(kinds.Pod, key);
    const created = Date.parse(pod?.metadata.creationTimestamp ?? '') / 1000;
    const oldest = await here.until('a replacement', async () => {
      const workload = await here.facts('Deployment', 'leaving');
      return (await lookAtPods(here.client, workload, 'away', never)).readSince[0];
    });
    expect(oldest).toBeGreaterThan(created);
    await finalizers([]);
  });
}
