/** Rows 1, 2, 3, 27, 28, 29 and 31: which writes count as a change of a Secret or ConfigMap. */
import { expect } from 'vitest';
import type { Ref } from '../chronicle.ts';
import { scenario } from '../scenario.ts';
import type { Scene } from '../scene.ts';

const auto = { auto: 'true' };

/** A Deployment that uses a Secret and a ConfigMap, both created before it. */
async function webOn(s: Scene, name = 'web'): Promise<Ref> {
  return s.deployment(name, {
    annotations: auto,
    uses: [{ secret: 'db' }, { configMap: 'settings', via: 'volume' }],
  });
}

const target = { targets: [{ kind: 'Deployment', name: 'web' }], reloadOnCreate: true };
const CREATE = '--reload-on-create=true';

/** Rules that find a source only once it exists: before that, the workload has nothing to record. */
const FINDERS: readonly (readonly [by: string, args: readonly string[], ask: (s: Scene) => Promise<Ref>])[] =
  [
    ['an expression', [CREATE], (s) => s.deployment('web', { annotations: { 'configmap/reload': 'set.*' } })],
    [
      'search',
      [CREATE],
      (s) => s.deployment('web', { annotations: { search: 'true' }, uses: [{ configMap: 'settings' }] }),
    ],
    [
      'auto with a label selector of the operator',
      [CREATE, '--resource-label-selector=team=a'],
      (s) => s.deployment('web', { annotations: auto, uses: [{ configMap: 'settings' }] }),
    ],
    [
      'a resourceSelector',
      [],
      async (s) => {
        await s.config('config', {
          watchedResources: { resourceSelector: { matchLabels: { team: 'a' } } },
          ...target,
        });
        return s.deployment('web');
      },
    ],
    [
      'a namespaceSelector',
      [],
      async (s) => {
        const watchedResources = { configMaps: ['settings'], namespaceSelector: {} };
        await s.config('config', { watchedResources, ...target });
        return s.deployment('web');
      },
    ],
  ];
const found = { labels: { team: 'a' }, annotations: { match: 'true' } };

const created = FINDERS.flatMap(([by, args, ask]) => [
  ...['runs', 'is away'].map((operator) =>
    scenario(
      `row 27: with reload-on-create the first source that ${by} finds reloads once, made while the operator ${operator}`,
      async (s) => {
        // There is no record yet that the checks could compare with.
        s.allow.unexplained = true;
        const first = await s.operator({ args });
        const web = await ask(s);
        await s.stage.quiet(5_000, 1_200);
        if (operator === 'is away') await first.stop();
        await s.configMap('settings', { mode: 'slow' }, found);
        await s.stage.quiet(5_000, 1_200);
        const second = operator === 'is away' ? await s.operator({ args }) : first;
        await s.rolled([web, 1]);
        await second.kill();
        await s.operator({ args });
        await s.rolled([web, 1]);
      },
    ),
  ),
  scenario(
    `row 27: with reload-on-create a source older than its workload is adopted, by ${by}`,
    async (s) => {
      await s.operator({ args });
      await s.configMap('settings', { mode: 'slow' }, found);
      const web = await ask(s);
      await s.rolled([web, 0]);
    },
  ),
]);

