/** The outcome of rollouts: a failure is reported everywhere and once, and so is a rollout that waits for a user. */
import type { kinds, ResourceType } from '@reloader/runtime';
import { expect } from 'vitest';
import { scenario } from '../scenario.ts';
import type { Scene } from '../scene.ts';
import type { Operator } from '../stage.ts';
import { crashing, neverReady } from './fragile.ts';

const uses = [{ configMap: 'settings' }] as const;
const MINUTES = 60_000;
const watching = (kind: string, name: string): object => ({
  watchedResources: { configMaps: ['settings'] },
  targets: [{ kind, name }],
});

async function rollouts(operator: Operator, result: string): Promise<number> {
  const lines = (await operator.metrics()).split('\n');
  const counted = lines.filter(
    (line) => line.startsWith('reloader_rollouts_total{') && line.includes(`result="${result}"`),
  );
  return counted.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

const warnings = (s: Scene, ref: Parameters<Scene['events']>[0], reason: string): string[] =>
  s
    .events(ref)
    .filter((event) => event.type === 'Warning' && event.reason === reason)
    .map(({ message }) => message);

const BUDGETS: ResourceType<kinds.PlainObject> = {
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  namespaced: true,
};

export const failing = [
  ...['StatefulSet', 'DaemonSet', 'Deployment'].map((kind) =>
    scenario(`a ${kind} that crashes after a reload has failed, and everybody is told why`, async (s) => {
      await s.configMap('settings', { mode: 'good' });
      const db = await crashing(s, kind, 'db', 'settings', { uses });
      const config = await s.config('config', watching(kind, 'db'));
      const operator = await s.operator();
      await s.adopted(db);
      await s.configMap('settings', { mode: 'bad' });
      await s.rolled([db, 1]);
      const isTold = (): boolean => [db, config].every((ref) => warnings(s, ref, 'RolloutFailed').length > 0);
      await s.stage.until('the failure', isTold, 2 * MINUTES);
      for (const told of [warnings(s, db, 'RolloutFailed'), warnings(s, config, 'RolloutFailed')]) {
        expect(told).toHaveLength(1);
        expect(told[0]).toMatch(/pod db-\S+: container main: (CrashLoopBackOff|Error), exit code 1/);
      }
      await s.conditionIs(config, 'RolloutFailed', 'True', 'container main');
      await s.conditionIs(config, 'Degraded', 'True', 'RolloutFailed');
      expect(await rollouts(operator, 'failed')).toBe(1);
      await operator.kill();
      const next = await s.operator();
      await s.conditionIs(config, 'RolloutFailed', 'True', 'container main');
      await s.stage.quiet(90_000, 3_000);
      expect(await rollouts(next, 'failed'), 'told once, by whichever process').toBe(0);
      await s.configMap('settings', { mode: 'good again' });
      await s.rolled([db, 2]);
      await s.conditionIs(config, 'Degraded', 'False');
      await s.stage.until('success', async () => (await rollouts(next, 'succeeded')) === 1, 10 * MINUTES);
    }),
  ),

  scenario('pods are listed only when nothing has moved for 30 s', async (s) => {
    await s.configMap('settings', { mode: 'good' });
    const web = await s.deployment('web', { annotations: { auto: 'true' }, uses, replicas: 3 });
    const operator = await s.operator();
    await s.adopted(web);
    await s.configMap('settings', { mode: 'other' });
    await s.rolled([web, 1]);
    await s.stage.quiet(5 * MINUTES, 35_000);
    const lists = (await s.stage.requests()).filter(
      ({ user, verb, resource }) => user === operator.user && resource === 'pods' && verb === 'list',
    );
    expect(lists).toEqual([]);
    expect(await rollouts(operator, 'succeeded')).toBe(1);
  }),

  scenario(
    'a rollout that never moves has failed at the deadline, without a pod that says why',
    async (s) => {
      await s.configMap('settings', { mode: 'good' });
      const db = await neverReady(s, 'StatefulSet', 'db', { uses });
      const config = await s.config('config', watching('StatefulSet', 'db'));
      await s.operator({ args: [`--rollout-deadline=${s.stage.span('15m', '5s')}`] });
      await s.adopted(db);
      await s.configMap('settings', { mode: 'other' });
      await s.rolled([db, 1]);
      await s.stage.quiet(14 * MINUTES, 0);
      if (s.isVirtual) expect(warnings(s, db, 'RolloutFailed')).toEqual([]);
      await s.stage.until('the failure', () => warnings(s, db, 'RolloutFailed').length > 0, MINUTES);
      expect(warnings(s, db, 'RolloutFailed')[0]).toContain('no progress for');
      await s.conditionIs(config, 'RolloutFailed', 'True', 'no progress for');
    },
  ),

  scenario('a StatefulSet with a partition is done when all pods above it are', async (s) => {
    await s.configMap('settings', { mode: 'good' });
    const db = await s.workload('StatefulSet', 'db', {
      uses,
      replicas: 3,
      spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } },
    });
    const config = await s.config('config', watching('StatefulSet', 'db'));
    const operator = await s.operator();
    await s.adopted(db);
    await s.configMap('settings', { mode: 'other' });
    await s.rolled([db, 1]);
    await s.stage.until('the end', async () => (await rollouts(operator, 'succeeded')) === 1);
    await s.conditionIs(config, 'WaitingForWorkload', 'True', 'below the partition');
  }),

  scenario('a restart that a PodDisruptionBudget blocks tells which budget protects which pod', async (s) => {
    await s.configMap('settings', { mode: 'good' });
    const web = await s.deployment('web', { uses, replicas: 2 });
    const budget = { minAvailable: 2, selector: { matchLabels: { app: 'web' } } };
    await s.stage.client.create(BUDGETS, {
      metadata: { namespace: s.namespace, name: 'keep-two' },
      spec: budget,
    });
    const config = await s.config('config', {
      ...watching('Deployment', 'web'),
      rolloutStrategy: 'restart',
    });
    await s.operator();
    await s.adopted(web);
    await s.stage.quiet(10_000, 2_000);
    await s.configMap('settings', { mode: 'other' });
    const blocked = /pod web-\S+ is protected by PodDisruptionBudget keep-two since \d{4}-/;
    const isTold = (): boolean =>
      [web, config].every((ref) => warnings(s, ref, 'EvictionBlocked').length > 0);
    await s.stage.until('the Event', isTold);
    await s.stage.quiet(3 * MINUTES, 12_000);
    expect(warnings(s, web, 'EvictionBlocked')).toEqual([expect.stringMatching(blocked)]);
    expect(warnings(s, config, 'EvictionBlocked')).toEqual([expect.stringMatching(blocked)]);
    const progressing = await s.conditionIs(config, 'Progressing', 'True', 'EvictionBlocked');
    expect(progressing.message).toMatch(blocked);
    await s.stage.client.delete(BUDGETS, { namespace: s.namespace, name: 'keep-two' });
    await s.conditionIs(config, 'Progressing', 'False');
    expect(s.condition(config, 'EvictionBlocked')).toBeUndefined();
  }),
];
