/**
 * After a failed reload the operator restores the last content of the ConfigMap that worked: once, and not against
 * another writer.
 */
import { kinds } from '@reloader/runtime';
import { expect } from 'vitest';
import type { Ref } from '../chronicle.ts';
import { PRODUCT, RESTORING } from '../rbac.ts';
import { type Scenario, scenario } from '../scenario.ts';
import type { Scene } from '../scene.ts';
import type { OperatorOptions } from '../stage.ts';
import { breaking } from './fragile.ts';
import { type Failed, type FailedOptions, failed, told, undone } from './undoing.ts';

const MINUTES = 60_000;
const uses = [{ configMap: 'settings' }] as const;
const RESTORES: OperatorOptions = { args: ['--restore-config-maps'], permissions: RESTORING };
const ASKED = { config: { onFailure: 'restore' }, operator: RESTORES };

const dataOf = (s: Scene, name = 'settings'): unknown =>
  (s.stage.chronicle.now(s.ref('ConfigMap', name)) as { data?: unknown } | undefined)?.data;

const copiesOf = (s: Scene): string[] =>
  s.stage.chronicle
    .all('ConfigMap', s.namespace)
    .filter(({ metadata }) => metadata.labels?.['reloader.stakater.com/kept'] !== undefined)
    .map(({ metadata }) => metadata.name);

/** The number of writes of the operator to this ConfigMap. */
async function writesTo(s: Scene, name = 'settings'): Promise<number> {
  const all = await s.stage.requests();
  return all.filter(
    ({ verb, resource, name: of, code }) =>
      verb === 'patch' && resource === 'configmaps' && of === name && code < 300,
  ).length;
}

/** A reload failed, and the operator restored the ConfigMap. */
async function restored(s: Scene, options: FailedOptions = {}): Promise<Failed> {
  s.allow.restores = true;
  const before = await failed(s, { ...ASKED, ...options });
  await s.stage.until('the return', () => told(s, before.web, 'ContentRestored').length > 0, MINUTES);
  return before;
}

/** A reload failed, the operator restores nothing, and the Event says why. */
async function refused(s: Scene, because: string, options: FailedOptions = {}): Promise<Failed> {
  s.allow.restores = true;
  const before = await failed(s, { ...ASKED, ...options });
  await isRefused(s, before.web, because);
  expect(dataOf(s)).toEqual({ mode: 'bad' });
  await s.conditionIs(s.ref('ReloaderConfig', 'config'), 'RestoreRefused', 'True', because);
  return before;
}

async function isRefused(s: Scene, web: Ref, because: string): Promise<void> {
  const isTold = (): boolean => told(s, web, 'RestoreRefused').some((message) => message.includes(because));
  await s.stage.until('the refusal', isTold, MINUTES);
  await s.stage.quiet(2 * MINUTES, 3_000);
  expect(await writesTo(s)).toBe(0);
  expect(told(s, web, 'ContentRestored')).toEqual([]);
}

const KINDS: readonly (readonly [what: string, options: FailedOptions, pods: number])[] = [
  ['a Deployment', {}, 3],
  ['a StatefulSet in order', { kind: 'StatefulSet' }, 3],
  ['a parallel StatefulSet', { kind: 'StatefulSet', spec: { podManagementPolicy: 'Parallel' } }, 3],
  ['a DaemonSet', { kind: 'DaemonSet' }, 1],
];

