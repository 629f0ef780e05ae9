/**
 * The outcome of a reload: each is reported once and recorded, even across crashes, without a write to the workload.
 */
import type { kinds, ResourceType } from '@reloader/runtime';
import { expect } from 'vitest';
import type { Ref } from '../chronicle.ts';
import { scenario } from '../scenario.ts';
import type { Scene } from '../scene.ts';
import type { Operator } from '../stage.ts';
import { crashing, neverReady } from './fragile.ts';

const uses = [{ configMap: 'settings' }] as const;
const MINUTES = 60_000;
const verified = (kind: string, name: string, verify: object = {}): object => ({
  watchedResources: { configMaps: ['settings'] },
  targets: [{ kind, name }],
  verify,
});

async function rollouts(operator: Operator, result: string): Promise<number> {
  const lines = (await operator.metrics()).split('\n');
  const counted = lines.filter(
    (line) => line.startsWith('reloader_rollouts_total{') && line.includes(`result="${result}"`),
  );
  return counted.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

const told = (s: Scene, ref: Ref, reason: string): string[] =>
  s
    .events(ref)
    .filter((event) => event.reason === reason)
    .map(({ message }) => message);

async function podLists(s: Scene, { user }: Operator): Promise<number> {
  const requests = await s.stage.requests();
  return requests.filter((each) => each.user === user && each.resource === 'pods' && each.verb === 'list')
    .length;
}

/**
 * Requests of the operator by verb and resource, without Events and the ConfigMaps that it keeps for users in its
 * namespace.
 */
async function countsSince(s: Scene, { user }: Operator, from: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { verb, resource, name: named, namespace, user: by, at, body } of await s.stage.requests()) {
    if (by !== user || at < from || resource === 'events' || resource === 'leases') continue;
    const name = named || ((body as { metadata?: { name?: string } } | undefined)?.metadata?.name ?? '');
    const isForPeople = name.startsWith('reloader-history') || name === 'reloader-meta-info';
    if (verb === 'watch' || isForPeople) continue;
    const what = `${verb} ${resource}${namespace === s.namespace ? '' : ' at home'}`;
    counts[what] = (counts[what] ?? 0) + 1;
  }
  return counts;
}

const PODS: ResourceType<kinds.PlainObject> = {
  group: '',
  version: 'v1',
  kind: 'Pod',
  plural: 'pods',
  namespaced: true,
};

/** Reports a container that ended and runs again, as a kubelet does. */
async function restart(s: Scene, { namespace, name }: Ref): Promise<void> {
  const { items } = await s.stage.client.list(PODS, { namespace, labelSelector: `app=${name}` });
  for (const { metadata } of items) {
    const operations = [
      { op: 'replace' as const, path: '/status/containerStatuses/0/restartCount', value: 1 },
    ];
    await s.stage.client.patch(
      PODS,
      { namespace, name: metadata?.name ?? '' },
      { type: 'json', operations },
      { subresource: 'status' },
    );
  }
}

