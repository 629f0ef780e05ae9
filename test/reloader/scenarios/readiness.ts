/** A config that cannot take effect is not ready, for every tool that reads conditions. */
import { expect } from 'vitest';
import { scenario } from '../scenario.ts';

const GOOD = {
  watchedResources: { secrets: ['db'] },
  targets: [{ kind: 'Deployment', name: 'web' }],
};
/** A namespace that every cluster has, so the test need not create it. */
const ELSEWHERE = 'default';

interface Broken {
  readonly spec: object;
  readonly reason: string;
  readonly Available: 'True' | 'False';
  readonly heals: boolean;
}

const useless = (reason: string, spec: object): Broken => ({
  spec: { ...GOOD, ...spec },
  reason,
  Available: 'False',
  heals: false,
});
const waiting = (reason: string, spec: object): Broken => ({
  spec: { ...GOOD, ...spec },
  reason,
  Available: 'True',
  heals: true,
});

const BROKEN: Readonly<Record<string, Broken>> = {
  'no-targets': useless('NoTargets', { targets: [] }),
  'nothing-watched': useless('NothingWatched', { watchedResources: {} }),
  'labels-that-it-lacks': useless('NothingWatched', { matchLabels: { tier: 'web' } }),
  'ignores-what-it-names': useless('NothingWatched', { ignoreResources: [{ kind: 'Secret', name: 'db' }] }),
  'selects-nothing-of-it': useless('NothingWatched', {
    watchedResources: { secrets: ['db'], resourceSelector: { matchLabels: { tier: 'web' } } },
  }),
  'no-label': useless('InvalidSpec', { matchLabels: { 'not a label': 'x' } }),
  'too-long': useless('InvalidSpec', { pausePeriod: '99999999999h' }),
  'not-allowed': useless('ReloadsForbidden', {
    targets: [{ kind: 'Deployment', name: 'web', namespace: ELSEWHERE }],
  }),
  'no-such-target': waiting('TargetNotFound', { targets: [{ kind: 'Deployment', name: 'later' }] }),
  'no-such-source': waiting('ResourceNotFound', { watchedResources: { secrets: ['later'] } }),
};

export const readiness = [
  scenario('ten broken configs are not Ready, and become Ready when they are fixed', async (s) => {
    await s.secret('db', { a: '1' });
    const web = await s.deployment('web', { uses: [{ secret: 'db' }] });
    const configs = new Map<string, Awaited<ReturnType<typeof s.config>>>();
    for (const [name, { spec }] of Object.entries(BROKEN)) configs.set(name, await s.config(name, spec));
    await s.operator();
    await s.adopted(web);
    for (const [name, config] of configs) {
      const { reason, Available, heals } = BROKEN[name] as Broken;
      await s.conditionIs(config, 'Ready', 'False', reason);
      await s.conditionIs(config, heals ? 'Reconciling' : 'Stalled', 'True', reason);
      expect(s.condition(config, heals ? 'Stalled' : 'Reconciling'), name).toBeUndefined();
      expect(s.condition(config, 'Available')?.status, name).toBe(Available);
    }
    expect(await s.stage.ready('1s')).toEqual([]);
    await s.secret('later', { a: '1' });
    await s.deployment('later', { uses: [{ secret: 'later' }] });
    for (const [name, { heals }] of Object.entries(BROKEN)) if (!heals) await s.config(name, GOOD);
    for (const config of configs.values()) {
      await s.conditionIs(config, 'Ready', 'True');
      expect(s.condition(config, 'Stalled') ?? s.condition(config, 'Reconciling')).toBeUndefined();
      expect(s.condition(config, 'Available')?.status, config.name).toBe('True');
    }
    expect(await s.stage.ready('30s')).toEqual(Object.keys(BROKEN).sort());
  }),

  scenario('a named source that is filtered out is named with the reason', async (s) => {
    await s.secret('db', { a: '1' }, { labels: { tier: 'web' } });
    await s.secret('cache', { a: '1' });
    const web = await s.deployment('web', { uses: [{ secret: 'db' }] });
    const config = await s.config('config', {
      ...GOOD,
      watchedResources: { secrets: ['db', 'cache'] },
      matchLabels: { tier: 'web' },
    });
    await s.operator();
    await s.adopted(web);
    const why = `Secret ${s.namespace}/cache: it does not carry the label tier: web that spec.matchLabels asks for`;
    await s.conditionIs(config, 'SourceFiltered', 'True', why);
    await s.conditionIs(config, 'Degraded', 'False', `not watched: ${why}`);
    await s.secret('cache', { a: '1' }, { labels: { tier: 'web' } });
    await s.stage.until('it to count', () => s.condition(config, 'SourceFiltered') === undefined);
    expect(s.condition(config, 'Degraded')?.message).toBe('Everything was found');
  }),

  scenario('the findings of lint about a spec are in a condition', async (s) => {
    await s.secret('db', { a: '1' });
    const web = await s.deployment('web', { uses: [{ secret: 'db' }] });
    const config = await s.config('config', {
      ...GOOD,
      targets: [
        { kind: 'Deployment', name: 'web', rolloutStrategy: 'rollout', requireReference: true },
        { kind: 'Deployment', name: 'web', rolloutStrategy: 'restart' },
      ],
    });
    await s.operator();
    await s.adopted(web);
    await s.conditionIs(config, 'QuestionableSpec', 'True', 'spec.targets[0].requireReference has no effect');
    await s.conditionIs(config, 'QuestionableSpec', 'True', 'with another rolloutStrategy');
    await s.conditionIs(config, 'Ready', 'True');
    await s.config('config', GOOD);
    await s.stage.until('the remark to go', () => s.condition(config, 'QuestionableSpec') === undefined);
  }),

  scenario(
    'a mistake in one config leaves others of the same workload ready, but for shared sources',
    async (s) => {
      for (const name of ['one', 'other', 'both']) await s.configMap(name, { text: 'first' });
      const web = await s.deployment('web');
      const targets = [{ kind: 'Deployment', name: 'web' }];
      const bad = await s.config('bad', {
        watchedResources: { configMaps: ['one', 'both'] },
        windows: [{ schedule: '0 0 30 2 *', duration: '1h' }],
        targets,
      });
      const good = await s.config('good', { watchedResources: { configMaps: ['other'] }, targets });
      const sharing = await s.config('sharing', { watchedResources: { configMaps: ['both'] }, targets });
      await s.operator();
      await s.adopted(web);
      await s.configMap('other', { text: 'second' });
      await s.rolled([web, 1]);
      await s.conditionIs(bad, 'InvalidWindow', 'True', 'never comes');
      await s.conditionIs(sharing, 'InvalidWindow', 'True', 'ReloaderConfig');
      await s.conditionIs(good, 'Ready', 'True');
      expect(s.condition(good, 'InvalidWindow')).toBeUndefined();
      expect(s.condition(good, 'Stalled')).toBeUndefined();
    },
  ),
];
