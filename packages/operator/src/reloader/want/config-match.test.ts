import { parseSelector } from '@reloader/runtime';
import { describe, expect, it } from 'vitest';
import type { ConfigFacts } from '../model/config.ts';
import type { Want } from '../model/want.ts';
import { full } from './annotations.test.support.ts';
import { wantOf } from './want.ts';
import {
  configFacts,
  defaultSettings,
  type FakeWorldParts,
  fakeWorld,
  namespaceFacts,
  sourceFacts,
  targetFacts,
  usingPodSpec,
  workloadFacts,
} from './world.test.support.ts';

const DB = { kind: 'Secret', name: 'db' } as const;
const SETTINGS = { kind: 'ConfigMap', name: 'settings' } as const;
const keys = ({ sources }: Want): string[] => sources.map(({ key }) => key);
const rules = ({ unwanted }: Want): string[] => unwanted.map(({ ref, rule }) => `${ref.name} ${rule}`);

function want(
  config: Partial<ConfigFacts> | readonly ConfigFacts[],
  parts: FakeWorldParts & {
    workload?: Parameters<typeof workloadFacts>[0];
    settings?: object;
    recorded?: readonly string[];
  } = {},
): Want {
  const configs = Array.isArray(config) ? config : [configFacts(config as Partial<ConfigFacts>)];
  const workload = workloadFacts(parts.workload ?? {});
  return wantOf(workload, fakeWorld({ ...parts, configs }), defaultSettings(parts.settings), parts.recorded);
}

describe('the names of a config', () => {
  it('are wanted whether or not the pod uses them and they exist', () => {
    const { sources, configs } = want(
      { secrets: ['db'], configMaps: ['settings'] },
      { sources: [sourceFacts(SETTINGS)] },
    );
    expect(sources).toMatchObject([
      { key: 'cm/settings', rule: 'config', annotated: false, configs: ['shop/rules'], container: 'app' },
      { key: 'secret/db', state: { kind: 'gone' } },
    ]);
    expect(configs).toHaveLength(1);
  });

  it('are exact: no expressions, and a kind of their own', () => {
    const sources = [sourceFacts(DB), sourceFacts({ ...DB, name: 'dbx' })];
    expect(keys(want({ secrets: ['db.*'] }, { sources }))).toEqual(['secret/db.*']);
    expect(keys(want({ configMaps: ['db'] }, { sources }))).toEqual(['cm/db']);
  });

  it('may repeat, be odd or be empty', () => {
    const names = ['db', 'db', '', '__proto__', 'constructor'];
    expect(keys(want({ secrets: names }))).toEqual(['secret/__proto__', 'secret/constructor', 'secret/db']);
  });

  it('carry the mark on the container that uses them', () => {
    const podSpec = {
      containers: [{ name: 'proxy' }, { name: 'app', envFrom: [{ secretRef: { name: 'db' } }] }],
    };
    const { sources } = want({ secrets: ['db', 'other'] }, { workload: { podSpec } });
    expect(sources.map(({ container }) => container)).toEqual(['app', 'proxy']);
  });

  it('are not asked for by an ignored config, nor for another workload', () => {
    expect(want({ secrets: ['db'], ignored: true }).configs).toEqual([]);
    for (const target of [{ name: 'api' }, { kind: 'StatefulSet' as const }, { namespace: 'other' }])
      expect(keys(want({ secrets: ['db'], targets: [targetFacts(target)] }))).toEqual([]);
  });
});

