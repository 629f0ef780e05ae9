/**
 * A reload failed and the source is changed back: the old pods that still run are kept, and the operator removes its
 * change from the template.
 */
import { kinds } from '@reloader/runtime';
import { expect } from 'vitest';
import type { ChronicleObject, Ref } from '../chronicle.ts';
import { without } from '../rbac.ts';
import { templateOf } from '../rollouts.ts';
import { type Scenario, scenario } from '../scenario.ts';
import type { Scene } from '../scene.ts';
import type { Operator } from '../stage.ts';
import { breaking } from './fragile.ts';

const uses = [{ configMap: 'settings' }] as const;
const MINUTES = 60_000;
const ROLLED = 'reloader.stakater.com/rolled';

export const told = (s: Scene, ref: Ref, reason: string): string[] =>
  s
    .events(ref)
    .filter((event) => event.reason === reason)
    .map(({ message }) => message);

const podsOf = (s: Scene, { name, namespace }: Ref): ChronicleObject[] =>
  s.stage.chronicle
    .all('Pod', namespace)
    .filter(({ metadata }) => metadata.labels?.app === name && metadata.deletionTimestamp === undefined);

const uidsOf = (pods: readonly ChronicleObject[]): string[] => pods.map(({ metadata }) => metadata.uid ?? '');

/** Pods that no reload created. */
const oldPods = (s: Scene, ref: Ref): ChronicleObject[] =>
  podsOf(s, ref).filter(({ metadata }) => metadata.annotations?.[ROLLED] === undefined);

const isReady = ({ status }: ChronicleObject): boolean =>
  ((status as { conditions?: { type: string; status: string }[] } | undefined)?.conditions ?? []).some(
    ({ type, status: value }) => type === 'Ready' && value === 'True',
  );

export interface Failed {
  readonly web: Ref;
  readonly operator: Operator;
  /** Uids of the pods that the update strategy kept. */
  readonly survivors: readonly string[];
  readonly template: unknown;
  /** How often the template had changed before the reload. */
  readonly rollouts: number;
}

export interface FailedOptions {
  readonly kind?: string;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly replicas?: number;
  readonly operator?: Parameters<Scene['operator']>[0];
  /** Further fields of the ReloaderConfig. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** How the ConfigMap gets this content; by a user unless given. */
  readonly change?: (mode: string) => Promise<void>;
}

/** A workload with three pods (a DaemonSet with one for each node) and a reload whose first new pod crashes. */
export async function failed(s: Scene, options: FailedOptions = {}): Promise<Failed> {
  const { kind = 'Deployment', spec = {}, replicas = 3 } = options;
  await s.configMap('settings', { mode: 'good' });
  const web = await breaking(s, kind, 'web', 'settings', { uses, replicas, spec });
  await s.config('config', {
    watchedResources: { configMaps: ['settings'] },
    targets: [{ kind, name: 'web' }],
    verify: { stableFor: s.stage.span('30s', '3s') },
    ...options.config,
  });
  const operator = await s.operator(options.operator);
  await s.adopted(web);
  // Longer than the clocks of nodes may differ.
  await s.stage.quiet(15_000, 6_000);
  const template = s.template(web);
  // Counted here, because Argo's controller writes the template back with its own additions.
  const rollouts = s.rollouts(web);
  if (options.change) await options.change('bad');
  else await s.configMap('settings', { mode: 'bad' });
  // A content that is restored at once may already be undone when everything is at rest.
  if (options.config) await s.stage.until('the reload', () => s.rollouts(web) > rollouts);
  else await s.rolled([web, rollouts + 1]);
  await s.stage.until('the failure', () => told(s, web, 'RolloutFailed').length > 0, 3 * MINUTES);
  return { web, operator, survivors: uidsOf(oldPods(s, web)), template, rollouts };
}

/** All pods are of the old revision and ready, and the surviving ones are the same. */
export async function undone(s: Scene, before: Failed, pods = 3): Promise<void> {
  const { web, survivors, template, rollouts } = before;
  await s.stage.until('the undo', () => told(s, web, 'ReloadUndone').length > 0, MINUTES);
  const isWhole = (): boolean =>
    podsOf(s, web).length === pods && oldPods(s, web).length === pods && podsOf(s, web).every(isReady);
  await s.stage.until('all pods', isWhole, 2 * MINUTES);
  await s.stage.until('the outcome', () => told(s, web, 'ReloadVerified').length > 0, 3 * MINUTES);
  await s.stage.quiet(10 * MINUTES, 5_000);
  expect(s.template(web)).toEqual(template);
  expect(uidsOf(podsOf(s, web))).toEqual(expect.arrayContaining([...survivors]));
  expect(isWhole()).toBe(true);
  expect(s.rollouts(web)).toBe(rollouts + 2);
  expect([told(s, web, 'ReloadUndone').length, told(s, web, 'ReloadVerified').length]).toEqual([1, 1]);
}

