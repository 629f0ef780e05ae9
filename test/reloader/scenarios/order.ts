/** Order: a change reaches workloads wave by wave, and in the steps of a canary. */
import { expect } from 'vitest';
import type { Ref } from '../chronicle.ts';
import { scenario } from '../scenario.ts';
import type { Scene } from '../scene.ts';
import { crashing } from './fragile.ts';

const uses = [{ configMap: 'settings' }] as const;
const auto = { auto: 'true' };
const MINUTES = 60_000;

const change = (s: Scene, mode: string): Promise<void> => s.configMap('settings', { mode });
const began = (s: Scene, apps: readonly Ref[]): number[] => apps.map((ref) => s.rollouts(ref));
const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);
const deferrals = (s: Scene, ref: Ref): string[] =>
  s
    .events(ref)
    .filter(({ reason }) => reason === 'ReloadDeferred')
    .map(({ message }) => message);

/** The default is too long for real time. */
const stableFor = (s: Scene): string => (s.isVirtual ? '30s' : '1s');

export const waves = [
  scenario(
    'waves: by annotation, each waits for the lower ones, and nobody waits for one that a person froze',
    async (s) => {
      await change(s, 'one');
      const first = await s.deployment('first', { annotations: { ...auto, wave: '-1' }, uses });
      const frozen = await s.deployment('frozen', {
        annotations: { ...auto, wave: '-1', freeze: 'true' },
        uses,
      });
      const second = await s.deployment('second', { annotations: auto, uses });
      const third = await s.deployment('third', { annotations: { ...auto, wave: '10' }, uses });
      await s.operator();
      await s.adopted(first, frozen, second, third);
      await change(s, 'two');
      await s.rolled([first, 1], [frozen, 0], [second, 1], [third, 1]);
      expect(deferrals(s, second).join()).toMatch(/Wave 0 waits for wave -1: Deployment \S+\/first/);
      expect(deferrals(s, third).join()).toMatch(/Wave 10 waits for wave (-1|0): Deployment /);
      await s.annotate(frozen, { freeze: null });
      await s.rolled([first, 1], [frozen, 1], [second, 1], [third, 1]);
    },
  ),

  scenario(
    'waves: of three, a first that fails stops the others, across a restart, and the fix goes through all in order',
    async (s) => {
      await change(s, 'good');
      const names = ['db', 'api', 'web'];
      const apps: Ref[] = [];
      for (const name of names) apps.push(await crashing(s, 'Deployment', name, 'settings', { uses }));
      const config = await s.config('config', {
        watchedResources: { configMaps: ['settings'] },
        targets: names.map((name, index) => ({ kind: 'Deployment', name, wave: index + 1 })),
        verify: { stableFor: stableFor(s) },
      });
      const before = await s.operator();
      await s.adopted(...apps);
      await change(s, 'bad');
      await s.stage.until('the first', () => s.rollouts(apps[0] as Ref) === 1);
      await before.kill();
      await s.operator();
      await s.conditionIs(config, 'FailedElsewhere', 'True', `failed on Deployment ${s.namespace}/db`);
      await s.stage.quiet(30 * MINUTES, 10_000);
      expect(began(s, apps)).toEqual([1, 0, 0]);
      const [db, api, web] = apps as [Ref, Ref, Ref];
      await change(s, 'good again');
      await s.stage.until('the fix to begin', () => s.rollouts(db) === 2, MINUTES);
      expect(began(s, apps)).toEqual([2, 0, 0]);
      await s.stage.until('the second', () => s.rollouts(api) === 1, 5 * MINUTES);
      expect(began(s, apps)).toEqual([2, 1, 0]);
      await s.stage.until('the third', () => s.rollouts(web) === 1, 5 * MINUTES);
      await s.rolled([db, 2], [api, 1], [web, 1]);
    },
  ),

  scenario('waves: nobody waits for a verified reload that waits for a person', async (s) => {
    await change(s, 'one');
    const spec = { updateStrategy: { type: 'OnDelete' } };
    const db = await s.workload('StatefulSet', 'db', { uses, spec });
    const api = await s.deployment('api', { uses });
    await s.merge(api, { spec: { paused: true } });
    const web = await s.deployment('web', { uses });
    await s.config('config', {
      watchedResources: { configMaps: ['settings'] },
      targets: [
        { kind: 'StatefulSet', name: 'db', wave: -1 },
        { kind: 'Deployment', name: 'api' },
        { kind: 'Deployment', name: 'web', wave: 1 },
      ],
      verify: { stableFor: stableFor(s) },
    });
    await s.operator();
    await s.adopted(db, api, web);
    await change(s, 'two');
    await s.rolled([db, 1], [api, 1], [web, 1]);
  }),
];