describe('labels', () => {
  const sources = [
    sourceFacts({ ...DB, labels: { tier: 'data' } }),
    sourceFacts({ ...SETTINGS, labels: { tier: 'web' } }),
    sourceFacts({ name: 'plain' }),
  ];
  const data = parseSelector('tier=data');

  it('select alone', () => {
    expect(keys(want({ resourceSelector: data }, { sources }))).toEqual(['secret/db']);
    expect(keys(want({ resourceSelector: parseSelector('tier') }, { sources }))).toEqual([
      'cm/settings',
      'secret/db',
    ]);
    expect(keys(want({ resourceSelector: parseSelector('') }, { sources }))).toHaveLength(3);
  });

  it('filter beside names', () => {
    const both = want({ secrets: ['db'], configMaps: ['settings'], resourceSelector: data }, { sources });
    expect(keys(both)).toEqual(['secret/db']);
    expect(rules(both)).toEqual(['settings labels-differ']);
  });

  it('filter beside autoReloadAll', () => {
    const podSpec = usingPodSpec(SETTINGS);
    const all = want({ autoReloadAll: true, resourceSelector: data }, { sources, workload: { podSpec } });
    expect(keys(all)).toEqual([]);
    expect(rules(all)).toEqual(['settings labels-differ']);
  });

  it('of matchLabels must all be carried', () => {
    const config = { secrets: ['db'], configMaps: ['settings', 'plain'] };
    expect(keys(want({ ...config, matchLabels: { tier: 'web' } }, { sources }))).toEqual(['cm/settings']);
    expect(keys(want({ ...config, matchLabels: { tier: 'web', x: 'y' } }, { sources }))).toEqual([]);
    expect(keys(want({ ...config, matchLabels: { constructor: 'x' } }, { sources }))).toEqual([]);
  });

  it('of a missing source are ignored, unless its last labels are known', () => {
    const config = { secrets: ['db'], matchLabels: { tier: 'data' } };
    const gone = (labels: Record<string, string>) => ({
      states: { 'shop/Secret/db': { kind: 'gone', last: { labels, annotations: {} } } as const },
    });
    expect(keys(want(config))).toEqual(['secret/db']);
    expect(keys(want(config, gone({ tier: 'data' })))).toEqual(['secret/db']);
    expect(keys(want(config, gone({ tier: 'web' })))).toEqual([]);
  });

  it('count as matching for a deleted source that is in the record', () => {
    const recorded = ['secret/old'];
    expect(keys(want({ resourceSelector: data }, { sources, recorded }))).toEqual([
      'secret/db',
      'secret/old',
    ]);
    const relabelled = [sourceFacts({ ...DB, name: 'old' })];
    expect(keys(want({ resourceSelector: data }, { sources: relabelled, recorded }))).toEqual([]);
  });

  it('of an invalid selector select nothing', () => {
    const none = { matches: () => false, text: undefined };
    expect(keys(want({ resourceSelector: none }, { sources }))).toEqual([]);
  });
});

describe('autoReloadAll', () => {
  it('wants what this target references, and only that', () => {
    const podSpec = usingPodSpec(DB, SETTINGS);
    const sources = [sourceFacts(DB), sourceFacts(SETTINGS), sourceFacts({ name: 'unused' })];
    expect(keys(want({ autoReloadAll: true }, { sources, workload: { podSpec } }))).toEqual([
      'cm/settings',
      'secret/db',
    ]);
    expect(keys(want({ autoReloadAll: true }, { sources }))).toEqual([]);
  });

  it('includes a volume that no container mounts', () => {
    const podSpec = {
      volumes: [{ name: 'v', secret: { secretName: 'db' } }],
      containers: [{ name: 'app' }],
    };
    expect(keys(want({ autoReloadAll: true }, { workload: { podSpec } }))).toEqual(['secret/db']);
  });

  it('counts init containers', () => {
    const initContainers = [{ name: 'init', envFrom: [{ secretRef: { name: 'db' } }] }];
    const podSpec = { containers: [{ name: 'app' }], initContainers };
    expect(keys(want({ autoReloadAll: true }, { workload: { podSpec } }))).toEqual(['secret/db']);
  });

  it('adds to the names', () => {
    const podSpec = usingPodSpec(SETTINGS);
    expect(keys(want({ autoReloadAll: true, secrets: ['db'] }, { workload: { podSpec } }))).toEqual([
      'cm/settings',
      'secret/db',
    ]);
  });
});

describe('targeted reload', () => {
  const require = [targetFacts({ requireReference: true })];
  const podSpec = usingPodSpec(SETTINGS);
  const config = { secrets: ['db'], configMaps: ['settings'] };

  it.each([
    ['asks for a reference', true, require, ['cm/settings']],
    ['is off without the switch', false, require, ['cm/settings', 'secret/db']],
    ['is off without requireReference', true, [targetFacts()], ['cm/settings', 'secret/db']],
    [
      'is off where one entry of the target does not ask',
      true,
      [...require, targetFacts()],
      ['cm/settings', 'secret/db'],
    ],
  ])('%s', (_, enableTargetedReload, targets, expected) => {
    const result = want({ ...config, enableTargetedReload, targets }, { workload: { podSpec } });
    expect(keys(result)).toEqual(expected);
  });

  it('says why a source is left out', () => {
    const result = want(
      { ...config, enableTargetedReload: true, targets: require },
      { workload: { podSpec } },
    );
    expect(rules(result)).toEqual(['db not-used']);
  });
});

