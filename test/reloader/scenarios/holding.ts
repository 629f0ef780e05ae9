/** A content that failed on one workload is not rolled out to others; newer content is. */
import { expect } from 'vitest';
import type { Ref } from '../chronicle.ts';
import { scenario } from '../scenario.ts';
import type { Scene } from '../scene.ts';
import type { Operator } from '../stage.ts';
import { crashing } from './fragile.ts';

const uses = [{ configMap: 'settings' }] as const;
const MINUTES = 60_000;
const NAMES = ['app-1', 'app-2', 'app-3'] as const;

const oneAtATime = (s: Scene, kind: string): object => ({
  watchedResources: { configMaps: ['settings'] },
  targets: NAMES.map((name) => ({ kind, name })),
  maxConcurrent: 1,
  // The default is too long for real time.
  verify: s.isVirtual ? {} : { stableFor: '1s' },
});

const told = (s: Scene, ref: Ref, reason: string): string[] =>
  s
    .events(ref)
    .filter((event) => event.reason === reason)
    .map(({ message }) => message);

const began = (s: Scene, apps: readonly Ref[]): number[] => apps.map((ref) => s.rollouts(ref));

interface Stopped {
  readonly apps: readonly [Ref, Ref, Ref];
  readonly config: Ref;
  readonly operator: Operator;
}

/** One of the two is released, fails as well, and thereby holds the other. */
async function oneMoreTries(s: Scene, second: Ref, third: Ref): Promise<void> {
  const tried = (): number => s.rollouts(second) + s.rollouts(third);
  await s.stage.until('the next to try', () => tried() === 1, MINUTES);
  await s.stage.quiet(5 * MINUTES, 2_000);
  expect(tried()).toBe(1);
  s.allow.pending = true;
}

/**
 * Three workloads, reloaded one at a time, and a content that makes them crash: it has reached the first and is held.
 */
async function stopped(s: Scene, kind = 'Deployment'): Promise<Stopped> {
  await s.configMap('settings', { mode: 'good' });
  const apps: Ref[] = [];
  for (const name of NAMES) apps.push(await crashing(s, kind, name, 'settings', { uses }));
  const config = await s.config('config', oneAtATime(s, kind));
  const before = await s.operator();
  await s.adopted(...apps);
  await s.configMap('settings', { mode: 'bad' });
  await s.stage.until('the first', () => began(s, apps).includes(1));
  await before.kill();
  const operator = await s.operator();
  const isHeld = (): boolean => apps.filter((ref) => told(s, ref, 'FailedElsewhere').length > 0).length === 2;
  await s.stage.until('the others to be held', isHeld, 3 * MINUTES);
  expect(began(s, apps)).toEqual([1, 0, 0]);
  return { apps: apps as [Ref, Ref, Ref], config, operator };
}

export const holding = [
  ...['Deployment', 'StatefulSet', 'DaemonSet'].map((kind) =>
    scenario(
      `a content that breaks a ${kind} stops there, across restarts of the operator, and newer content goes through`,
      async (s) => {
        const { apps, config, operator } = await stopped(s, kind);
        const [, second] = apps;
        const where = `ConfigMap ${s.namespace}/settings failed on ${kind} ${s.namespace}/app-1 (reload 1: pod app-1-`;
        expect(told(s, second, 'FailedElsewhere')[0]).toContain(where);
        await s.conditionIs(config, 'FailedElsewhere', 'True', where);
        const held = s.status(config).targetStatus?.find(({ name }) => name === 'app-2');
        expect(held?.deferredReason).toBe('failed-elsewhere');
        await operator.kill();
        await s.operator();
        await s.stage.quiet(30 * MINUTES, 20_000);
        expect(began(s, apps)).toEqual([1, 0, 0]);
        await s.configMap('settings', { mode: 'good again' });
        await s.stage.until('the fix to begin', () => s.rollouts(apps[0]) === 2, MINUTES);
        await s.rolled([apps[0], 2], [apps[1], 1], [apps[2], 1]);
        await s.stage.until(
          'the end',
          () => s.condition(config, 'FailedElsewhere') === undefined,
          5 * MINUTES,
        );
        await s.conditionIs(config, 'Degraded', 'False');
      },
    ),
  ),

  scenario(
    'a content that is not tried again goes through once what failed with it is gone',
    async (s) => {
      const { apps } = await stopped(s);
      const [first, second, third] = apps;
      await s.remove('Deployment', first.name);
      await oneMoreTries(s, second, third);
    },
    { only: 'minicluster' },
  ),

  scenario(
    'a new release of the failed workload discards its outcome, and one more tries the content',
    async (s) => {
      const { apps } = await stopped(s);
      const [first, second, third] = apps;
      await s.image(first, 'release:two');
      await oneMoreTries(s, second, third);
    },
    { only: 'minicluster' },
  ),

  scenario(
    'a failure that heals, because something else was wrong, lets the others go on',
    async (s) => {
      await s.configMap('settings', { greeting: 'hello' });
      await s.configMap('elsewhere', { mode: 'good' });
      const apps: Ref[] = [];
      for (const name of NAMES) apps.push(await crashing(s, 'Deployment', name, 'elsewhere', { uses }));
      await s.config('config', oneAtATime(s, 'Deployment'));
      await s.operator();
      await s.adopted(...apps);
      await s.configMap('elsewhere', { mode: 'bad' });
      await s.configMap('settings', { greeting: 'good morning' });
      const isHeld = (): boolean => apps.some((ref) => told(s, ref, 'FailedElsewhere').length > 0);
      await s.stage.until('the others to be held', isHeld, 3 * MINUTES);
      await s.configMap('elsewhere', { mode: 'good' });
      const works = (): boolean => apps.every((ref) => told(s, ref, 'ReloadVerified').length === 1);
      await s.stage.until('all to work', works, 30 * MINUTES);
      expect(began(s, apps)).toEqual([1, 1, 1]);
    },
    { only: 'minicluster' },
  ),

  scenario(
    'a workload without verify is not held, and "reloader now" releases a held one',
    async (s) => {
      await s.configMap('settings', { mode: 'good' });
      const asking = { annotations: { auto: 'true', verify: 'true' }, uses };
      const failing = await crashing(s, 'Deployment', 'failing', 'settings', asking);
      const late = { auto: 'true', 'batch-window': '5m' };
      const plain = await s.deployment('plain', { annotations: late, uses });
      const held = await s.deployment('held', { uses });
      const config = await s.config('config', {
        watchedResources: { configMaps: ['settings'] },
        targets: [{ kind: 'Deployment', name: 'held' }],
        batchWindow: '5m',
        verify: {},
      });
      await s.operator();
      await s.adopted(failing, plain, held);
      await s.configMap('settings', { mode: 'bad' });
      await s.stage.until('the failure', () => told(s, failing, 'RolloutFailed').length > 0, 2 * MINUTES);
      await s.stage.until('the one without', () => s.rollouts(plain) === 1, 6 * MINUTES);
      await s.stage.quiet(10 * MINUTES, 2_000);
      expect(s.rollouts(held)).toBe(0);
      const [message = ''] = told(s, held, 'FailedElsewhere');
      expect(message).toContain(`"reloader now deployment/held -n ${s.namespace}" rolls out this one`);
      await s.annotate(held, { now: s.status(config).targetStatus?.[0]?.change ?? '' });
      await s.rolled([held, 1]);
    },
    { only: 'minicluster' },
  ),
];