/** An ordinary reload, because an undo was not possible. */
async function reloadedInstead(s: Scene, { web, rollouts }: Failed, because: string): Promise<void> {
  await s.rolled([web, rollouts + 2]);
  expect(told(s, web, 'ReloadUndone')).toEqual([]);
  expect(s.said(because)).toBe(true);
  await s.stage.until('the outcome', () => told(s, web, 'ReloadVerified').length > 0, 3 * MINUTES);
}

async function evictions(s: Scene): Promise<number> {
  return (await s.stage.requests()).filter(
    ({ subresource, code }) => subresource === 'eviction' && code < 300,
  ).length;
}

const KINDS: readonly (readonly [what: string, options: FailedOptions, pods: number, survivors: number])[] = [
  ['a Deployment', {}, 3, 3],
  ['a StatefulSet in order', { kind: 'StatefulSet' }, 3, 2],
  ['a parallel StatefulSet', { kind: 'StatefulSet', spec: { podManagementPolicy: 'Parallel' } }, 3, 2],
  ['a DaemonSet', { kind: 'DaemonSet' }, 1, 0],
  [
    'a DaemonSet with a surge',
    {
      kind: 'DaemonSet',
      spec: { updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } },
    },
    1,
    1,
  ],
];

/** Only where Argo's controller runs. */
export const undoingRollouts: readonly Scenario[] = [
  scenario(
    'a reload of an Argo Rollout failed, and the return undoes it: no pod that survived restarts',
    async (s) => {
      const operator = { args: ['--is-Argo-Rollouts=true'] };
      const before = await failed(s, { kind: 'Rollout', spec: { strategy: { canary: {} } }, operator });
      expect(before.survivors.length).toBeGreaterThan(0);
      await s.configMap('settings', { mode: 'good' });
      await undone(s, before);
    },
    { only: 'cluster' },
  ),
];