describe('what a config leaves out', () => {
  it.each([
    ['by kind and name', { kind: 'Secret', name: 'db' }, []],
    ['in its namespace', { kind: 'Secret', name: 'db', namespace: 'shop' }, []],
    ['with an empty namespace', { kind: 'Secret', name: 'db', namespace: '' }, []],
    ['not in another namespace', { kind: 'Secret', name: 'db', namespace: 'other' }, ['secret/db']],
    ['not another kind', { kind: 'ConfigMap', name: 'db' }, ['secret/db']],
    ['not another name', { kind: 'Secret', name: 'dbx' }, ['secret/db']],
  ] as const)('%s', (_, ignored, expected) => {
    expect(keys(want({ secrets: ['db'], ignoreResources: [ignored] }))).toEqual(expected);
  });

  it('is a source with the annotation ignore, also after its deletion', () => {
    const annotations = full({ ignore: 'true' });
    const present = want({ secrets: ['db'] }, { sources: [sourceFacts({ ...DB, annotations })] });
    expect(rules(present)).toEqual(['db source-ignored']);
    const state = { kind: 'gone', last: { labels: {}, annotations } } as const;
    expect(rules(want({ secrets: ['db'] }, { states: { 'shop/Secret/db': state } }))).toEqual([
      'db source-ignored',
    ]);
  });

  it('is a ConfigMap of a PodConfigMapConfig, and kinds that a flag ignores', () => {
    const sources = [sourceFacts({ ...SETTINGS, generated: true })];
    const config = { configMaps: ['settings'] };
    expect(rules(want(config, { sources }))).toEqual(['settings generated']);
    expect(keys(want(config, { sources, settings: { reloadOnGenerated: true } }))).toEqual(['cm/settings']);
    const settings = { ignoredSources: new Set(['ConfigMap']) };
    expect(rules(want(config, { settings }))).toEqual(['settings kind-ignored']);
  });

  it('is not left out of another config', () => {
    const strict = configFacts({
      secrets: ['db'],
      ignoreResources: [{ kind: 'Secret', name: 'db' }],
    });
    const both = want([strict, configFacts({ name: 'other', secrets: ['db'] })]);
    expect(both.sources).toMatchObject([{ configs: ['shop/other'] }]);
    expect(both.unwanted).toEqual([]);
  });
});

