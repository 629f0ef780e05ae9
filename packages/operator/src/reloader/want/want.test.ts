import { describe, expect, it } from 'vitest';
import type { SourceRef } from '../model/source.ts';
import type { Want } from '../model/want.ts';
import { full } from './annotations.test.support.ts';
import { wantOf } from './want.ts';
import {
  configFacts,
  defaultSettings,
  fakeWorld,
  namespaceFacts,
  sourceFacts,
  targetFacts,
  usingPodSpec,
  workloadFacts,
} from './world.test.support.ts';

const CM = { kind: 'ConfigMap', name: 'settings' } as const;
const SECRET = { kind: 'Secret', name: 'db' } as const;

const keys = ({ sources }: Want): string[] => sources.map(({ key }) => key);
const rules = ({ unwanted }: Want): Record<string, string> =>
  Object.fromEntries(unwanted.map(({ ref, rule }) => [ref.name, rule]));
describe('what annotations ask for', () => {
  it('is what the template uses, with auto', () => {
    const workload = workloadFacts({
      annotations: full({ auto: 'true' }),
      podSpec: usingPodSpec(SECRET, CM),
    });
    const want = wantOf(
      workload,
      fakeWorld({ sources: [sourceFacts(CM), sourceFacts(SECRET)] }),
      defaultSettings(),
    );
    expect(want.sources).toMatchObject([
      {
        key: 'cm/settings',
        rule: 'auto',
        annotated: true,
        configs: [],
        container: 'app',
        state: { kind: 'present' },
      },
      { key: 'secret/db', rule: 'auto' },
    ]);
    expect(want.problems).toEqual([]);
  });

  it('is looked up by name: plain names never list a namespace', () => {
    const world = fakeWorld({ sources: [sourceFacts(CM)] });
    const workload = workloadFacts({ annotations: full({ 'cm.reload': 'settings', 'secret.auto': 'true' }) });
    expect(keys(wantOf(workload, world, defaultSettings()))).toEqual(['cm/settings']);
    expect(world.calls.get('sourcesIn')).toBeUndefined();
  });

  it("is none of the operator's own records, which change with every reload, whatever asks for them", () => {
    const records: Pick<SourceRef, 'kind' | 'name'>[] = [
      { kind: 'ConfigMap', name: 'reloader-history' },
      { kind: 'ConfigMap', name: 'reloader-history-shop.0' },
      { kind: 'ConfigMap', name: 'reloader-meta-info' },
      { kind: 'ConfigMap', name: 'reloader-notes-shop.0' },
      { kind: 'ConfigMap', name: 'reloader-digest-key' },
      { kind: 'Secret', name: 'reloader-digest-key' },
      { kind: 'Secret', name: 'reloader-job-643035c9-3922-43c5-a25b-9bfd01191647' },
    ];
    const others = [
      'reloader-history-notes',
      'reloader-jobs',
      'reloader-metrics-cert',
      'my-reloader-history',
    ];
    const namespace = 'reloader';
    const all = [...records, ...others.map((name) => ({ kind: 'ConfigMap', name }) as const)];
    const world = fakeWorld({
      sources: all.map((each) => sourceFacts({ ...each, namespace })),
      configs: [
        configFacts({
          namespace,
          configMaps: ['reloader-meta-info'],
          targets: [targetFacts({ namespace })],
        }),
      ],
    });
    const annotations = full({ 'cm.reload': '.*', 'secret.reload': '.*' });
    const want = wantOf(workloadFacts({ namespace, annotations }), world, defaultSettings());
    expect(keys(want)).toEqual(others.map((name) => `cm/${name}`).toSorted());
    expect(rules(want)).toEqual(Object.fromEntries(records.map(({ name }) => [name, 'own-record'])));
    const elsewhere = fakeWorld({ sources: all.map((each) => sourceFacts({ ...each, namespace: 'shop' })) });
    const there = workloadFacts({ namespace: 'shop', annotations });
    expect(wantOf(there, elsewhere, defaultSettings()).sources).toHaveLength(all.length);
  });

  it('is every name that an expression matches', () => {
    const names = ['web-a', 'web-b', 'other'];
    const world = fakeWorld({ sources: names.map((name) => sourceFacts({ name })) });
    const workload = workloadFacts({ annotations: full({ 'cm.reload': 'web-.*' }) });
    expect(keys(wantOf(workload, world, defaultSettings()))).toEqual(['cm/web-a', 'cm/web-b']);
  });

  it('includes a named source that does not exist, as gone', () => {
    const workload = workloadFacts({ annotations: full({ 'secret.reload': 'db,tls.example' }) });
    const { sources } = wantOf(workload, fakeWorld(), defaultSettings());
    expect(sources).toMatchObject([
      { key: 'secret/db', rule: 'named', state: { kind: 'gone' }, container: 'app' },
      { key: 'secret/tls.example', state: { kind: 'gone' } },
    ]);
  });

  it('leaves out a volume that no container mounts, unless it is named', () => {
    const podSpec = {
      volumes: [{ name: 'v', configMap: { name: 'settings' } }],
      containers: [{ name: 'app' }],
    };
    const world = fakeWorld({ sources: [sourceFacts(CM)] });
    const want = (annotations: Record<string, string>): Want =>
      wantOf(workloadFacts({ annotations: full(annotations), podSpec }), world, defaultSettings());
    expect(rules(want({ auto: 'true' }))).toEqual({ settings: 'not-used' });
    expect(keys(want({ 'cm.reload': 'settings' }))).toEqual(['cm/settings']);
  });

  it("keeps to the workload's own namespace", () => {
    const world = fakeWorld({ sources: [sourceFacts({ ...CM, namespace: 'elsewhere' })] });
    const workload = workloadFacts({ annotations: full({ 'cm.reload': '.*' }) });
    expect(keys(wantOf(workload, world, defaultSettings()))).toEqual([]);
  });

  it('leaves out kinds that a flag ignores, and SecretProviderClasses without CSI', () => {
    const workload = workloadFacts({
      annotations: full({ auto: 'true' }),
      podSpec: usingPodSpec(CM, SECRET, { kind: 'SecretProviderClass', name: 'vault' }),
    });
    const ignoring = defaultSettings({ ignoredSources: new Set(['Secret'] as const) });
    const want = wantOf(workload, fakeWorld(), ignoring);
    expect(keys(want)).toEqual(['cm/settings']);
    expect(rules(want)).toEqual({ db: 'kind-ignored', vault: 'kind-ignored' });
    expect(keys(wantOf(workload, fakeWorld(), defaultSettings({ csi: true })))).toContain('spc/vault');
  });

  it('leaves out ConfigMaps of a PodConfigMapConfig, unless a setting includes them', () => {
    const world = fakeWorld({ sources: [sourceFacts({ ...CM, generated: true })] });
    const workload = workloadFacts({ annotations: full({ auto: 'true' }), podSpec: usingPodSpec(CM) });
    expect(rules(wantOf(workload, world, defaultSettings()))).toEqual({ settings: 'generated' });
    expect(keys(wantOf(workload, world, defaultSettings({ reloadOnGenerated: true })))).toEqual([
      'cm/settings',
    ]);
  });

  it('follows the flags for creation and deletion', () => {
    const workload = workloadFacts({ annotations: full({ 'cm.reload': 'settings' }) });
    const want = wantOf(workload, fakeWorld(), defaultSettings({ reloadOnCreate: true }));
    expect(want.sources).toMatchObject([{ reloadOnCreate: true, reloadOnDelete: false }]);
  });

  it('names a bad expression and an unknown kind once, and goes on', () => {
    const workload = workloadFacts({
      annotations: full({ 'cm.reload': '(,settings', auto: 'true', match: 'pods' }),
    });
    const want = wantOf(workload, fakeWorld(), defaultSettings());
    expect(want.problems).toMatchObject([
      { field: 'configmap.reloader.stakater.com/reload', reason: 'InvalidExpression' },
      { field: 'reloader.stakater.com/match', reason: 'UnknownKind' },
    ]);
    expect(want.problems[0]?.message).toContain('"("');
    expect(want.problems[1]?.message).toContain('"pods"');
    expect(keys(want)).toEqual(['cm/settings']);
  });
});

