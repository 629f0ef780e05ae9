/** Documents 0 and 1, line by line, as their readers try them (alerts are tested elsewhere). */
import { expect } from 'vitest';
import { TRIGGERED_AT } from '../names.ts';
import { PRODUCT } from '../rbac.ts';
import { scenario } from '../scenario.ts';

const uses = [{ secret: 'test-secret', via: 'env', key: 'password' }] as const;

export const acceptance = [
  scenario('document 1, line 1: a config shows Available, hashes and observedGeneration', async (s) => {
    await s.secret('app-secret', { password: 'one' });
    await s.configMap('app-config', { mode: 'slow' });
    await s.deployment('my-app', { uses: [{ secret: 'app-secret' }] });
    const config = await s.config('reloaderconfig-sample', {
      watchedResources: { secrets: ['app-secret'], configMaps: ['app-config'] },
      targets: [{ kind: 'Deployment', name: 'my-app' }],
    });
    await s.operator();
    await s.conditionIs(config, 'Available', 'True');
    await s.stage.until(
      'the hashes',
      () => Object.keys(s.status(config).watchedResourceHashes ?? {}).length === 2,
    );
    expect(s.status(config).observedGeneration).toBe(1);
  }),

  scenario(
    'document 1, lines 2 and 3: data changes are logged with digests, and nothing is written to the source',
    async (s) => {
      await s.secret('test-secret', { password: 'one' });
      await s.configMap('test-cm', { mode: 'slow' });
      const app = await s.deployment('test-app', {
        annotations: { auto: 'true' },
        uses: [{ secret: 'test-secret' }, { configMap: 'test-cm' }],
      });
      const operator = await s.operator();
      await s.adopted(app);
      await s.secret('test-secret', { password: 'two' });
      await s.rolled([app, 1]);
      await s.configMap('test-cm', { mode: 'slow' }, { binary: { x: 'AA==' } });
      await s.rolled([app, 2]);
      for (const message of ['Secret data changed', 'ConfigMap data changed']) {
        const line = operator.log.find((each) => each.message === message);
        expect(line?.values, message).toMatchObject({
          oldHash: expect.any(String),
          newHash: expect.any(String),
        });
        expect(line?.values.oldHash).not.toBe(line?.values.newHash);
      }
      expect(s.live(s.ref('Secret', 'test-secret')).metadata.annotations ?? {}).toEqual({});
    },
  ),

  scenario('document 1, line 2: with --write-source-hash the digest stands on the source', async (s) => {
    s.allow.sourceWrites = true;
    await s.secret('test-secret', { password: 'one' });
    const app = await s.deployment('test-app', {
      annotations: { auto: 'true' },
      uses: [{ secret: 'test-secret' }],
    });
    const mayPatch = { apiGroups: [''], resources: ['secrets', 'configmaps'], verbs: ['patch'] };
    const permissions = { ...PRODUCT, cluster: [...PRODUCT.cluster, mayPatch] };
    await s.operator({ args: ['--write-source-hash'], permissions });
    await s.adopted(app);
    await s.secret('test-secret', { password: 'two' });
    await s.stage.until(
      'the annotation',
      () =>
        s.live(s.ref('Secret', 'test-secret')).metadata.annotations?.['reloader.stakater.com/last-hash'] !==
        undefined,
    );
    await s.rolled([app, 1]);
  }),

  scenario('document 1, line 4: a config, a Secret key in the environment, strategy env-vars', async (s) => {
    await s.secret('test-secret', { password: 'one' });
    const app = await s.deployment('test-app', { uses });
    const config = await s.config('test-reloader', {
      watchedResources: { secrets: ['test-secret'] },
      reloadStrategy: 'env-vars',
      targets: [{ kind: 'Deployment', name: 'test-app' }],
    });
    const operator = await s.operator();
    await s.adopted(app);
    expect(s.status(config).watchedResourceHashes).toHaveProperty([`${s.namespace}/Secret/test-secret`]);
    const hash = s.status(config).watchedResourceHashes?.[`${s.namespace}/Secret/test-secret`];
    await s.secret('test-secret', { password: 'two' });
    await s.rolled([app, 1]);
    await s.running(app);
    expect(s.env(app)[TRIGGERED_AT]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/);
    expect(s.status(config).watchedResourceHashes?.[`${s.namespace}/Secret/test-secret`]).not.toBe(hash);
    expect(operator.log.find(({ message }) => message === 'Found targets for reload')?.values).toMatchObject({
      totalTargets: 1,
    });
    expect(
      operator.log.find(({ message }) => message === 'Successfully triggered reload')?.values,
    ).toMatchObject({
      kind: 'Deployment',
      name: 'test-app',
    });
    await s.counted(config, 1);
    expect(s.status(config).lastReloadTime).toEqual(expect.any(String));
  }),

  scenario('document 1, line 5: an annotation that names the Secret of a volume', async (s) => {
    await s.secret('app-secret', { password: 'one' });
    const app = await s.deployment('app', {
      annotations: { 'secret/reload': 'app-secret' },
      uses: [{ secret: 'app-secret', via: 'volume' }],
    });
    await s.operator();
    await s.adopted(app);
    await s.secret('app-secret', { password: 'two' });
    await s.rolled([app, 1]);
    await s.running(app);
  }),

  scenario('document 1, line 6: a named target needs no reference', async (s) => {
    await s.configMap('settings', { mode: 'slow' });
    const app = await s.deployment('app');
    await s.config('config', {
      watchedResources: { configMaps: ['settings'] },
      reloadStrategy: 'annotations',
      targets: [{ kind: 'Deployment', name: 'app' }],
    });
    await s.operator();
    await s.adopted(app);
    await s.configMap('settings', { mode: 'fast' });
    await s.rolled([app, 1]);
    expect(s.template(app).metadata?.annotations).toMatchObject({
      'reloader.stakater.com/last-reload': expect.stringMatching(/^\d{4}-/),
      'reloader.stakater.com/last-reloaded-from': expect.stringContaining('"settings"'),
    });
  }),

  scenario(
    'document 1, line 7: two targets and one annotated workload: one reload each, the config counts two',
    async (s) => {
      await s.secret('shared', { a: '1' });
      const one = await s.deployment('one');
      const two = await s.deployment('two');
      const three = await s.deployment('three', { annotations: { 'secret/reload': 'shared' } });
      const config = await s.config('config', {
        watchedResources: { secrets: ['shared'] },
        targets: [
          { kind: 'Deployment', name: 'one' },
          { kind: 'Deployment', name: 'two' },
        ],
      });
      await s.operator();
      await s.adopted(one, two, three);
      await s.secret('shared', { a: '2' });
      await s.rolled([one, 1], [two, 1], [three, 1]);
      await s.counted(config, 2);
    },
  ),

  scenario(
    'document 1, line 8: pausePeriod with two updates: one now, one when the pause ends, both told',
    async (s) => {
      await s.secret('test-secret', { password: 'one' });
      const app = await s.deployment('test-app', { uses });
      const config = await s.config('config', {
        watchedResources: { secrets: ['test-secret'] },
        targets: [{ kind: 'Deployment', name: 'test-app', pausePeriod: s.stage.span('5m', '10s') }],
      });
      await s.operator();
      await s.adopted(app);
      await s.secret('test-secret', { password: 'two' });
      await s.stage.until('the first reload', () => s.rollouts(app) === 1);
      const began = s.stage.now();
      await s.stage.quiet(10_000, 500);
      await s.secret('test-secret', { password: 'three' });
      await s.stage.until('the line in the log', () => s.said('Skipping reload - workload is paused'));
      await s.stage.until(
        'pausedUntil',
        () => Date.parse(s.status(config).targetStatus?.[0]?.pausedUntil ?? '') > began,
      );
      expect(s.rollouts(app)).toBe(1);
      await s.stage.until('the second reload', () => s.rollouts(app) === 2, 6 * 60_000);
      await s.rolled([app, 2]);
    },
  ),

  scenario('document 1, line 9: a metadata-only edit of a Secret reloads nothing', async (s) => {
    await s.secret('test-secret', { password: 'one' });
    const app = await s.deployment('test-app', { annotations: { auto: 'true' }, uses });
    await s.operator();
    await s.adopted(app);
    await s.merge(s.ref('Secret', 'test-secret'), {
      metadata: { labels: { edited: 'yes' }, annotations: { 'example.com/a': 'b' } },
    });
    await s.rolled([app, 0]);
  }),

  scenario('document 1, line 10: a missing target is named, and heals when it is created', async (s) => {
    await s.secret('test-secret', { password: 'one' });
    const config = await s.config('config', {
      watchedResources: { secrets: ['test-secret'] },
      targets: [{ kind: 'StatefulSet', name: 'later' }],
    });
    await s.operator();
    await s.conditionIs(config, 'Degraded', 'True', 'later');
    const later = await s.workload('StatefulSet', 'later', { uses });
    await s.conditionIs(config, 'Degraded', 'False');
    await s.adopted(later);
    await s.secret('test-secret', { password: 'two' });
    await s.rolled([later, 1]);
  }),

  scenario(
    'document 1, line 12: reloadOnCreate and reloadOnDelete of one config, whatever the flags say',
    async (s) => {
      const eager = await s.deployment('eager', { uses: [{ secret: 'db' }] });
      const calm = await s.deployment('calm', { uses: [{ secret: 'db' }] });
      const watchedResources = { secrets: ['db'] };
      await s.config('eager', {
        watchedResources,
        reloadOnCreate: true,
        reloadOnDelete: true,
        targets: [{ kind: 'Deployment', name: 'eager' }],
      });
      await s.config('calm', { watchedResources, targets: [{ kind: 'Deployment', name: 'calm' }] });
      await s.operator();
      await s.adopted(eager);
      await s.secret('db', { a: '1' });
      await s.rolled([eager, 1], [calm, 0]);
      await s.remove('Secret', 'db');
      await s.rolled([eager, 2], [calm, 0]);
    },
  ),
];