const NAMES = Array.from({ length: 20 }, (_, index) => `app-${String(index + 1).padStart(2, '0')}`);
const FIRST = 'app-07';

export const canaries = [
  scenario(
    'canary: of 20 workloads one tries, its failure holds all others, and after the fix it goes on step by step',
    async (s) => {
      await change(s, 'good');
      const apps: Ref[] = [];
      for (const name of NAMES) {
        const options = { uses, ...(name === FIRST && { annotations: { canary: 'true' } }) };
        apps.push(await crashing(s, 'Deployment', name, 'settings', options));
      }
      const first = apps[NAMES.indexOf(FIRST)] as Ref;
      const config = await s.config('config', {
        watchedResources: { configMaps: ['settings'] },
        targets: NAMES.map((name) => ({ kind: 'Deployment', name })),
        verify: { stableFor: stableFor(s) },
        canary: { steps: [1, '10%'], bake: s.isVirtual ? '10m' : '2s' },
      });
      const before = await s.operator();
      await s.adopted(...apps);
      await change(s, 'bad');
      await s.stage.until('the first', () => s.rollouts(first) === 1);
      await s.conditionIs(config, 'FailedElsewhere', 'True', `failed on Deployment ${s.namespace}/${FIRST}`);
      await before.kill();
      await s.operator();
      await s.stage.quiet(30 * MINUTES, 5_000);
      expect(sum(began(s, apps))).toBe(1);
      const others = apps.filter((ref) => ref !== first);
      await change(s, 'good again');
      await s.stage.until('the fix to begin', () => s.rollouts(first) === 2, MINUTES);
      if (s.isVirtual) {
        await s.stage.quiet(5 * MINUTES);
        expect(sum(began(s, others)), 'while the first step bakes').toBe(0);
        await s.stage.until('the second step', () => sum(began(s, others)) > 0, 10 * MINUTES);
        await s.stage.quiet(5 * MINUTES);
        expect(sum(began(s, others)), 'while the second step bakes').toBe(1);
      }
      await s.stage.until('all', () => began(s, others).every((count) => count === 1), 30 * MINUTES);
      await s.rolled([first, 2], ...others.map((ref) => [ref, 1] as const));
      expect(deferrals(s, others[18] as Ref).join()).toMatch(
        /Canary of ReloaderConfig .*\/config, step 1 of 2 \(1 of 20\)/,
      );
    },
  ),

  scenario('canary: the next target takes the place of one that waits for a person', async (s) => {
    await change(s, 'one');
    const spec = { updateStrategy: { type: 'OnDelete' } };
    const a = await s.workload('StatefulSet', 'a', { uses, spec });
    const b = await s.deployment('b', { uses });
    const c = await s.deployment('c', { uses });
    await s.config('config', {
      watchedResources: { configMaps: ['settings'] },
      targets: [a, b, c].map(({ kind, name }) => ({ kind, name })),
      verify: { stableFor: stableFor(s) },
      canary: { steps: [1], bake: s.isVirtual ? '10m' : '5s' },
    });
    await s.operator();
    await s.adopted(a, b, c);
    await change(s, 'two');
    await s.rolled([a, 1], [b, 1], [c, 0]);
    await s.stage.until('the step to be over', () => s.rollouts(c) === 1, 15 * MINUTES);
    await s.rolled([a, 1], [b, 1], [c, 1]);
  }),
];