export const restoring: readonly Scenario[] = [
  ...KINDS.map(([what, options, pods]) =>
    scenario(
      `a reload of ${what} failed: what was before is put back once, and the undo restarts no pod that survived`,
      async (s) => {
        const before = await restored(s, options);
        await undone(s, before, pods);
        expect(dataOf(s)).toEqual({ mode: 'good' });
        expect(await writesTo(s)).toBe(1);
        expect(copiesOf(s)).toHaveLength(1);
        expect(told(s, before.web, 'ContentRestored')).toEqual([
          `ConfigMap ${s.namespace}/settings was put back to the content before reload 1, which failed`,
        ]);
      },
    ),
  ),

  scenario(
    'a user writes the failed content back every second: it is restored only once, and that is reported',
    async (s) => {
      const { web, rollouts } = await restored(s);
      const config = s.ref('ReloaderConfig', 'config');
      for (let second = 0; second < 30; second += 1) {
        await s.configMap('settings', { mode: 'bad' });
        await s.stage.quiet(1_000, 300);
      }
      const fought = await s.conditionIs(config, 'RestoreFought', 'True', 'settings');
      expect(fought.message).toContain('user');
      await s.stage.quiet(10 * MINUTES, 3_000);
      expect(await writesTo(s)).toBe(1);
      expect(dataOf(s)).toEqual({ mode: 'bad' });
      expect(told(s, web, 'ContentRestored')).toHaveLength(1);
      expect(told(s, web, 'RestoreFought').length).toBeGreaterThan(0);
      // The failed reload, and its undo if there was time for it.
      expect(s.rollouts(web)).toBeLessThanOrEqual(rollouts + 2);
      // The user may write the bad content again while the undo is in flight.
      s.allow.unexplained = ['web'];
      s.allow.pending = true;
    },
  ),

  scenario(
    'what failed and was put back comes again later: it is held, also by the next process, and newer content goes through',
    async (s) => {
      const before = await restored(s);
      await undone(s, before);
      const { web, operator, rollouts } = before;
      const config = s.ref('ReloaderConfig', 'config');
      await s.configMap('settings', { mode: 'bad' });
      await s.conditionIs(config, 'RestoreFought', 'True', 'nothing is put back twice');
      await operator.kill();
      await s.operator(RESTORES);
      await s.conditionIs(config, 'RestoreFought', 'True', 'nothing is put back twice');
      await s.stage.quiet(10 * MINUTES, 3_000);
      expect(await writesTo(s)).toBe(1);
      expect(s.rollouts(web)).toBe(rollouts + 2);
      await s.configMap('settings', { mode: 'better' });
      await s.rolled([web, rollouts + 3]);
      expect(s.condition(config, 'RestoreFought')).toBeUndefined();
    },
    { only: 'minicluster' },
  ),

  scenario(
    'a GitOps tool owns the ConfigMap: nothing is put back, and the Event says where to revert it',
    async (s) => {
      const byTool = async (mode: string): Promise<void> => {
        const body = { data: { mode } };
        const key = { namespace: s.namespace, name: 'settings' };
        const options = { fieldManager: 'argocd-controller' };
        await s.stage.client.patch(kinds.ConfigMap, key, { type: 'merge', body }, options);
      };
      await refused(s, 'belongs to argocd-controller, which would write it again: revert it there', {
        change: byTool,
      });
    },
  ),

  scenario(
    'a controller owns the ConfigMap: nothing is put back',
    async (s) => {
      const owner = await s.deployment('owner', { replicas: 0 });
      const { uid = '' } = s.live(owner).metadata;
      const reference = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'owner', uid, controller: true };
      const owned = async (mode: string): Promise<void> => {
        await s.merge(s.ref('ConfigMap', 'settings'), {
          metadata: { ownerReferences: [reference] },
          data: { mode },
        });
      };
      await refused(s, 'belongs to its controller Deployment owner', { change: owned });
    },
    { only: 'minicluster' },
  ),

  scenario(
    'without the flag nothing is put back or copied',
    async (s) => {
      await refused(s, 'start it with --restore-config-maps', { operator: {} });
      expect(copiesOf(s)).toEqual([]);
    },
    { only: 'minicluster' },
  ),

  scenario(
    'without the right nothing is put back or copied, and that is told before anything fails',
    async (s) => {
      s.allow.restores = true;
      await s.configMap('settings', { mode: 'good' });
      const web = await breaking(s, 'Deployment', 'web', 'settings', {
        uses,
        annotations: { auto: 'true', verify: 'true', 'on-failure': 'restore' },
      });
      await s.operator({ args: ['--restore-config-maps'], permissions: PRODUCT });
      await s.adopted(web);
      await s.stage.until('the warning', () => told(s, web, 'RestoreRefused').length > 0, MINUTES);
      expect(told(s, web, 'RestoreRefused')[0]).toContain('no copy of ConfigMap');
      expect(copiesOf(s)).toEqual([]);
    },
    { only: 'minicluster' },
  ),

  scenario(
    'a Secret changed with the ConfigMap: nothing is put back, least of all the Secret',
    async (s) => {
      s.allow.restores = true;
      await s.configMap('settings', { mode: 'good' });
      await s.secret('db', { password: 'one' });
      const web = await breaking(s, 'Deployment', 'web', 'settings', {
        uses: [{ configMap: 'settings' }, { secret: 'db' }],
        annotations: { auto: 'true', verify: 'true', 'on-failure': 'restore' },
      });
      await s.operator(RESTORES);
      await s.adopted(web);
      await s.configMap('settings', { mode: 'bad' });
      await s.secret('db', { password: 'two' });
      await isRefused(s, web, `Secret ${s.namespace}/db changed with it`);
    },
    { only: 'minicluster' },
  ),

  scenario(
    'another workload works with the content that failed here: the content is not restored',
    async (s) => {
      s.allow.restores = true;
      await s.configMap('settings', { mode: 'good' });
      const annotations = { auto: 'true', verify: 'true', 'on-failure': 'restore' };
      const fine = await s.deployment('fine', { uses, annotations: { ...annotations, wave: '1' } });
      const web = await breaking(s, 'Deployment', 'web', 'settings', {
        uses,
        annotations: { ...annotations, wave: '2' },
      });
      await s.operator(RESTORES);
      await s.adopted(fine, web);
      await s.configMap('settings', { mode: 'bad' });
      await isRefused(s, web, `Deployment ${s.namespace}/fine works with this content`);
    },
    { only: 'minicluster' },
  ),

  scenario(
    'two copies are kept at most, of contents that worked, and they go with their ConfigMap',
    async (s) => {
      s.allow.restores = true;
      await s.configMap('settings', { mode: 'good' });
      const web = await breaking(s, 'Deployment', 'web', 'settings', {
        uses,
        annotations: { auto: 'true', verify: 'true', 'on-failure': 'restore' },
      });
      await s.operator(RESTORES);
      await s.adopted(web);
      for (const [index, mode] of ['one', 'two', 'three'].entries()) {
        await s.configMap('settings', { mode });
        await s.stage.until('the outcome', () => told(s, web, 'ReloadVerified').length > index, 3 * MINUTES);
        await s.stage.quiet(5_000);
        expect(copiesOf(s).length).toBeLessThanOrEqual(2);
      }
      const contents = copiesOf(s).map((name) => dataOf(s, name));
      expect(contents).toEqual(expect.arrayContaining([{ mode: 'two' }, { mode: 'three' }]));
      expect(s.rollouts(web)).toBe(3);
      // A deletion is not rolled out.
      s.allow.pending = true;
      await s.remove('ConfigMap', 'settings');
      await s.stage.until('the copies to go', () => copiesOf(s).length === 0, MINUTES);
    },
    { only: 'minicluster' },
  ),
];