describe('match on a workload', () => {
  it.each([
    ['true', 0],
    ['false', 0],
    ['configmap|Secret', 0],
    ['configmap|pods', 1],
  ])('of %j gives %i problems', (match, count) => {
    const workload = workloadFacts({ annotations: full({ auto: 'true', match }) });
    expect(wantOf(workload, fakeWorld(), defaultSettings()).problems).toHaveLength(count);
  });
});

describe('a source that is gone or cannot be read', () => {
  const gone = { kind: 'gone' } as const;
  const world = (state: 'gone' | 'unknown', words?: Record<string, string>) =>
    fakeWorld({
      states: {
        'shop/Secret/db':
          state === 'unknown'
            ? { kind: 'unknown', why: 'forbidden' }
            : words
              ? { ...gone, last: { labels: {}, annotations: full(words) } }
              : gone,
      },
    });
  const searching = () =>
    workloadFacts({ annotations: full({ search: 'true' }), podSpec: usingPodSpec(SECRET) });
  const RECORDED = ['secret/db'];

  it('is judged by its last labels and annotations', () => {
    const settings = defaultSettings();
    expect(keys(wantOf(searching(), world('gone', { match: 'true' }), settings))).toEqual(['secret/db']);
    expect(rules(wantOf(searching(), world('gone', {}), settings))).toEqual({ db: 'not-selected' });
    expect(rules(wantOf(searching(), world('gone', { match: 'true', ignore: 'true' }), settings))).toEqual({
      db: 'source-ignored',
    });
  });

  it('had matched a search if it is recorded', () => {
    const settings = defaultSettings();
    for (const state of ['gone', 'unknown'] as const) {
      expect(keys(wantOf(searching(), world(state), settings, RECORDED))).toEqual(['secret/db']);
      expect(keys(wantOf(searching(), world(state), settings))).toEqual([]);
    }
  });

  it('is not wanted against its own last annotations, even if recorded', () => {
    expect(keys(wantOf(searching(), world('gone', {}), defaultSettings(), RECORDED))).toEqual([]);
  });

  it('stays wanted by an expression that had matched it', () => {
    const annotations = (list: string) => full({ 'secret.reload': list });
    const want = (list: string) =>
      wantOf(workloadFacts({ annotations: annotations(list) }), world('gone'), defaultSettings(), RECORDED);
    expect(want('d.').sources).toMatchObject([{ key: 'secret/db', state: { kind: 'gone' } }]);
    expect(keys(want('x.'))).toEqual([]);
  });

  it('stays wanted with its state unknown, so that nothing is concluded', () => {
    const workload = workloadFacts({ annotations: full({ auto: 'true' }), podSpec: usingPodSpec(SECRET) });
    expect(wantOf(workload, world('unknown'), defaultSettings()).sources).toMatchObject([
      { key: 'secret/db', state: { kind: 'unknown', why: 'forbidden' } },
    ]);
  });
});