export const undoing: readonly Scenario[] = [
  ...KINDS.map(([what, options, pods, survivors]) =>
    scenario(
      `a reload of ${what} failed, and the return undoes it: no pod that survived restarts`,
      async (s) => {
        const before = await failed(s, options);
        expect(before.survivors).toHaveLength(survivors);
        await s.configMap('settings', { mode: 'good' });
        await undone(s, before, pods);
        expect(await evictions(s)).toBe(what.endsWith('in order') ? 1 : 0);
        await s.counted(s.ref('ReloaderConfig', 'config'), 2);
      },
    ),
  ),

  scenario(
    'without the right to list revisions the return is an ordinary reload',
    async (s) => {
      const before = await failed(s, { operator: { permissions: without('replicasets', 'list') } });
      await s.configMap('settings', { mode: 'good' });
      await reloadedInstead(s, before, 'its earlier revisions may not be listed');
    },
    { only: 'minicluster' },
  ),

  scenario(
    'a pod of the old revision that started with what failed makes the return an ordinary reload',
    async (s) => {
      const before = await failed(s);
      const [pod] = oldPods(s, before.web);
      await s.remove('Pod', pod?.metadata.name ?? '');
      await s.stage.until('its successor', () => oldPods(s, before.web).length === 3);
      await s.stage.quiet(2_000);
      await s.configMap('settings', { mode: 'good' });
      await reloadedInstead(s, before, 'may have read what failed');
    },
    { only: 'minicluster' },
  ),

  scenario(
    'a revision that is gone makes the return an ordinary reload',
    async (s) => {
      const before = await failed(s, { spec: { strategy: { type: 'Recreate' } } });
      expect(before.survivors).toEqual([]);
      const [oldest] = s.stage.chronicle
        .all('ReplicaSet', s.namespace)
        .filter((each) => templateOf(each).metadata?.annotations?.[ROLLED] === undefined);
      await s.remove('ReplicaSet', oldest?.metadata.name ?? '');
      await s.configMap('settings', { mode: 'good' });
      await reloadedInstead(s, before, 'its earlier revision is gone');
    },
    { only: 'minicluster' },
  ),

  scenario(
    'newer content than what failed and what was before is an ordinary reload, and heals',
    async (s) => {
      const { web } = await failed(s);
      await s.configMap('settings', { mode: 'good', more: 'than before' });
      await s.rolled([web, 2]);
      await s.stage.until('the outcome', () => told(s, web, 'ReloadVerified').length > 0, 3 * MINUTES);
      expect(told(s, web, 'ReloadUndone')).toEqual([]);
    },
    { only: 'minicluster' },
  ),

  scenario(
    'an undo goes back to what an earlier reload made, and changes after it are rolled out as ever',
    async (s) => {
      await s.configMap('settings', { mode: 'good' });
      const web = await breaking(s, 'Deployment', 'web', 'settings', {
        uses,
        replicas: 3,
        annotations: { auto: 'true', verify: 'true' },
      });
      await s.operator({ args: ['--reload-strategy=annotations'] });
      await s.adopted(web);
      await s.configMap('settings', { mode: 'better' });
      await s.stage.until('the outcome', () => told(s, web, 'ReloadVerified').length === 1, 3 * MINUTES);
      const template = s.template(web);
      const pods = uidsOf(podsOf(s, web));
      for (const round of [1, 2]) {
        await s.configMap('settings', { mode: 'bad' });
        const isFailed = (): boolean => told(s, web, 'RolloutFailed').length === round;
        await s.stage.until('the failure', isFailed, 3 * MINUTES);
        await s.configMap('settings', { mode: 'better' });
        const isUndone = (): boolean => told(s, web, 'ReloadUndone').length === round;
        await s.stage.until('the undo', isUndone, MINUTES);
        await s.stage.quiet(2 * MINUTES);
        expect(s.template(web)).toEqual(template);
        expect(uidsOf(podsOf(s, web)).sort()).toEqual([...pods].sort());
      }
      await s.configMap('settings', { mode: 'best' });
      await s.rolled([web, 6]);
      expect(s.record(web)?.seq).toBe(6);
      expect(s.template(web)).not.toEqual(template);
    },
    { only: 'minicluster' },
  ),

  scenario(
    'a content that stopped at the first of three is taken back: the first is undone, the others were never touched',
    async (s) => {
      await s.configMap('settings', { mode: 'good' });
      const apps: Ref[] = [];
      for (const name of ['app-1', 'app-2', 'app-3'])
        apps.push(await breaking(s, 'Deployment', name, 'settings', { uses }));
      const config = await s.config('config', {
        watchedResources: { configMaps: ['settings'] },
        targets: apps.map(({ kind, name }) => ({ kind, name })),
        maxConcurrent: 1,
        verify: { stableFor: s.stage.span('30s', '3s') },
      });
      await s.operator();
      await s.adopted(...apps);
      await s.stage.quiet(15_000, 6_000);
      const pods = apps.map((ref) => uidsOf(podsOf(s, ref)));
      await s.configMap('settings', { mode: 'bad' });
      await s.conditionIs(config, 'FailedElsewhere', 'True');
      await s.configMap('settings', { mode: 'good' });
      const isOver = (): boolean => s.condition(config, 'FailedElsewhere') === undefined;
      await s.stage.until('nobody to be held', isOver, 3 * MINUTES);
      await s.stage.quiet(3 * MINUTES, 8_000);
      expect(apps.map((ref) => told(s, ref, 'ReloadUndone').length)).toEqual([1, 0, 0]);
      expect(apps.map((ref) => s.rollouts(ref))).toEqual([2, 0, 0]);
      expect(apps.map((ref) => uidsOf(podsOf(s, ref)))).toEqual(pods);
    },
  ),

  scenario(
    'a broken pod of a StatefulSet that a disruption budget protects is evicted once that allows it',
    async (s) => {
      const before = await failed(s, { kind: 'StatefulSet' });
      const budget = { metadata: { name: 'web', namespace: s.namespace } };
      await s.stage.client.create(kinds.PodDisruptionBudget, {
        ...budget,
        spec: { minAvailable: 3, selector: { matchLabels: { app: 'web' } } },
      });
      await s.stage.quiet();
      await s.configMap('settings', { mode: 'good' });
      const isTold = (): boolean => told(s, before.web, 'EvictionBlocked').length > 0;
      await s.stage.until('the budget to be named', isTold, MINUTES);
      await s.stage.quiet(MINUTES / 2);
      expect(told(s, before.web, 'EvictionBlocked')).toHaveLength(1);
      await s.stage.client.delete(kinds.PodDisruptionBudget, { namespace: s.namespace, name: 'web' });
      await undone(s, before);
      expect(await evictions(s)).toBe(1);
    },
    { only: 'minicluster' },
  ),
];