describe('two configs on one target', () => {
  const young = configFacts({ name: 'a', createdAt: 900, secrets: ['db', 'x'], reloadOnCreate: true });
  const old = configFacts({ name: 'b', createdAt: 100, secrets: ['db'], reloadOnCreate: false });

  it('are both listed, the oldest first, and their sources united', () => {
    const result = want([young, old]);
    expect(result.configs.map(({ metadata }) => metadata.name)).toEqual(['b', 'a']);
    expect(result.sources).toMatchObject([
      { key: 'secret/db', configs: ['shop/b', 'shop/a'], reloadOnCreate: false },
      { key: 'secret/x', configs: ['shop/a'], reloadOnCreate: true },
    ]);
  });

  it('are only those that name this workload and are not ignored', () => {
    const others = [
      configFacts({ name: 'ignored', ignored: true }),
      configFacts({ name: 'kind', targets: [targetFacts({ kind: 'StatefulSet' })] }),
      configFacts({ name: 'name', targets: [targetFacts({ name: 'api' })] }),
      configFacts({ name: 'namespace', targets: [targetFacts({ namespace: 'other' })] }),
      configFacts({ name: 'right' }),
    ];
    const generous = { ...fakeWorld(), configsFor: () => others };
    const { configs } = wantOf(workloadFacts(), generous, defaultSettings());
    expect(configs.map(({ metadata }) => metadata.name)).toEqual(['right']);
  });

  it('of the same age stand in the order of their names', () => {
    const world = fakeWorld();
    const twins = ['b', 'a', 'c'].map((name) => configFacts({ name, createdAt: 5 }));
    const unsorted = { ...world, configsFor: () => twins };
    const { configs } = wantOf(workloadFacts(), unsorted, defaultSettings());
    expect(configs.map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c']);
  });
});

describe('a namespaceSelector', () => {
  const team = { team: 'a' };
  const granted = full({ 'allow-from': 'x, shop' });
  const namespaces = [
    namespaceFacts({ name: 'shop', labels: team }),
    namespaceFacts({ name: 'vault', labels: team, annotations: granted }),
    namespaceFacts({ name: 'private', labels: team }),
    namespaceFacts({ name: 'open', annotations: granted }),
  ];
  const sources = ['shop', 'vault', 'private', 'open'].map((namespace) => sourceFacts({ ...DB, namespace }));
  const namespaceSelector = parseSelector('team=a');

  it('watches the names in the namespaces that it selects and that allow it', () => {
    const result = want({ secrets: ['db'], namespaceSelector }, { namespaces, sources });
    expect(keys(result)).toEqual(['secret/db', 'secret/vault/db']);
    expect(result.unwanted).toEqual([]);
  });

  it("leaves the config's own namespace out unless it selects it", () => {
    const elsewhere = parseSelector('kubernetes.io/metadata.name=vault');
    const labelled = namespaces.map((facts) => ({
      ...facts,
      labels: { 'kubernetes.io/metadata.name': facts.metadata.name },
    }));
    const config = { secrets: ['db'], namespaceSelector: elsewhere };
    expect(keys(want(config, { namespaces: labelled, sources }))).toEqual(['secret/vault/db']);
  });

  it('applies to the resourceSelector, too', () => {
    const config = { resourceSelector: parseSelector(''), namespaceSelector };
    expect(keys(want(config, { namespaces, sources }))).toEqual(['secret/db', 'secret/vault/db']);
  });

  it('takes all that it selects with --allow-cross-namespace', () => {
    const settings = { allowCrossNamespace: true };
    expect(keys(want({ secrets: ['db'], namespaceSelector }, { namespaces, sources, settings }))).toEqual([
      'secret/db',
      'secret/private/db',
      'secret/vault/db',
    ]);
  });

  it('does not want a missing source in each selected namespace, unless it was recorded', () => {
    const config = { secrets: ['db'], namespaceSelector };
    expect(keys(want(config, { namespaces }))).toEqual([]);
    expect(keys(want(config, { namespaces, recorded: ['secret/vault/db'] }))).toEqual(['secret/vault/db']);
  });

  it('never takes a source of another namespace for one that the pod uses', () => {
    const env = [{ valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } }];
    const podSpec = { containers: [{ name: 'proxy' }, { name: 'app', env }] };
    const workload = { podSpec, annotations: full({ keys: 'used' }) };
    const targeted = want(
      {
        secrets: ['db'],
        namespaceSelector,
        enableTargetedReload: true,
        targets: [targetFacts({ requireReference: true })],
      },
      { namespaces, sources, workload },
    );
    expect(keys(targeted)).toEqual(['secret/db']);
    const { sources: wanted } = want(
      { secrets: ['db'], namespaceSelector },
      { namespaces, sources, workload },
    );
    expect(wanted.map(({ container }) => container)).toEqual(['app', 'proxy']);
    expect(wanted.map((each) => each.keys)).toEqual([['password'], undefined]);
  });
});

describe('a target in another namespace', () => {
  const config = configFacts({ namespace: 'ops', secrets: ['db'] });
  const grant = (text: string) => [namespaceFacts({ annotations: full({ 'allow-from': text }) })];

  it.each([
    ['is denied without a grant', [namespaceFacts()], false, 0],
    ['is denied where the Namespace cannot be read', [], false, 0],
    ['is denied by a grant to others', grant('opsx,dev'), false, 0],
    ['is granted by its namespace', grant('dev, ops'), false, 1],
    ['is granted by the flag', [namespaceFacts()], true, 1],
  ])('%s', (_, namespaces, allowCrossNamespace, configs) => {
    const result = want([config], { namespaces, settings: { allowCrossNamespace } });
    expect(result.configs).toHaveLength(configs);
    // Names refer to sources in the config's own namespace.
    expect(keys(result)).toEqual(configs === 1 ? ['secret/ops/db'] : []);
  });

  it('wants with autoReloadAll what it references in its own namespace', () => {
    const all = configFacts({ namespace: 'ops', autoReloadAll: true });
    const workload = { podSpec: usingPodSpec(DB) };
    expect(keys(want([all], { namespaces: grant('ops'), workload }))).toEqual(['secret/db']);
  });
});