describe('kinds of workloads', () => {
  const annotations = full({ auto: 'true' });
  const podSpec = usingPodSpec(SECRET);

  it('that a flag ignores want nothing, not even by a config', () => {
    const workload = workloadFacts({ kind: 'Job', annotations, podSpec });
    const config = configFacts({ secrets: ['db'], targets: [targetFacts({ kind: 'Job' })] });
    const settings = defaultSettings({ ignoredWorkloads: new Set(['Job'] as const) });
    const want = wantOf(workload, fakeWorld({ configs: [config] }), settings);
    expect(want.sources).toEqual([]);
    expect(rules(want)).toEqual({ db: 'kind-ignored' });
  });

  it('leave Jobs of CronJobs alone', () => {
    const job = (controlledBy: string | undefined) =>
      wantOf(
        workloadFacts({ kind: 'Job', annotations, podSpec, controlledBy }),
        fakeWorld(),
        defaultSettings(),
      );
    expect(keys(job('CronJob/nightly'))).toEqual([]);
    expect(keys(job('Workflow/nightly'))).toEqual(['secret/db']);
    expect(keys(job(undefined))).toEqual(['secret/db']);
  });

  it('count annotations of Rollouts only with their flag, and configs without', () => {
    const rollout = workloadFacts({ kind: 'Rollout', annotations, podSpec });
    const world = fakeWorld({ sources: [sourceFacts(SECRET)] });
    expect(keys(wantOf(rollout, world, defaultSettings({ argoRollouts: false })))).toEqual([]);
    expect(keys(wantOf(rollout, world, defaultSettings({ argoRollouts: true })))).toEqual(['secret/db']);
    const config = configFacts({ secrets: ['db'], targets: [targetFacts({ kind: 'Rollout' })] });
    const configured = fakeWorld({ sources: [sourceFacts(SECRET)], configs: [config] });
    expect(keys(wantOf(rollout, configured, defaultSettings({ argoRollouts: false })))).toEqual([
      'secret/db',
    ]);
  });

  it('take the template of the workload that a Rollout refers to', () => {
    const workloadRef = { kind: 'Deployment', namespace: 'shop', name: 'web' } as const;
    const rollout = workloadFacts({ kind: 'Rollout', name: 'canary', annotations, podSpec: {}, workloadRef });
    const deployment = workloadFacts({ podSpec });
    const want = wantOf(
      rollout,
      fakeWorld({ workloads: [deployment] }),
      defaultSettings({ argoRollouts: true }),
    );
    expect(want.sources).toMatchObject([{ key: 'secret/db', container: 'app' }]);
    expect(keys(wantOf(rollout, fakeWorld(), defaultSettings({ argoRollouts: true })))).toEqual([]);
  });

  it('without containers want nothing, named or not', () => {
    const workload = workloadFacts({ annotations: full({ 'secret.reload': 'db' }), podSpec: {} });
    const config = configFacts({ configMaps: ['settings'] });
    const want = wantOf(workload, fakeWorld({ configs: [config] }), defaultSettings());
    expect(want.sources).toEqual([]);
    expect(rules(want)).toEqual({ db: 'not-used', settings: 'not-used' });
  });
});