export const sources = [
  ...created,

  scenario('row 1: a Secret reloads by its content, and metadata edits do not', async (s) => {
    await s.secret('db', { password: 'one' });
    const web = await s.deployment('web', { annotations: auto, uses: [{ secret: 'db' }] });
    await s.operator();
    await s.adopted(web);
    await s.merge(s.ref('Secret', 'db'), {
      metadata: { labels: { team: 'a' }, annotations: { 'example.com/x': '1' } },
    });
    await s.rolled([web, 0]);
    await s.secret('db', { password: 'two' });
    await s.rolled([web, 1]);
    await s.secret('db', { password: 'two', more: 'x' });
    await s.rolled([web, 2]);
  }),

  scenario("row 1: contents that Stakater's hash cannot tell apart reload", async (s) => {
    await s.secret('db', { a: '1;b=2' });
    await s.configMap('settings', { a: '1;b=2' });
    const web = await webOn(s);
    await s.operator();
    await s.adopted(web);
    await s.configMap('settings', { a: '1', b: '2' });
    await s.rolled([web, 1]);
  }),

  scenario('row 2: a ConfigMap reloads by data and by binaryData', async (s) => {
    await s.configMap('settings', { mode: 'slow' });
    const web = await s.deployment('web', {
      annotations: auto,
      uses: [{ configMap: 'settings', via: 'volume' }],
    });
    await s.operator();
    await s.adopted(web);
    await s.configMap('settings', { mode: 'fast' });
    await s.rolled([web, 1]);
    await s.configMap('settings', { mode: 'fast' }, { binary: { logo: 'AAEC' } });
    await s.rolled([web, 2]);
    await s.configMap('settings', { mode: 'fast' }, { binary: { logo: 'AAED' } });
    await s.rolled([web, 3]);
  }),

  scenario('row 3: installing restarts nothing, and changes during a downtime reload once', async (s) => {
    await s.secret('db', { password: 'one' });
    await s.configMap('settings', { mode: 'slow' });
    const web = await webOn(s);
    const other = await s.deployment('other', { annotations: auto, uses: [{ configMap: 'settings' }] });
    const first = await s.operator();
    await s.adopted(web, other);
    await s.rolled([web, 0], [other, 0]);
    await first.stop();
    await s.secret('db', { password: 'two' });
    await s.secret('db', { password: 'three' });
    const second = await s.operator();
    await s.rolled([web, 1], [other, 0]);
    await second.kill();
    await s.configMap('settings', { mode: 'fast' });
    const third = await s.operator();
    await s.rolled([web, 2], [other, 1]);
    await third.stop();
    await s.operator();
    await s.rolled([web, 2], [other, 1]);
  }),

  scenario('row 3: what changed and changed back during a downtime reloads nothing', async (s) => {
    await s.secret('db', { password: 'one' });
    const web = await s.deployment('web', { annotations: auto, uses: [{ secret: 'db' }] });
    const first = await s.operator();
    await s.adopted(web);
    await first.kill();
    await s.secret('db', { password: 'two' });
    await s.secret('db', { password: 'one' });
    await s.operator();
    await s.rolled([web, 0]);
  }),

  scenario(
    'row 27: without reload-on-create a new source reloads nothing, and its next change does',
    async (s) => {
      const web = await webOn(s);
      await s.configMap('other', {});
      await s.operator();
      await s.adopted(web);
      await s.secret('db', { password: 'one' });
      await s.configMap('settings', { mode: 'slow' });
      await s.rolled([web, 0]);
      await s.merge(s.ref('Secret', 'db'), { metadata: { labels: { touched: 'yes' } } });
      await s.rolled([web, 0]);
      await s.secret('db', { password: 'two' });
      await s.rolled([web, 1]);
    },
  ),

  scenario(
    'row 27: with reload-on-create a new source reloads once, and a restart does not repeat it',
    async (s) => {
      const args = ['--reload-on-create=true'];
      const web = await s.deployment('web', { annotations: auto, uses: [{ secret: 'db' }] });
      const first = await s.operator({ args });
      await s.adopted(web);
      await s.secret('db', { password: 'one' });
      await s.rolled([web, 1]);
      await first.kill();
      await s.operator({ args });
      await s.rolled([web, 1]);
    },
  ),

  scenario(
    'row 28: without reload-on-delete a deletion reloads nothing, and neither does the same content back',
    async (s) => {
      await s.secret('db', { password: 'one' });
      const web = await s.deployment('web', { annotations: auto, uses: [{ secret: 'db' }] });
      await s.operator();
      await s.adopted(web);
      await s.remove('Secret', 'db');
      await s.rolled([web, 0]);
      await s.secret('db', { password: 'one' });
      await s.rolled([web, 0]);
      await s.remove('Secret', 'db');
      await s.stage.quiet();
      await s.secret('db', { password: 'two' });
      await s.rolled([web, 1]);
    },
  ),

  scenario('row 28: with --recreate=ignore other content after a deletion reloads nothing', async (s) => {
    await s.secret('db', { password: 'one' });
    const web = await s.deployment('web', { annotations: auto, uses: [{ secret: 'db' }] });
    await s.operator({ args: ['--recreate=ignore'] });
    await s.adopted(web);
    await s.remove('Secret', 'db');
    await s.stage.quiet();
    await s.secret('db', { password: 'two' });
    await s.rolled([web, 0]);
    await s.secret('db', { password: 'three' });
    await s.rolled([web, 1]);
  }),

  scenario(
    'row 28: with reload-on-delete a deletion reloads once, ignore and match read from the last known object',
    async (s) => {
      await s.secret('db', { password: 'one' });
      await s.secret('quiet', { password: 'one' }, { annotations: { ignore: 'true' } });
      await s.configMap('found', { a: '1' }, { annotations: { match: 'true' } });
      const web = await s.deployment('web', { annotations: auto, uses: [{ secret: 'db' }] });
      const silent = await s.deployment('silent', { annotations: auto, uses: [{ secret: 'quiet' }] });
      const seeker = await s.deployment('seeker', {
        annotations: { search: 'true' },
        uses: [{ configMap: 'found' }],
      });
      await s.operator({ args: ['--reload-on-delete=true'] });
      await s.adopted(web, seeker);
      await s.remove('Secret', 'db');
      await s.remove('Secret', 'quiet');
      await s.remove('ConfigMap', 'found');
      await s.rolled([web, 1], [silent, 0], [seeker, 1]);
    },
  ),

  scenario('row 29: a source with the ignore annotation reloads nothing, not even by name', async (s) => {
    await s.secret('db', { password: 'one' }, { annotations: { ignore: 'true' } });
    await s.configMap('settings', { mode: 'slow' }, { annotations: { ignore: 'true' } });
    const byAuto = await webOn(s);
    const byName = await s.deployment('named', {
      annotations: { 'secret/reload': 'db', 'configmap/reload': 'settings' },
      uses: [{ secret: 'db' }],
    });
    const byConfig = await s.deployment('target', { uses: [{ secret: 'db' }] });
    await s.config('config', {
      watchedResources: { secrets: ['db'] },
      targets: [{ kind: 'Deployment', name: 'target' }],
    });
    await s.operator();
    await s.stage.quiet();
    await s.secret('db', { password: 'two' });
    await s.configMap('settings', { mode: 'fast' });
    await s.rolled([byAuto, 0], [byName, 0], [byConfig, 0]);
  }),

  scenario(
    'row 28: what was deleted, rolled out and is back as it was reloads with both flags',
    async (s) => {
      await s.configMap('settings', { mode: 'slow' });
      const web = await s.deployment('web', { annotations: auto, uses: [{ configMap: 'settings' }] });
      await s.operator({ args: ['--reload-on-create=true', '--reload-on-delete=true'] });
      await s.adopted(web);
      await s.remove('ConfigMap', 'settings');
      await s.rolled([web, 1]);
      await s.configMap('settings', { mode: 'slow' });
      await s.rolled([web, 2]);
    },
  ),

  scenario('row 31: only sources with the label reload, and the server sends no others', async (s) => {
    await s.secret('db', { password: 'one' }, { labels: { reload: 'yes' } });
    await s.secret('plain', { password: 'one' });
    const web = await s.deployment('web', { annotations: auto, uses: [{ secret: 'db' }] });
    const other = await s.deployment('other', { annotations: auto, uses: [{ secret: 'plain' }] });
    await s.operator({ args: ['--resource-label-selector=reload=yes'] });
    await s.adopted(web);
    await s.secret('db', { password: 'two' });
    await s.secret('plain', { password: 'two' });
    await s.rolled([web, 1], [other, 0]);
    // A Secret that no longer matches the selector is not a deletion, and matching again with the same content is no
    // change.
    await s.merge(s.ref('Secret', 'db'), { metadata: { labels: { reload: null } } });
    await s.rolled([web, 1]);
    await s.merge(s.ref('Secret', 'db'), { metadata: { labels: { reload: 'yes' } } });
    await s.rolled([web, 1]);
    await s.secret('db', { password: 'three' });
    await s.rolled([web, 2]);
    expect(s.rollouts(other)).toBe(0);
  }),

  scenario(
    'row 31: with a label selector, reload-on-delete tells a deletion from a removed label',
    async (s) => {
      const labels = { reload: 'yes' };
      for (const name of ['db', 'cache']) await s.secret(name, { password: 'one' }, { labels });
      const web = await s.deployment('web', { annotations: auto, uses: [{ secret: 'db' }] });
      const other = await s.deployment('other', { annotations: auto, uses: [{ secret: 'cache' }] });
      await s.operator({ args: ['--resource-label-selector=reload=yes', '--reload-on-delete=true'] });
      await s.adopted(web, other);
      await s.merge(s.ref('Secret', 'cache'), { metadata: { labels: { reload: null } } });
      await s.remove('Secret', 'db');
      await s.rolled([web, 1], [other, 0]);
      await s.secret('db', { password: 'two' }, { labels });
      await s.rolled([web, 2], [other, 0]);
    },
  ),
];
