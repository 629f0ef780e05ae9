/** Rows 13, 14, 17, 18 and 26: workloads that opt in by their own annotations. */
import { expect } from 'vitest';
import { LAST_RELOADED_FROM, ROLLED, TRIGGERED_AT } from '../names.ts';
import { scenario } from '../scenario.ts';

const used = [{ secret: 'db' }, { configMap: 'settings' }] as const;

/**
 * Each line: the workload's annotations, and whether a changed Secret `db` and a changed ConfigMap `settings` reload
 * it.
 */
const DECISIONS: readonly [
  name: string,
  annotations: Record<string, string>,
  secret: boolean,
  configMap: boolean,
][] = [
  ['nothing', {}, false, false],
  ['auto', { auto: 'true' }, true, true],
  ['auto-as-go-reads-it', { auto: 'T' }, true, true],
  ['auto-false', { auto: 'false' }, false, false],
  ['secret-auto', { 'secret/auto': 'true' }, true, false],
  ['configmap-auto', { 'configmap/auto': 'true' }, false, true],
  ['named', { 'secret/reload': 'db' }, true, false],
  ['named-in-list', { 'configmap/reload': 'a, settings ,b' }, false, true],
  ['named-by-regex', { 'secret/reload': 'd.', 'configmap/reload': 'set.*' }, true, true],
  ['named-regex-is-whole', { 'secret/reload': 'd' }, false, false],
  ['named-alternatives', { 'configmap/reload': 'x|ings' }, false, true],
  ['named-beats-auto-false', { auto: 'false', 'secret/reload': 'db' }, true, false],
  ['excluded', { auto: 'true', 'secrets.exclude.reloader.stakater.com/reload': 'db' }, false, true],
  [
    'exclude-beats-named',
    { 'secret/reload': 'db', 'secrets.exclude.reloader.stakater.com/reload': 'db' },
    false,
    false,
  ],
  ['search', { search: 'true' }, false, true],
  ['search-not-exactly', { search: 'True' }, false, false],
  ['ignored', { auto: 'true', ignore: 'true' }, false, false],
];