export const verifying = [
  ...['Deployment', 'StatefulSet', 'DaemonSet'].map((kind) =>
    scenario(`a ${kind} that works is verified: one list of pods, and one Event`, async (s) => {
      await s.configMap('settings', { mode: 'good' });
      const web = await s.workload(kind, 'web', { uses });
      const stableFor = s.stage.span('30s', '3s');
      await s.config('config', verified(kind, 'web', { stableFor }));
      const operator = await s.operator();
      await s.adopted(web);
      await s.configMap('settings', { mode: 'other' });
      await s.rolled([web, 1]);
      await s.stage.until('the outcome', () => told(s, web, 'ReloadVerified').length > 0, 3 * MINUTES);
      await s.stage.quiet(3 * MINUTES, 5_000);
      expect(told(s, web, 'ReloadVerified')).toHaveLength(1);
      expect(await rollouts(operator, 'succeeded')).toBe(1);
      if (s.isVirtual) expect(await podLists(s, operator)).toBe(1);
      expect(s.rollouts(web)).toBe(1);
    }),
  ),

  scenario(
    'verify costs one list of pods and one note more than a reload without it, and no write to the workload',
    async (s) => {
      await s.configMap('plain', { mode: 'good' });
      await s.configMap('proven', { mode: 'good' });
      const annotations = { auto: 'true' };
      const plain = await s.deployment('plain', { uses: [{ configMap: 'plain' }], annotations });
      const proven = await s.deployment('proven', {
        uses: [{ configMap: 'proven' }],
        annotations: { ...annotations, verify: 'true' },
      });
      const operator = await s.operator();
      await s.adopted(plain, proven);
      const costOf = async (name: string): Promise<Record<string, number>> => {
        await s.stage.quiet(5 * MINUTES);
        const from = s.stage.now();
        await s.configMap(name, { mode: 'other' });
        await s.stage.quiet(5 * MINUTES);
        return countsSince(s, operator, from);
      };
      const off = await costOf('plain');
      // Every five minutes the operator looks whether its notes are still there.
      const check = { 'list configmaps at home': 1 };
      expect(off).toEqual({ ...check, 'patch deployments': 1, 'update configmaps at home': 1 });
      expect(await costOf('proven')).toEqual({
        ...check,
        'patch deployments': 1,
        'list pods': 1,
        'update configmaps at home': 2,
      });
    },
    { only: 'minicluster' },
  ),

  scenario(
    'a container that restarts after its pod was ready makes a reload that was rolled out fail',
    async (s) => {
      await s.configMap('settings', { mode: 'good' });
      const web = await s.deployment('web', { uses });
      const stableFor = s.stage.span('30s', '6s');
      await s.config('config', verified('Deployment', 'web', { stableFor }));
      const operator = await s.operator();
      await s.adopted(web);
      await s.configMap('settings', { mode: 'bad' });
      await s.rolled([web, 1]);
      await restart(s, web);
      await s.stage.until('the failure', () => told(s, web, 'RolloutFailed').length > 0, 3 * MINUTES);
      expect(told(s, web, 'RolloutFailed')[0]).toContain('restarted once after it was rolled out');
      expect(await rollouts(operator, 'succeeded')).toBe(0);
      expect(await rollouts(operator, 'failed')).toBe(1);
    },
    { only: 'minicluster' },
  ),

  scenario('a rollout that does not become ready in time has timed out', async (s) => {
    await s.configMap('settings', { mode: 'good' });
    const web = await neverReady(s, 'Deployment', 'web', {
      uses,
      annotations: {
        auto: 'true',
        verify: 'true',
        'verify-timeout': s.stage.span('2m', '4s'),
      },
    });
    const operator = await s.operator();
    await s.adopted(web);
    await s.configMap('settings', { mode: 'other' });
    await s.rolled([web, 1]);
    await s.stage.until('the outcome', () => told(s, web, 'RolloutFailed').length > 0, 4 * MINUTES);
    expect(await rollouts(operator, 'timeout')).toBe(1);
    expect(told(s, web, 'RolloutFailed')).toEqual([expect.stringContaining('not healthy within')]);
  }),

  scenario('a release in between, and a further reload, leave a reload without an outcome', async (s) => {
    await s.configMap('settings', { mode: 'good' });
    const web = await s.deployment('web', { uses, annotations: { auto: 'true', verify: 'true' } });
    const operator = await s.operator();
    await s.adopted(web);
    await s.configMap('settings', { mode: 'second' });
    await s.rolled([web, 1]);
    await s.configMap('settings', { mode: 'third' });
    await s.rolled([web, 2]);
    await s.stage.until('the first', async () => (await rollouts(operator, 'superseded')) === 1);
    await s.image(web, 'release:two');
    await s.stage.until('the second', async () => (await rollouts(operator, 'superseded')) === 2);
    await s.stage.quiet(2 * MINUTES, 2_000);
    expect(told(s, web, 'ReloadVerified')).toEqual([]);
  }),

  ...[1_000, 5_000, 14_000, 16_000, 29_000, 33_000, 45_000].map((afterMs) =>
    scenario(
      `the operator is killed ${afterMs / 1000} s after a reload: its outcome is told once`,
      async (s) => {
        await s.configMap('settings', { mode: 'good' });
        const web = await crashing(s, 'Deployment', 'web', 'settings', { uses });
        const fine = await s.deployment('fine', { uses });
        await s.config('config', {
          ...verified('Deployment', 'web'),
          targets: [
            { kind: 'Deployment', name: 'web' },
            { kind: 'Deployment', name: 'fine' },
          ],
        });
        const before = await s.operator();
        await s.adopted(web, fine);
        await s.configMap('settings', { mode: 'bad' });
        await s.rolled([web, 1], [fine, 1]);
        await s.stage.quiet(afterMs, 1_000);
        await before.kill();
        // Longer than anything but a note is kept.
        await s.stage.quiet(20 * MINUTES, 1_000);
        await s.operator();
        const isTold = (): boolean =>
          told(s, web, 'RolloutFailed').length > 0 && told(s, fine, 'ReloadVerified').length > 0;
        await s.stage.until('both outcomes', isTold, 3 * MINUTES);
        await s.stage.quiet(3 * MINUTES, 2_000);
        expect([told(s, web, 'RolloutFailed').length, told(s, fine, 'ReloadVerified').length]).toEqual([
          1, 1,
        ]);
        expect([s.rollouts(web), s.rollouts(fine)]).toEqual([1, 1]);
      },
      { only: 'minicluster' },
    ),
  ),
];
