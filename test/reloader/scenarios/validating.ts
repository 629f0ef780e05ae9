/** Invalid content is not rolled out, and corrected content is. */
import { expect } from 'vitest';
import type { Ref } from '../chronicle.ts';
import { scenario } from '../scenario.ts';
import type { Scene } from '../scene.ts';

const uses = [{ configMap: 'settings' }] as const;
const MINUTES = 60_000;

const told = (s: Scene, ref: Ref): string[] =>
  s
    .events(ref)
    .filter(({ reason }) => reason === 'InvalidChange')
    .map(({ message }) => message);

/** The number of lists of ConfigMaps so far. Once the operator watches, each read of a content is one list. */
const looks = async (s: Scene): Promise<number> =>
  (await s.stage.requests()).filter(
    ({ verb, resource, namespace }) =>
      verb === 'list' && resource === 'configmaps' && namespace === s.namespace,
  ).length;

const rules = [
  {
    source: { kind: 'ConfigMap', name: 'settings' },
    requiredKeys: ['app.yaml'],
    key: 'app.yaml',
    format: 'yaml',
    rule: 'self.workers <= 64',
    schema: { type: 'object', properties: { workers: { type: 'integer', minimum: 1 } } },
    message: 'workers must be 1 to 64',
  },
];

export const validating = [
  scenario('a content that breaks a rule is held, across restarts, and the fix goes through', async (s) => {
    await s.configMap('settings', { 'app.yaml': 'workers: 4' });
    const web = await s.deployment('web', { uses });
    const twin = await s.deployment('twin', { uses });
    const other = await s.deployment('other', { annotations: { auto: 'true' }, uses });
    const config = await s.config('config', {
      watchedResources: { configMaps: ['settings'] },
      targets: ['web', 'twin'].map((name) => ({ kind: 'Deployment', name })),
      validate: rules,
    });
    const operator = await s.operator();
    await s.adopted(web, twin, other);
    const before = await looks(s);
    await s.configMap('settings', { 'app.yaml': 'workers: 4711' });
    // A workload without a rule is not held.
    await s.rolled([other, 1]);
    await s.stage.until('the holds', () => told(s, web).length === 1 && told(s, twin).length === 1);
    const [message = ''] = told(s, web);
    expect(message).toContain(
      `The content of ConfigMap ${s.namespace}/settings is not what it has to be: key app.yaml: breaks the rule ` +
        `(spec.validate[0] of ReloaderConfig ${s.namespace}/config: "workers must be 1 to 64")`,
    );
    await s.conditionIs(config, 'InvalidChange', 'True', 'breaks the rule');
    expect(s.status(config).targetStatus?.[0]?.deferredReason).toBe('invalid');
    expect((await looks(s)) - before, 'one look for both').toBe(1);
    await s.annotate(web, { now: s.status(config).targetStatus?.[0]?.change ?? '' });
    await operator.kill();
    await s.operator();
    await s.stage.quiet(5 * MINUTES, 5_000);
    expect([s.rollouts(web), s.rollouts(twin)]).toEqual([0, 0]);
    const held = await looks(s);
    await s.configMap('settings', { 'app.yaml': 'workers: 0' });
    await s.stage.until('the next to be held', () => told(s, web).some((each) => each.includes('.workers')));
    expect(told(s, web).at(-1)).toContain('key app.yaml, .workers: must be at least 1');
    await s.rolled([other, 2]);
    await s.configMap('settings', { 'app.yaml': 'workers: 8' });
    await s.rolled([web, 1], [twin, 1], [other, 3]);
    expect((await looks(s)) - held, 'one for each content').toBe(2);
    await s.stage.until('the end', () => s.condition(config, 'InvalidChange') === undefined, MINUTES);
  }),

  scenario('annotations on a Secret say what it has to be', async (s) => {
    const annotations = { 'required-keys': 'user, password', format: 'db.properties=properties' };
    await s.secret('db', { user: 'a', password: 'one', 'db.properties': 'a' }, { annotations });
    const web = await s.deployment('web', { annotations: { auto: 'true' }, uses: [{ secret: 'db' }] });
    await s.operator();
    await s.adopted(web);
    await s.secret('db', { user: 'a', 'db.properties': '=\\u12' }, { annotations });
    await s.stage.until('the hold', () => told(s, web).length === 1);
    expect(told(s, web)[0]).toContain(
      'key password: is missing (annotation reloader.stakater.com/required-keys); and 1 more',
    );
    await s.secret('db', { user: 'a', password: 'two', 'db.properties': 'b' }, { annotations });
    await s.rolled([web, 1]);
  }),

  scenario('a rule that cannot be evaluated holds its own content and nothing else', async (s) => {
    await s.configMap('settings', { a: '1' });
    await s.configMap('colours', { a: '1' });
    const web = await s.deployment('web', { uses: [{ configMap: 'settings' }, { configMap: 'colours' }] });
    const config = await s.config('config', {
      watchedResources: { configMaps: ['settings', 'colours'] },
      targets: [{ kind: 'Deployment', name: 'web' }],
      validate: [
        {
          source: { kind: 'ConfigMap', name: 'settings' },
          key: 'a',
          format: 'yaml',
          schema: { $ref: '#/elsewhere' },
        },
      ],
    });
    await s.operator();
    await s.adopted(web);
    await s.conditionIs(
      config,
      'Degraded',
      'True',
      'spec.validate[0].schema: cannot be used: .$ref is no keyword',
    );
    await s.configMap('colours', { a: '2' });
    await s.rolled([web, 1]);
    await s.configMap('settings', { a: '2' });
    await s.stage.until('the hold', () => told(s, web).length === 1);
    expect(told(s, web)[0]).toContain('cannot be checked: schema cannot be used');
    s.allow.pending = true;
  }),
];