export const annotations = [
  scenario('row 13: annotations decide exactly as in Stakater Reloader', async (s) => {
    await s.secret('db', { password: 'one' });
    await s.configMap('settings', { mode: 'slow' }, { annotations: { match: 'true' } });
    const refs = await Promise.all(
      DECISIONS.map(([name, annotations]) => s.deployment(name, { annotations, uses: used })),
    );
    await s.operator();
    await s.stage.quiet();
    await s.secret('db', { password: 'two' });
    await s.rolled(
      ...DECISIONS.map(([, , secret], index) => [refs[index] ?? s.ref('', ''), secret ? 1 : 0] as const),
    );
    await s.configMap('settings', { mode: 'fast' }, { annotations: { match: 'true' } });
    await s.rolled(
      ...DECISIONS.map(
        ([, , secret, configMap], index) =>
          [refs[index] ?? s.ref('', ''), (secret ? 1 : 0) + (configMap ? 1 : 0)] as const,
      ),
    );
  }),

  scenario('row 13: the pod template speaks where the workload says nothing of that kind', async (s) => {
    await s.secret('db', { password: 'one' });
    await s.configMap('settings', { mode: 'slow' });
    const onTemplate = await s.deployment('on-template', {
      templateAnnotations: { auto: 'true' },
      uses: used,
    });
    const halved = await s.deployment('halved', {
      annotations: { 'configmap/auto': 'false' },
      templateAnnotations: { auto: 'true' },
      uses: used,
    });
    const excluded = await s.deployment('excluded', {
      templateAnnotations: { auto: 'true', 'secrets.exclude.reloader.stakater.com/reload': 'db' },
      uses: used,
    });
    await s.operator();
    await s.adopted(onTemplate, halved, excluded);
    await s.secret('db', { password: 'two' });
    await s.rolled([onTemplate, 1], [halved, 1], [excluded, 1]);
    await s.configMap('settings', { mode: 'fast' });
    await s.rolled([onTemplate, 2], [halved, 1], [excluded, 2]);
  }),

  scenario('row 13: auto needs a reference, and every way of referring is one', async (s) => {
    await s.secret('db', { key: 'one' });
    const ways = ['envFrom', 'env', 'volume', 'projected', 'init', 'init-volume'] as const;
    const refs = await Promise.all(
      ways.map((via) =>
        s.deployment(`by-${via.toLowerCase()}`, {
          annotations: { auto: 'true' },
          uses: [{ secret: 'db', via }],
        }),
      ),
    );
    const stranger = await s.deployment('stranger', { annotations: { auto: 'true' } });
    const named = await s.deployment('named', { annotations: { 'secret/reload': 'db' } });
    await s.operator();
    await s.adopted(named, ...refs);
    await s.secret('db', { key: 'two' });
    await s.rolled([stranger, 0], [named, 1], ...refs.map((ref) => [ref, 1] as const));
  }),

  scenario('row 13: with --auto-reload-all only an explicit no keeps a workload out', async (s) => {
    await s.secret('db', { password: 'one' });
    const silent = await s.deployment('silent', { uses: [{ secret: 'db' }] });
    const empty = await s.deployment('empty', { annotations: { auto: '' }, uses: [{ secret: 'db' }] });
    const out = await s.deployment('out', { annotations: { auto: 'false' }, uses: [{ secret: 'db' }] });
    const typed = await s.deployment('typed', {
      annotations: { 'secret/auto': 'nonsense' },
      uses: [{ secret: 'db' }],
    });
    await s.operator({ args: ['--auto-reload-all'] });
    await s.adopted(silent, empty);
    await s.secret('db', { password: 'two' });
    await s.rolled([silent, 1], [empty, 1], [out, 0], [typed, 0]);
  }),

  scenario('row 13: flags rename annotations', async (s) => {
    await s.secret('db', { password: 'one' });
    const renamed = await s.deployment('renamed', {
      annotations: { 'example.com/reload-me': 'true' },
      uses: [{ secret: 'db' }],
    });
    const usual = await s.deployment('usual', { annotations: { auto: 'true' }, uses: [{ secret: 'db' }] });
    await s.operator({ args: ['--auto-annotation=example.com/reload-me'] });
    await s.adopted(renamed);
    await s.secret('db', { password: 'two' });
    await s.rolled([renamed, 1], [usual, 0]);
  }),

  scenario('row 13: --resources-to-ignore and --ignored-workload-types', async (s) => {
    await s.secret('db', { password: 'one' });
    await s.configMap('settings', { mode: 'slow' });
    const web = await s.deployment('web', { annotations: { auto: 'true' }, uses: used });
    const nightly = await s.workload('CronJob', 'nightly', { annotations: { auto: 'true' }, uses: used });
    await s.operator({ args: ['--resources-to-ignore=secrets', '--ignored-workload-types=cronjobs'] });
    await s.adopted(web);
    await s.secret('db', { password: 'two' });
    await s.rolled([web, 0]);
    await s.configMap('settings', { mode: 'fast' });
    await s.rolled([web, 1]);
    expect(s.jobsOf(nightly)).toEqual([]);
  }),

  scenario(
    'row 14: annotation and config on one workload make one reload, by the settings of the config',
    async (s) => {
      await s.secret('db', { password: 'one' });
      const web = await s.deployment('web', { annotations: { auto: 'true' }, uses: [{ secret: 'db' }] });
      const config = await s.config('config', {
        watchedResources: { secrets: ['db'] },
        reloadStrategy: 'annotations',
        targets: [{ kind: 'Deployment', name: 'web' }],
      });
      await s.operator();
      await s.adopted(web);
      await s.secret('db', { password: 'two' });
      await s.rolled([web, 1]);
      expect(s.template(web).metadata?.annotations).toHaveProperty([LAST_RELOADED_FROM]);
      expect(s.env(web)).toEqual({});
      await s.counted(config, 1);
    },
  ),

  scenario(
    'row 14: two configs on one workload: one reload, counted by both, and a condition that says so',
    async (s) => {
      await s.secret('db', { password: 'one' });
      await s.configMap('settings', { mode: 'slow' });
      const web = await s.deployment('web', { uses: used });
      const targets = [{ kind: 'Deployment', name: 'web' }];
      const first = await s.config('first', {
        watchedResources: { secrets: ['db'] },
        reloadStrategy: 'annotations',
        targets,
      });
      await s.stage.quiet(2_000);
      const second = await s.config('second', {
        watchedResources: { secrets: ['db'], configMaps: ['settings'] },
        reloadStrategy: 'env-vars',
        targets,
      });
      await s.operator();
      await s.adopted(web);
      await s.secret('db', { password: 'two' });
      await s.rolled([web, 1]);
      expect(s.env(web), 'the older one decides how').toEqual({});
      await s.counted(first, 1);
      await s.counted(second, 1);
      await s.configMap('settings', { mode: 'fast' });
      await s.rolled([web, 2]);
      await s.counted(second, 2);
      await s.counted(first, 1);
      const told = JSON.stringify([s.status(first).conditions, s.status(second).conditions]);
      expect(told).toMatch(
        /(first|second).*Deployment\/web|Deployment\/web.*(first|second)|web.*(first|second)/,
      );
    },
  ),

  scenario(
    'row 17: env-vars writes the Stakater variable on the container that uses the source',
    async (s) => {
      await s.secret('app.secret-1', { password: 'one' });
      await s.configMap('settings', { a: '1', b: '2' });
      const web = await s.deployment('web', {
        annotations: { auto: 'true' },
        containers: 2,
        uses: [
          { secret: 'app.secret-1', container: 1 },
          { configMap: 'settings', via: 'volume', container: 1 },
        ],
        env: [{ name: 'MINE', value: 'stays' }],
      });
      await s.operator();
      await s.adopted(web);
      await s.secret('app.secret-1', { password: 'two' });
      await s.rolled([web, 1]);
      expect(Object.keys(s.env(web, 0))).toEqual(['MINE']);
      expect(s.env(web, 1)).toEqual({
        STAKATER_APP_SECRET_1_SECRET: expect.stringMatching(/^[0-9a-f]{40}$/),
      });
      await s.configMap('settings', { a: '1', b: '2', c: '3' });
      await s.rolled([web, 2]);
      await s.configMap('settings', { a: '1', b: '2' });
      await s.rolled([web, 3]);
      expect(s.env(web, 1)).toMatchObject({
        STAKATER_SETTINGS_CONFIGMAP: 'f83e99e324ba68ccc373a58ef1eb42f8ab88646a',
      });
      expect(s.env(web, 1), 'no config asked').not.toHaveProperty(TRIGGERED_AT);
    },
  ),

  scenario('row 17: a reload that a config asks for writes RELOADER_TRIGGERED_AT as well', async (s) => {
    await s.secret('db', { password: 'one' });
    const web = await s.deployment('web', { uses: [{ secret: 'db' }] });
    await s.config('config', {
      watchedResources: { secrets: ['db'] },
      reloadStrategy: 'env-vars',
      targets: [{ kind: 'Deployment', name: 'web' }],
    });
    await s.operator();
    await s.adopted(web);
    await s.secret('db', { password: 'two' });
    await s.rolled([web, 1]);
    expect(s.env(web)).toEqual({
      STAKATER_DB_SECRET: expect.stringMatching(/^[0-9a-f]{40}$/),
      [TRIGGERED_AT]: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/),
    });
  }),

  scenario(
    'row 18: the annotations strategy writes the source as JSON, in the order of Stakater',
    async (s) => {
      await s.configMap('settings', { test: 'slow' });
      const web = await s.deployment('web', {
        annotations: { auto: 'true' },
        uses: [{ configMap: 'settings' }],
      });
      await s.operator({ args: ['--reload-strategy=annotations'] });
      await s.adopted(web);
      await s.configMap('settings', { test: 'test' });
      await s.rolled([web, 1]);
      const annotations = s.template(web).metadata?.annotations ?? {};
      const text = annotations[LAST_RELOADED_FROM] ?? '';
      expect(Object.keys(JSON.parse(text) as object)).toEqual([
        'type',
        'name',
        'namespace',
        'hash',
        'containerRefs',
        'observedAt',
      ]);
      expect(JSON.parse(text)).toMatchObject({
        type: 'CONFIGMAP',
        name: 'settings',
        namespace: s.namespace,
        hash: 'b3cefbcce711f8574b0e66c41fc1dcf06eb5b6db',
        containerRefs: ['main'],
      });
      expect(annotations).toHaveProperty([ROLLED]);
      expect(s.env(web)).toEqual({});
    },
  ),

  scenario('row 26: match and kind on a workload restrict it to a kind of source', async (s) => {
    await s.secret('db', { password: 'one' });
    await s.configMap('settings', { mode: 'slow' });
    const both = await s.deployment('both', {
      annotations: { auto: 'true', match: 'configmap|secret' },
      uses: used,
    });
    const configMaps = await s.deployment('configmaps', {
      annotations: { auto: 'true', match: 'configmap' },
      uses: used,
    });
    const secrets = await s.deployment('secrets', {
      annotations: { auto: 'true', kind: 'secret' },
      uses: used,
    });
    const odd = await s.deployment('odd', { annotations: { auto: 'true', kind: 'pod' }, uses: used });
    await s.operator();
    await s.adopted(both, configMaps, secrets);
    await s.secret('db', { password: 'two' });
    await s.rolled([both, 1], [configMaps, 0], [secrets, 1]);
    await s.configMap('settings', { mode: 'fast' });
    await s.rolled([both, 2], [configMaps, 1], [secrets, 1]);
    await s.stage.until('a Warning about the unknown kind', () =>
      s.events(odd).some(({ type, message }) => type === 'Warning' && message.includes('pod')),
    );
  }),
];
