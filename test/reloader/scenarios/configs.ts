/** Rows 4 to 8, 12, 15, 16, 20, 21 and 29: the fields of a ReloaderConfig. */
import { InvalidError } from '@reloader/runtime';
import { expect } from 'vitest';
import { LAST_RELOADED_FROM } from '../names.ts';
import { scenario } from '../scenario.ts';
import type { Scene } from '../scene.ts';

const deployment = (name: string, more: object = {}): object => ({ kind: 'Deployment', name, ...more });

/** The columns that kubectl prints, and the first row. */
async function printed(s: Scene): Promise<Record<string, unknown>> {
  const response = await s.stage.client.raw({
    method: 'GET',
    path: `/apis/reloader.stakater.com/v1alpha1/namespaces/${s.namespace}/reloaderconfigs`,
    headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  const table = JSON.parse(Buffer.concat(chunks).toString()) as {
    columnDefinitions: { name: string }[];
    rows: { cells: unknown[] }[];
  };
  return Object.fromEntries(
    table.columnDefinitions.map(({ name }, index) => [name, table.rows[0]?.cells[index]]),
  );
}

export const configs = [
  scenario('row 4: a wrong spec is rejected when it is applied, with the field named', async (s) => {
    const wrong: [object, RegExp][] = [
      [{ targets: [{ kind: 'Pod', name: 'x' }] }, /targets\[0\]\.kind/],
      [{ targets: [{ kind: 'Deployment' }] }, /targets\[0\]\.name/],
      [{ targets: [deployment('web', { pausePeriod: 'soon' })] }, /pausePeriod/],
      [{ reloadStrategy: 'sometimes' }, /reloadStrategy/],
      [{ rolloutStrategy: 'recreate' }, /rolloutStrategy/],
      [{ ignoreResources: [{ kind: 'Pod', name: 'x' }] }, /ignoreResources\[0\]\.kind/],
    ];
    for (const [spec, field] of wrong) {
      const attempt = s.config('wrong', { watchedResources: { secrets: ['db'] }, ...spec });
      await expect(attempt, JSON.stringify(spec)).rejects.toThrow(field);
      await expect(s.config('wrong', { watchedResources: { secrets: ['db'] }, ...spec })).rejects.toThrow(
        InvalidError,
      );
    }
  }),

  scenario('row 4: kubectl get rlc shows strategy, targets, reloads and readiness', async (s) => {
    await s.secret('db', { password: 'one' });
    const web = await s.deployment('web', { uses: [{ secret: 'db' }] });
    await s.config('config', {
      watchedResources: { secrets: ['db'] },
      reloadStrategy: 'env-vars',
      targets: [deployment('web')],
    });
    await s.operator();
    await s.adopted(web);
    await s.secret('db', { password: 'two' });
    await s.rolled([web, 1]);
    expect(await printed(s)).toMatchObject({
      Name: 'config',
      Strategy: 'env-vars',
      Targets: '1/1',
      Reloads: 1,
      Pending: '0',
      Ready: 'True',
    });
  }),

  scenario('row 4: kubectl get rlc shows what a flag decides, and what waits why', async (s) => {
    await s.secret('db', { password: 'one' });
    const web = await s.deployment('web', { uses: [{ secret: 'db' }] });
    await s.config('config', {
      watchedResources: { secrets: ['db'] },
      targets: [deployment('web', { pausePeriod: '10m' })],
    });
    await s.operator({ args: ['--reload-strategy=annotations'] });
    await s.adopted(web);
    await s.secret('db', { password: 'two' });
    await s.rolled([web, 1]);
    await s.secret('db', { password: 'three' });
    await s.stage.until(
      'the change to wait',
      () => s.status({ ...web, kind: 'ReloaderConfig', name: 'config' }).pending === '1 (paused)',
    );
    expect(await printed(s)).toMatchObject({
      Strategy: 'annotations',
      Reloads: 1,
      Pending: '1 (paused)',
      Ready: 'True',
    });
    s.allow.pending = true;
  }),

  scenario('row 5: a watched name may appear later, and the status tells what is missing', async (s) => {
    const web = await s.deployment('web', { uses: [{ secret: 'later' }] });
    await s.configMap('settings', { mode: 'slow' });
    const config = await s.config('config', {
      watchedResources: { secrets: ['later'], configMaps: ['settings'] },
      targets: [deployment('web')],
    });
    await s.operator();
    await s.conditionIs(config, 'Degraded', 'True', 'later');
    expect(Object.keys(s.status(config).watchedResourceHashes ?? {})).toEqual([
      `${s.namespace}/ConfigMap/settings`,
    ]);
    await s.secret('later', { password: 'one' });
    await s.conditionIs(config, 'Degraded', 'False');
    await s.rolled([web, 0]);
    expect(Object.keys(s.status(config).watchedResourceHashes ?? {}).sort()).toEqual([
      `${s.namespace}/ConfigMap/settings`,
      `${s.namespace}/Secret/later`,
    ]);
    await s.secret('later', { password: 'two' });
    await s.rolled([web, 1]);
  }),

  scenario('row 6: a namespaceSelector reaches other namespaces, if those allow it', async (s) => {
    const team = await s.stage.createNamespace('team-a', { labels: { team: 'a' } });
    const stranger = await s.stage.createNamespace('team-b', { labels: { team: 'b' } });
    await s.secret('shared', { password: 'one' }, { namespace: team });
    await s.secret('shared', { password: 'one' }, { namespace: stranger });
    const web = await s.deployment('web');
    const config = await s.config('config', {
      watchedResources: { secrets: ['shared'], namespaceSelector: { matchLabels: { team: 'a' } } },
      targets: [deployment('web')],
    });
    await s.operator();
    await s.stage.until('the refusal', () =>
      JSON.stringify(s.status(config).conditions ?? []).includes('CrossNamespaceDenied'),
    );
    await s.secret('shared', { password: 'two' }, { namespace: team });
    await s.rolled([web, 0]);
    await s.annotate(
      { kind: 'Namespace', namespace: '', name: team },
      { 'allow-from': `other,${s.namespace}` },
    );
    await s.adopted(web);
    await s.secret('shared', { password: 'three' }, { namespace: team });
    await s.secret('shared', { password: 'three' }, { namespace: stranger });
    await s.rolled([web, 1]);
  }),

  scenario('row 7: a resourceSelector alone selects; with names it filters', async (s) => {
    await s.secret('labelled', { a: '1' }, { labels: { reload: 'yes' } });
    await s.secret('named', { a: '1' });
    await s.secret('both', { a: '1' }, { labels: { reload: 'yes' } });
    const bySelector = await s.deployment('by-selector');
    const byBoth = await s.deployment('by-both');
    const resourceSelector = { matchLabels: { reload: 'yes' } };
    await s.config('alone', { watchedResources: { resourceSelector }, targets: [deployment('by-selector')] });
    await s.config('filter', {
      watchedResources: { secrets: ['named', 'both'], resourceSelector },
      targets: [deployment('by-both')],
    });
    await s.operator();
    await s.adopted(bySelector, byBoth);
    await s.secret('named', { a: '2' });
    await s.rolled([bySelector, 0], [byBoth, 0]);
    await s.secret('labelled', { a: '2' });
    await s.rolled([bySelector, 1], [byBoth, 0]);
    await s.secret('both', { a: '2' });
    await s.rolled([bySelector, 2], [byBoth, 1]);
  }),

  scenario('row 8: matchLabels ask more of a source', async (s) => {
    await s.secret('db', { a: '1' }, { labels: { env: 'prod' } });
    await s.secret('test', { a: '1' }, { labels: { env: 'test' } });
    const web = await s.deployment('web');
    await s.config('config', {
      watchedResources: { secrets: ['db', 'test'] },
      matchLabels: { env: 'prod' },
      targets: [deployment('web')],
    });
    await s.operator();
    await s.adopted(web);
    await s.secret('test', { a: '2' });
    await s.rolled([web, 0]);
    await s.secret('db', { a: '2' });
    await s.rolled([web, 1]);
  }),

  scenario('row 12: targets in other namespaces reload only where these allow it', async (s) => {
    const open = await s.stage.createNamespace('open', {
      annotations: { 'reloader.stakater.com/allow-from': s.namespace },
    });
    const closed = await s.stage.createNamespace('closed');
    await s.secret('db', { a: '1' });
    const allowed = await s.deployment('web', { namespace: open });
    const denied = await s.deployment('web', { namespace: closed });
    const config = await s.config('config', {
      watchedResources: { secrets: ['db'] },
      targets: [deployment('web', { namespace: open }), deployment('web', { namespace: closed })],
    });
    await s.operator();
    await s.adopted(allowed);
    await s.secret('db', { a: '2' });
    await s.rolled([allowed, 1]);
    await s.rolled([denied, 0]);
    await s.stage.until('the refusal', () =>
      JSON.stringify(s.status(config).conditions ?? []).includes('CrossNamespaceDenied'),
    );
    await s.counted(config, 1);
  }),

  scenario('row 12: --allow-cross-namespace allows all', async (s) => {
    const other = await s.stage.createNamespace('other');
    await s.secret('db', { a: '1' });
    const web = await s.deployment('web', { namespace: other });
    await s.config('config', {
      watchedResources: { secrets: ['db'] },
      targets: [deployment('web', { namespace: other })],
    });
    await s.operator({ args: ['--allow-cross-namespace'] });
    await s.adopted(web);
    await s.secret('db', { a: '2' });
    await s.rolled([web, 1]);
  }),

  scenario('row 15: autoReloadAll reloads the targets that use the source, and only these', async (s) => {
    await s.secret('db', { a: '1' });
    await s.configMap('settings', { a: '1' });
    const web = await s.deployment('web', { uses: [{ secret: 'db' }] });
    const api = await s.deployment('api', { uses: [{ configMap: 'settings' }] });
    const config = await s.config('config', {
      autoReloadAll: true,
      targets: [deployment('web'), deployment('api')],
    });
    await s.operator();
    await s.adopted(web, api);
    await s.secret('db', { a: '2' });
    await s.rolled([web, 1], [api, 0]);
    await s.configMap('settings', { a: '2' });
    await s.rolled([web, 1], [api, 1]);
    await s.counted(config, 2);
  }),

  scenario('row 15: autoReloadAll without targets says so in a condition', async (s) => {
    const config = await s.config('config', { autoReloadAll: true });
    await s.operator();
    await s.stage.until('a condition about targets', () =>
      /target/i.test(JSON.stringify(s.status(config).conditions ?? [])),
    );
  }),

  scenario(
    'row 16: enableTargetedReload with requireReference reloads only workloads that refer to the source',
    async (s) => {
      await s.secret('a', { x: '1' });
      await s.secret('b', { x: '1' });
      const onA = await s.deployment('on-a', { uses: [{ secret: 'a' }] });
      const onB = await s.deployment('on-b', { uses: [{ secret: 'b' }] });
      const free = await s.deployment('free', { uses: [{ secret: 'b' }] });
      await s.config('config', {
        watchedResources: { secrets: ['a', 'b'], enableTargetedReload: true },
        targets: [
          deployment('on-a', { requireReference: true }),
          deployment('on-b', { requireReference: true }),
          deployment('free'),
        ],
      });
      await s.operator();
      await s.adopted(onA, onB, free);
      await s.secret('a', { x: '2' });
      await s.rolled([onA, 1], [onB, 0], [free, 1]);
      await s.secret('b', { x: '2' });
      await s.rolled([onA, 1], [onB, 1], [free, 2]);
    },
  ),

  scenario('row 16: requireReference without enableTargetedReload restricts nothing', async (s) => {
    await s.secret('a', { x: '1' });
    const web = await s.deployment('web');
    await s.config('config', {
      watchedResources: { secrets: ['a'] },
      targets: [deployment('web', { requireReference: true })],
    });
    await s.operator();
    await s.adopted(web);
    await s.secret('a', { x: '2' });
    await s.rolled([web, 1]);
  }),

  scenario('row 20: each target has its own strategy', async (s) => {
    await s.secret('db', { a: '1' });
    const byVariable = await s.deployment('by-variable', { uses: [{ secret: 'db' }] });
    const byAnnotation = await s.deployment('by-annotation', { uses: [{ secret: 'db' }] });
    await s.config('config', {
      watchedResources: { secrets: ['db'] },
      reloadStrategy: 'env-vars',
      targets: [deployment('by-variable'), deployment('by-annotation', { reloadStrategy: 'annotations' })],
    });
    await s.operator();
    await s.adopted(byVariable, byAnnotation);
    await s.secret('db', { a: '2' });
    await s.rolled([byVariable, 1], [byAnnotation, 1]);
    expect(s.env(byVariable)).toHaveProperty('STAKATER_DB_SECRET');
    expect(s.env(byAnnotation)).toEqual({});
    expect(s.template(byAnnotation).metadata?.annotations).toHaveProperty([LAST_RELOADED_FROM]);
  }),

  scenario('row 21: the global strategy applies where the spec is silent, for annotations too', async (s) => {
    await s.secret('db', { a: '1' });
    const target = await s.deployment('target', { uses: [{ secret: 'db' }] });
    const annotated = await s.deployment('annotated', {
      annotations: { auto: 'true' },
      uses: [{ secret: 'db' }],
    });
    const explicit = await s.deployment('explicit', { uses: [{ secret: 'db' }] });
    await s.config('silent', { watchedResources: { secrets: ['db'] }, targets: [deployment('target')] });
    await s.config('loud', {
      watchedResources: { secrets: ['db'] },
      reloadStrategy: 'env-vars',
      targets: [deployment('explicit')],
    });
    await s.operator({ args: ['--reload-strategy=annotations'] });
    await s.adopted(target, annotated, explicit);
    await s.secret('db', { a: '2' });
    await s.rolled([target, 1], [annotated, 1], [explicit, 1]);
    expect([s.env(target), s.env(annotated)]).toEqual([{}, {}]);
    expect(s.env(explicit)).toHaveProperty('STAKATER_DB_SECRET');
  }),

  scenario('row 29: ignoreResources leaves a source out, in one namespace or in all', async (s) => {
    await s.secret('db', { a: '1' });
    await s.configMap('settings', { a: '1' });
    await s.configMap('elsewhere', { a: '1' });
    const web = await s.deployment('web');
    await s.config('config', {
      watchedResources: { secrets: ['db'], configMaps: ['settings', 'elsewhere'] },
      ignoreResources: [
        { kind: 'Secret', name: 'db' },
        { kind: 'ConfigMap', name: 'settings', namespace: s.namespace },
        { kind: 'ConfigMap', name: 'elsewhere', namespace: 'another' },
      ],
      targets: [deployment('web')],
    });
    await s.operator();
    await s.adopted(web);
    await s.secret('db', { a: '2' });
    await s.configMap('settings', { a: '2' });
    await s.rolled([web, 0]);
    await s.configMap('elsewhere', { a: '2' });
    await s.rolled([web, 1]);
  }),

  scenario('row 29: a config with the ignore annotation does nothing', async (s) => {
    await s.secret('db', { a: '1' });
    const web = await s.deployment('web');
    const spec = { watchedResources: { secrets: ['db'] }, targets: [deployment('web')] };
    await s.config('config', spec, { annotations: { ignore: 'true' } });
    await s.operator();
    await s.stage.quiet();
    await s.secret('db', { a: '2' });
    await s.rolled([web, 0]);
  }),
];