describe('annotations and configs together', () => {
  const workload = workloadFacts({ annotations: full({ auto: 'true' }), podSpec: usingPodSpec(SECRET) });

  it('want a source once, and the config decides about creation and deletion', () => {
    const config = configFacts({ secrets: ['db'], reloadOnCreate: false, reloadOnDelete: true });
    const settings = defaultSettings({ reloadOnCreate: true });
    const { sources } = wantOf(workload, fakeWorld({ configs: [config] }), settings);
    expect(sources).toMatchObject([
      { rule: 'auto', annotated: true, configs: ['shop/rules'], reloadOnCreate: false, reloadOnDelete: true },
    ]);
    expect(sources).toHaveLength(1);
  });

  it('follow the flags where the config says nothing', () => {
    const settings = defaultSettings({ reloadOnCreate: true });
    const { sources } = wantOf(
      workload,
      fakeWorld({ configs: [configFacts({ secrets: ['db'] })] }),
      settings,
    );
    expect(sources).toMatchObject([{ reloadOnCreate: true, reloadOnDelete: false }]);
  });

  it('want a source that only one of them wants', () => {
    const excluding = workloadFacts({
      annotations: full({ auto: 'true', 'secret.exclude': 'db' }),
      podSpec: usingPodSpec(SECRET),
    });
    const want = wantOf(
      excluding,
      fakeWorld({ configs: [configFacts({ secrets: ['db'] })] }),
      defaultSettings(),
    );
    expect(want.sources).toMatchObject([{ rule: 'config', annotated: false }]);
    expect(want.unwanted).toEqual([]);
  });

  it("report the config's reason if annotations have none", () => {
    const silent = workloadFacts({ podSpec: usingPodSpec(SECRET) });
    const ignoring = configFacts({
      secrets: ['db'],
      ignoreResources: [{ kind: 'Secret', name: 'db' }],
    });
    const want = wantOf(silent, fakeWorld({ configs: [ignoring] }), defaultSettings());
    expect(rules(want)).toEqual({ db: 'config-ignores' });
  });
});

describe('key level', () => {
  const podSpec = {
    containers: [{ name: 'app', env: [{ valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } }] }],
  };
  const want = (
    annotations: Record<string, string>,
    keyLevel = false,
    namespace: Record<string, string> = {},
  ): Want =>
    wantOf(
      workloadFacts({ annotations: full({ 'secret.reload': 'db,other', ...annotations }), podSpec }),
      fakeWorld({ namespaces: [namespaceFacts({ annotations: full(namespace) })] }),
      defaultSettings({ keyLevel, namespaceDefaults: true }),
    );

  it.each([
    ['off by default', {}, false, {}, undefined],
    ['by flag', {}, true, {}, ['password']],
    ['by annotation', { keys: 'used' }, false, {}, ['password']],
    ['off by annotation', { keys: 'all' }, true, {}, undefined],
    ['by the namespace', {}, false, { keys: 'used' }, ['password']],
    ['off by annotation against the namespace', { keys: 'all' }, false, { keys: 'used' }, undefined],
    ['as the flag says for an unknown word', { keys: 'some' }, true, {}, ['password']],
  ])('is %s', (_, annotations, flag, namespace, expected) => {
    expect(want(annotations, flag, namespace).sources[0]?.keys).toEqual(expected);
  });

  it('does not narrow a source that the pod does not use', () => {
    expect(want({ keys: 'used' }).sources[1]).toMatchObject({ key: 'secret/other', keys: undefined });
  });

  it('reports an unknown word', () => {
    expect(want({ keys: 'some' }).problems).toMatchObject([
      { field: 'reloader.stakater.com/keys', reason: 'UnknownValue' },
    ]);
  });
});
