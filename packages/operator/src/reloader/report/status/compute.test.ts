import { parseSelector } from '@reloader/runtime';
import { describe, expect, test } from 'vitest';
import type { ReloaderConfigStatus } from '../../../crds/reloader-config.ts';
import { ruleWith } from '../../../validate/check.test.support.ts';
import { present } from '../../decide/decide.test.support.ts';
import type { ConfigFacts } from '../../model/config.ts';
import { configIdOf } from '../../model/counted.ts';
import type { KeyPlace } from '../../model/key-place.ts';
import type { Policy } from '../../model/want.ts';
import {
  configFacts,
  defaultSettings,
  type FakeWorldParts,
  fakeWorld,
  namespaceFacts,
  sourceFacts,
  targetFacts,
  workloadFacts,
} from '../../want/world.test.support.ts';
import { aboutDigestKey } from '../digest-key.ts';
import { fakeView, later, reloadedWorkload, START, START_S, viewOf, wantOf } from '../report.test.support.ts';
import type { WorkloadView } from '../reporter.ts';
import { type ComputedStatus, computeStatus, type StatusInput } from './compute.ts';

interface Scene extends FakeWorldParts {
  readonly config?: ConfigFacts;
  readonly before?: ReloaderConfigStatus;
  readonly views?: readonly WorkloadView[];
  readonly made?: StatusInput['made'];
  readonly settings?: Partial<StatusInput['settings']>;
  readonly now?: number;
  readonly rolling?: boolean;
  readonly keyPlace?: KeyPlace;
}

const SECRET = sourceFacts({ kind: 'Secret', name: 'credentials', digest: 'secretdigest' });
const config = (overrides: Parameters<typeof configFacts>[0] = {}): ConfigFacts =>
  configFacts({ secrets: ['credentials'], ...overrides });

function compute(scene: Scene = {}): ComputedStatus {
  const own = scene.config ?? config();
  const world = fakeWorld({
    sources: [SECRET],
    workloads: [workloadFacts()],
    configs: [own],
    namespaces: [namespaceFacts()],
    ...scene,
  });
  return computeStatus({
    alertFailures: [],
    installation: aboutDigestKey(scene.keyPlace),
    config: own,
    before: scene.before ?? {},
    world,
    view: fakeView(
      ...(scene.workloads ?? [workloadFacts()]).map((facts) => viewOf(facts)),
      ...(scene.views ?? []),
    ),
    settings: defaultSettings(scene.settings),
    made: scene.made ?? [],
    isRolling: () => scene.rolling ?? false,
    now: scene.now ?? START,
  });
}

const GOOD = [
  'Available=True/Reconciled',
  'Ready=True/Reconciled',
  'Progressing=False/Reconciled',
  'Degraded=False/Reconciled',
];

/** `Available=True/Reconciled` */
const said = ({ status }: Pick<ComputedStatus, 'status'>): string[] =>
  (status.conditions ?? []).map(({ type, status: holds, reason }) => `${type}=${holds}/${reason}`);
const messageOf = ({ status }: ComputedStatus, type: string): string | undefined =>
  status.conditions?.find((condition) => condition.type === type)?.message;

describe('the digest key', () => {
  test.each([
    ['config-map', 'stands in a ConfigMap'],
    ['process', 'is kept in memory'],
    ['none', '--digest=sha1 asks for plain digests'],
  ] as const)('that is weak (%s) is a condition, and nothing is degraded by it', (keyPlace, words) => {
    const computed = compute({ keyPlace });
    expect(said(computed)).toContain('WeakDigestKey=True/WeakDigestKey');
    expect(said(computed)).toContain('Degraded=False/Reconciled');
    expect(messageOf(computed, 'WeakDigestKey')).toContain(words);
    const healed = compute({ keyPlace: 'secret', before: computed.status });
    expect(said(healed).join()).not.toContain('WeakDigestKey');
  });
});

describe('a source that many targets use', () => {
  const names = ['a', 'b', 'c'];
  const workloads = names.map((name) => workloadFacts({ name }));
  const targets = names.map((name) => targetFacts({ name }));
  const many = (budgets: Policy['budgets'], warnFanOut: number): ComputedStatus => {
    const own = config({ targets });
    const ref = { kind: 'Secret', namespace: 'shop', name: 'credentials' } as const;
    const sources = [
      present('credentials', 'x', { ref, key: 'secret/credentials', configs: ['shop/rules'] }),
    ];
    const want = wantOf({ sources, policies: { own: { ...wantOf().policy, budgets }, byConfig: [] } });
    const views = workloads.map((facts) => viewOf(facts, { want }));
    return compute({ config: own, workloads, views, settings: { warnFanOut } });
  };

  test('is told before it changes, with what limits it, and nothing is degraded by it', () => {
    const computed = many([], 2);
    expect(said(computed)).toContain('LargeFanOut=True/LargeFanOut');
    expect(said(computed)).toContain('Degraded=False/Reconciled');
    expect(messageOf(computed, 'LargeFanOut')).toMatch(
      /Secret shop\/credentials restarts 3 workloads at the same time .*--warn-fan-out=2.*maxConcurrent/,
    );
  });

  test.each<[string, Policy['budgets'], number]>([
    ['not more than wanted', [], 3],
    ['nobody wants to know', [], 0],
    ['a budget limits it', [{ name: 'two', limit: 2, has: () => true }], 2],
  ])('is not told where %s', (_, budgets, warnFanOut) => {
    expect(said(many(budgets, warnFanOut)).join()).not.toContain('LargeFanOut');
  });
});

describe('a config that works', () => {
  test('is available, with the hash of what it watches and its targets', () => {
    const computed = compute({ config: config({ generation: 3 }) });
    expect(said(computed)).toEqual(GOOD);
    expect(computed.status).toMatchObject({
      observedGeneration: 3,
      watchedResourceHashes: { 'shop/Secret/credentials': 'secretdigest' },
      reloadCount: 0,
      targetsFound: '1/1',
      targetStatus: [{ kind: 'Deployment', name: 'web', namespace: 'shop', reloadCount: 0 }],
    });
    expect(computed.status.conditions?.every(({ observedGeneration }) => observedGeneration === 3)).toBe(
      true,
    );
  });

  test('does not change when nothing changes, whatever the time', () => {
    const { status } = compute();
    expect(compute({ before: status, now: START + 3_600_000 }).status).toEqual(status);
  });

  test('forgets hashes and targets that the spec no longer names', () => {
    const { status } = compute({
      before: {
        watchedResourceHashes: { 'shop/Secret/old': 'x' },
        targetStatus: [{ kind: 'Deployment', name: 'old', namespace: 'shop', reloadCount: 3 }],
        reloadCount: 3,
      },
    });
    expect(Object.keys(status.watchedResourceHashes ?? {})).toEqual(['shop/Secret/credentials']);
    expect(status.targetStatus?.map(({ name }) => name)).toEqual(['web']);
    expect(status.reloadCount).toBe(3);
  });

  test.each<[name: string, overrides: Parameters<typeof config>[0], filtered: RegExp | undefined]>([
    ['matchLabels that it has', { matchLabels: { reload: 'yes' } }, undefined],
    [
      'matchLabels that it has not',
      { matchLabels: { reload: 'no' } },
      /^Secret shop\/credentials: it does not carry the label reload: no that spec\.matchLabels asks for$/,
    ],
    ['a selector that it matches', { resourceSelector: parseSelector('reload=yes') }, undefined],
    [
      'a selector that it does not match',
      { resourceSelector: parseSelector('!reload') },
      /^Secret shop\/credentials: its labels do not match spec\.watchedResources\.resourceSelector$/,
    ],
    [
      'ignoreResources that name it',
      { ignoreResources: [{ kind: 'Secret', name: 'credentials' }] },
      /^Secret shop\/credentials: spec\.ignoreResources leaves it out$/,
    ],
    [
      'ignoreResources for elsewhere',
      { ignoreResources: [{ kind: 'Secret', name: 'credentials', namespace: 'b' }] },
      undefined,
    ],
  ])('shows a named source only if it counts, and says why not: %s', (_name, overrides, filtered) => {
    const other = sourceFacts({ name: 'settings', digest: 'cmdigest', labels: overrides?.matchLabels ?? {} });
    const computed = compute({
      config: config({ configMaps: ['settings'], ...overrides }),
      sources: [
        { ...SECRET, labels: { reload: 'yes' } },
        { ...other, labels: { ...other.labels } },
      ],
    });
    const isListed = 'shop/Secret/credentials' in (computed.status.watchedResourceHashes ?? {});
    expect(isListed).toBe(filtered === undefined);
    if (!filtered) {
      expect(messageOf(computed, 'SourceFiltered') ?? '').not.toContain('Secret shop/credentials');
      return;
    }
    expect(messageOf(computed, 'SourceFiltered')).toMatch(filtered);
    expect(said(computed)).toContain('Degraded=False/Reconciled');
    expect(messageOf(computed, 'Degraded')).toMatch(/^Everything was found; not watched: Secret shop/);
    expect(said(computed)).toContain('Ready=True/Reconciled');
  });

  test.each<
    [name: string, source: Parameters<typeof sourceFacts>[0], settings: Scene['settings'], why: string]
  >([
    [
      'its own annotation',
      { annotations: { 'reloader.stakater.com/ignore': 'true' } },
      {},
      'it carries the annotation reloader.stakater.com/ignore: "true"',
    ],
    ['a flag', {}, { ignoredSources: new Set(['Secret']) }, '--resources-to-ignore leaves out Secrets'],
    ['its maker', { generated: true }, {}, 'a PodConfigMapConfig made it: --reload-on-generated'],
  ])('names what keeps a source out beside the spec: %s', (_name, source, settings, why) => {
    const secret = sourceFacts({ kind: 'Secret', name: 'credentials', ...source });
    const computed = compute({ sources: [secret], ...(settings && { settings }) });
    expect(messageOf(computed, 'SourceFiltered')).toContain(why);
    expect(said(computed)).toContain('Available=False/NothingWatched');
  });

  test('a name that counts in one of several namespaces is left out of the others on purpose', () => {
    const namespaces = ['shop', 'b'].map((name) =>
      namespaceFacts({
        name,
        labels: { team: 'shop' },
        annotations: { 'reloader.stakater.com/allow-from': 'shop' },
      }),
    );
    const sources = ['shop', 'b'].map((namespace) =>
      sourceFacts({ kind: 'Secret', name: 'credentials', namespace, labels: { from: namespace } }),
    );
    const selecting = config({
      namespaceSelector: parseSelector('team=shop'),
      matchLabels: { from: 'b' },
    });
    const computed = compute({ config: selecting, namespaces, sources });
    expect(said(computed)).toEqual(GOOD);
  });

  test.each<[name: string, overrides: Parameters<typeof config>[0], message: string]>([
    [
      'requireReference alone',
      { targets: [targetFacts({ requireReference: true })] },
      'spec.targets[0].requireReference has no effect without watchedResources.enableTargetedReload: true',
    ],
    [
      'one target twice with different strategies',
      {
        targets: [
          targetFacts({ rolloutStrategy: 'rollout' }),
          targetFacts({ rolloutStrategy: 'restart', settleMs: 5 }),
        ],
      },
      'spec.targets[1] names Deployment web again with another rolloutStrategy, settle: of spec.targets[0] and this the first that says something counts',
    ],
    [
      'a name that is watched and ignored',
      { configMaps: ['settings'], ignoreResources: [{ kind: 'ConfigMap', name: 'settings' }] },
      'spec.ignoreResources[0] leaves out ConfigMap settings, which watchedResources names',
    ],
    [
      'a rule for a source that is neither watched nor there',
      {
        validate: [
          { source: undefined, rule: ruleWith({ requiredKeys: ['user'] }) },
          { source: { kind: 'Secret', name: 'credentails' }, rule: ruleWith({ requiredKeys: ['user'] }) },
        ],
      },
      'spec.validate[1].source names Secret credentails, which watchedResources does not: no reload is held by this rule',
    ],
  ])('what lint would say is a condition that harms nothing: %s', (_name, overrides, message) => {
    const computed = compute({ config: config(overrides) });
    expect(messageOf(computed, 'QuestionableSpec')).toBe(message);
    expect(said(computed)).toContain('Ready=True/Reconciled');
    expect(said(compute({ before: computed.status })).join()).not.toContain('QuestionableSpec');
  });

  test('keeps the last hash of a source of which nothing is known for a while', () => {
    const { status } = compute();
    const states = { 'shop/Secret/credentials': { kind: 'unknown' as const, why: 'not in sync' } };
    const { watchedResourceHashes } = compute({ before: status, states }).status;
    expect(watchedResourceHashes).toEqual({ 'shop/Secret/credentials': 'secretdigest' });
  });

  test('lists what its targets follow because of it', () => {
    const settings = sourceFacts({ name: 'settings', digest: 'cmdigest' });
    const facts = workloadFacts();
    const wanted = {
      ref: { kind: 'ConfigMap' as const, namespace: 'shop', name: 'settings' },
      key: 'cm/settings',
      state: { kind: 'present' as const, facts: settings },
      rule: 'config' as const,
      annotated: false,
      keys: undefined,
      container: 'app',
      reloadOnCreate: false,
      reloadOnDelete: false,
      approval: false,
      rules: [],
    };
    const views = (configs: string[]) => [
      viewOf(facts, { want: wantOf({ sources: [{ ...wanted, configs }] }) }),
    ];
    const all = config({ secrets: [], autoReloadAll: true });
    expect(compute({ config: all, views: views(['shop/rules']) }).status.watchedResourceHashes).toEqual({
      'shop/ConfigMap/settings': 'cmdigest',
    });
    expect(compute({ config: all, views: views(['shop/other']) }).status.watchedResourceHashes).toEqual({});
  });
});

describe('what is wrong is said, and heals', () => {
  /** Whether other targets still work, and whether it recovers without a person. */
  const works = { Available: 'True/Reconciled', heals: true };
  const waits = { Available: 'True/Reconciled', heals: false };
  const forbidden = { Available: 'False/ReloadsForbidden', heals: false };
  const useless = (reason: string) => ({ Available: `False/${reason}`, heals: false });

  test.each<
    [
      name: string,
      scene: Scene,
      reason: string,
      message: RegExp,
      state: { readonly Available: string; readonly heals: boolean },
    ]
  >([
    [
      'a target that is missing',
      { workloads: [] },
      'TargetNotFound',
      /Deployment shop\/web not found/,
      works,
    ],
    [
      'a Secret that is missing',
      { sources: [] },
      'ResourceNotFound',
      /Secret shop\/credentials not found/,
      works,
    ],
    [
      'a kind that is not served',
      { workloads: [], unknownKinds: ['Deployment'] },
      'KindUnavailable',
      /does not serve Deployments/,
      forbidden,
    ],
    [
      'a kind that the flags exclude',
      {
        config: config({ targets: [targetFacts({ kind: 'Job' })] }),
        settings: { ignoredWorkloads: new Set(['Job']) },
      },
      'KindUnavailable',
      /--ignored-workload-types/,
      forbidden,
    ],
    [
      'a field that cannot be understood',
      {
        config: config({ problems: [{ field: 'spec.targets[0].pausePeriod', message: 'write it like 5m' }] }),
      },
      'InvalidSpec',
      /^spec\.targets\[0\]\.pausePeriod: write it like 5m$/,
      useless('InvalidSpec'),
    ],
    [
      'no targets',
      { config: config({ targets: [], autoReloadAll: true }) },
      'NoTargets',
      /spec\.targets is empty/,
      useless('NoTargets'),
    ],
    [
      'nothing to watch',
      { config: config({ secrets: [] }) },
      'NothingWatched',
      /names nothing/,
      useless('NothingWatched'),
    ],
    [
      'a target in a namespace that did not allow it',
      {
        config: config({ targets: [targetFacts({ namespace: 'vault' })] }),
        workloads: [workloadFacts({ namespace: 'vault' })],
        namespaces: [namespaceFacts(), namespaceFacts({ name: 'vault' })],
      },
      'CrossNamespaceDenied',
      /Deployment vault\/web: Namespace vault does not allow/,
      forbidden,
    ],
    [
      'a selected namespace that did not allow it',
      {
        config: config({ namespaceSelector: parseSelector('team=shop') }),
        namespaces: [namespaceFacts(), namespaceFacts({ name: 'vault', labels: { team: 'shop' } })],
      },
      'CrossNamespaceDenied',
      /namespaceSelector: no namespace that it selects allows ReloaderConfigs of namespace shop/,
      waits,
    ],
    [
      'a source that may not be read',
      { states: { 'shop/Secret/credentials': { kind: 'unknown', why: 'forbidden' } } },
      'ResourceUnreadable',
      /Secret shop\/credentials: forbidden/,
      works,
    ],
    [
      'a reload that failed',
      { views: [viewOf(workloadFacts(), { lastError: 'quota exceeded' })] },
      'ReloadFailed',
      /Deployment shop\/web: quota exceeded/,
      works,
    ],
    [
      'a rollout that failed',
      {
        views: [viewOf(workloadFacts(), { rolloutFailed: 'no progress within its deadline' })],
      },
      'RolloutFailed',
      /no progress within its deadline/,
      waits,
    ],
    [
      'a ledger that others take away',
      {
        views: [
          viewOf(workloadFacts(), { notes: [{ reason: 'NotebookContended', message: 'three times' }] }),
        ],
      },
      'NotebookContended',
      /three times/,
      works,
    ],
    [
      'a reload that the operator may not make',
      { views: [viewOf(workloadFacts(), { lastError: 'is forbidden', forbidden: true })] },
      'ReloadFailed',
      /Deployment shop\/web: is forbidden/,
      forbidden,
    ],
    [
      'a name that is filtered out, and no other',
      {
        config: config({ matchLabels: { reload: 'yes' } }),
        sources: [{ ...SECRET, labels: { reload: 'no' } }],
      },
      'NothingWatched',
      /^Nothing that is named counts: Secret shop\/credentials: it does not carry the label reload: yes/,
      useless('NothingWatched'),
    ],
  ])('%s', (_name, scene, reason, message, { Available, heals }) => {
    const computed = compute(scene);
    expect(said(computed)).toContain(`Degraded=True/${reason}`);
    expect(said(computed)).toContain(`Available=${Available}`);
    const why = Available.startsWith('True') ? reason : Available.slice('False/'.length);
    expect(said(computed)).toContain(`Ready=False/${why}`);
    const [here, absent] = heals ? ['Reconciling', 'Stalled'] : ['Stalled', 'Reconciling'];
    expect(said(computed)).toContain(`${here}=True/${why}`);
    expect(said(computed).join()).not.toContain(absent);
    expect(messageOf(computed, 'Degraded')).toMatch(message);
    const healed = compute({ before: computed.status });
    expect(said(healed)).toEqual(GOOD);
  });

  test('all of it, the worst first', () => {
    const computed = compute({ workloads: [], sources: [] });
    expect(said(computed)).toContain('Degraded=True/TargetNotFound');
    expect(messageOf(computed, 'Degraded')).toBe(
      'Target Deployment shop/web not found; Secret shop/credentials not found',
    );
  });

  test('and a transition time moves only when the statement turns', () => {
    const first = compute({ workloads: [] });
    const degraded = ({ status }: ComputedStatus) =>
      status.conditions?.find(({ type }) => type === 'Degraded');
    const later = compute({ workloads: [], sources: [], before: first.status, now: START + 60_000 });
    expect(degraded(later)?.lastTransitionTime).toBe('2030-01-01T00:00:00Z');
    expect(degraded(later)?.message).not.toBe(degraded(first)?.message);
    const healed = compute({ before: later.status, now: START + 120_000 });
    expect(degraded(healed)?.lastTransitionTime).toBe('2030-01-01T00:02:00Z');
  });

  test('special conditions are there only while they are true, and keep their time', () => {
    const other = configFacts({ name: 'older', createdAt: 400, secrets: ['x'] });
    const own = config();
    const shared = compute({ config: own, configs: [own, other] });
    expect(said(shared)).toContain('Shared=True/Shared');
    expect(messageOf(shared, 'Shared')).toMatch(/also a target of shop\/older: .*the oldest is shop\/older$/);
    expect(said(shared)).toContain('Degraded=False/Reconciled');
    const again = compute({ config: own, configs: [own, other], before: shared.status, now: START + 5000 });
    expect(again.status).toEqual(shared.status);
    expect(said(compute({ before: shared.status })).some((text) => text.startsWith('Shared'))).toBe(false);
  });

  test('a config that may not reach the target does not share it', () => {
    const other = configFacts({ name: 'evil', namespace: 'other', createdAt: 400, secrets: ['x'] });
    const own = config();
    expect(said(compute({ config: own, configs: [own, other] }))).toEqual(GOOD);
  });

  test('what waits for its workload and what may not be recorded is no fault', () => {
    const notes = [
      { reason: 'WaitingForWorkload', message: 'OnDelete' },
      { reason: 'NotebookUnavailable', message: 'forbidden' },
    ];
    const computed = compute({ views: [viewOf(workloadFacts(), { notes })] });
    expect(said(computed)).toEqual(
      expect.arrayContaining([
        'Degraded=False/Reconciled',
        'WaitingForWorkload=True/WaitingForWorkload',
        'NotebookUnavailable=True/NotebookUnavailable',
      ]),
    );
  });

  test('a namespace selector does not tell which namespaces there are', () => {
    const selecting = config({ namespaceSelector: parseSelector('team=shop') });
    const allowing = namespaceFacts({
      name: 'b',
      labels: { team: 'shop' },
      annotations: { 'reloader.stakater.com/allow-from': 'shop' },
    });
    const refusing = namespaceFacts({ name: 'vault', labels: { team: 'shop' } });
    const sources = [sourceFacts({ kind: 'Secret', name: 'credentials', namespace: 'b' })];
    const statusWith = (...namespaces: ReturnType<typeof namespaceFacts>[]) =>
      compute({ config: selecting, namespaces: [namespaceFacts(), ...namespaces], sources }).status;
    expect(statusWith(refusing)).toEqual(statusWith());
    expect(statusWith(allowing, refusing)).toEqual(statusWith(allowing));
    expect(said({ status: statusWith(allowing) })).toContain('Degraded=False/Reconciled');
  });

  test('a namespace selector looks for names in all that it selects', () => {
    const selecting = config({ namespaceSelector: parseSelector('team=shop') });
    const namespaces = [
      namespaceFacts({ labels: { team: 'shop' } }),
      namespaceFacts({
        name: 'b',
        labels: { team: 'shop' },
        annotations: { 'reloader.stakater.com/allow-from': 'shop' },
      }),
    ];
    const elsewhere = compute({
      config: selecting,
      namespaces,
      sources: [sourceFacts({ kind: 'Secret', name: 'credentials', namespace: 'b', digest: 'b' })],
    });
    expect(said(elsewhere)).toContain('Degraded=False/Reconciled');
    expect(elsewhere.status.watchedResourceHashes).toEqual({ 'b/Secret/credentials': 'b' });
    const nowhere = compute({ config: selecting, namespaces, sources: [] });
    expect(messageOf(nowhere, 'Degraded')).toMatch(/Secret credentials not found in any namespace/);
  });
});

describe('a config that sleeps', () => {
  test('because it is ignored says so, and nothing else', () => {
    const computed = compute({ config: config({ ignored: true }), workloads: [], sources: [] });
    expect(said(computed)).toEqual([
      'Available=False/Ignored',
      'Ready=False/Ignored',
      'Progressing=False/Ignored',
      'Degraded=False/Ignored',
    ]);
    expect(computed.status.watchedResourceHashes).toBeUndefined();
  });
});

describe('counting', () => {
  test('derives from the ledgers, so that nothing is lost without a status write', () => {
    const { status } = compute({ workloads: [reloadedWorkload([{ at: START_S + 1 }, { at: START_S + 9 }])] });
    expect(status).toMatchObject({
      reloadCount: 2,
      lastReloadTime: '2030-01-01T00:00:09Z',
      targetStatus: [{ reloadCount: 2, lastReloadTime: '2030-01-01T00:00:09Z' }],
      countedReloads: { 'uid-web': `2@${START_S + 9}` },
    });
  });

  test('counts nothing twice', () => {
    const workloads = [reloadedWorkload([{}, {}])];
    const { status } = compute({ workloads });
    expect(compute({ workloads, before: status }).status).toEqual(status);
  });

  test('leaves out reloads that others asked for', () => {
    const { status } = compute({
      workloads: [reloadedWorkload([{ configs: ['shop/other'] }, { configs: [] }])],
    });
    expect(status.reloadCount).toBe(0);
  });

  test('leaves out reloads of an earlier config of the same name', () => {
    const own = config({ createdAt: START_S + 100 });
    const workloads = [reloadedWorkload([{ at: START_S }, { at: START_S + 100 }])];
    expect(compute({ config: own, workloads }).status.reloadCount).toBe(1);
  });

  test('counts by the uid of the config, whatever the clocks of operator and server say', () => {
    const own = config({ createdAt: START_S + 100 });
    const id = configIdOf(own.metadata);
    const early = { at: START_S, configIds: [id] };
    const earlier = { at: START_S + 200, configIds: ['another'] };
    const workloads = [reloadedWorkload([early, earlier])];
    const made = [
      { workload: 'Deployment/shop/web', uid: 'uid-web', seq: 3, configs: ['shop/rules'], ...early },
      { workload: 'Deployment/shop/web', uid: 'uid-web', seq: 4, configs: ['shop/rules'], ...earlier },
    ];
    const { status } = compute({ config: own, workloads, made });
    expect(status).toMatchObject({ reloadCount: 2, countedReloads: { 'uid-web': `3@${START_S}` } });
  });

  test('counts nothing twice where the clock of a later leader is behind', () => {
    const workloads = [reloadedWorkload([{ at: START_S + 90 }, { at: START_S + 10 }])];
    const { status } = compute({ workloads });
    expect(status.countedReloads).toEqual({ 'uid-web': `2@${START_S + 90}` });
    expect(compute({ workloads, before: status }).status.reloadCount).toBe(2);
  });

  test('counts a re-created workload by the clock of a later leader that is behind', () => {
    const first = compute({ workloads: [reloadedWorkload([{ at: START_S + 90 }])] }).status;
    const again = reloadedWorkload([{ at: START_S + 10 }], { uid: 'uid-second' });
    expect(compute({ workloads: [again], before: first }).status.reloadCount).toBe(2);
  });

  test('adds what this process made beyond the five that a ledger names', () => {
    const made = Array.from({ length: 8 }, (_, index) => ({
      workload: 'Deployment/shop/web',
      uid: 'uid-web',
      seq: index + 1,
      at: START_S + index,
      configs: ['shop/rules'],
    }));
    const recent = made.slice(3).map(({ seq, at }) => ({ seq, at }));
    const { status } = compute({ workloads: [reloadedWorkload(recent)], made });
    expect(status.reloadCount).toBe(8);
    expect(status.targetStatus?.[0]?.reloadCount).toBe(8);
  });

  test('goes on from what the earlier operator counted', () => {
    const before: ReloaderConfigStatus = {
      reloadCount: 12,
      lastReloadTime: '2029-12-31T23:00:00Z',
      targetStatus: [
        {
          kind: 'Deployment',
          name: 'web',
          namespace: 'shop',
          reloadCount: 12,
          lastReloadTime: '2029-12-31T23:00:00Z',
        },
      ],
    };
    const { status } = compute({ before, workloads: [reloadedWorkload([{}])] });
    expect(status).toMatchObject({ reloadCount: 13, targetStatus: [{ reloadCount: 13 }] });
  });

  test('counts once where an old definition drops the last count', () => {
    const workloads = [reloadedWorkload([{ at: START_S + 5 }])];
    const { countedReloads: _, ...before } = compute({ workloads }).status;
    expect(compute({ workloads, before }).status.reloadCount).toBe(1);
  });

  test('does not count again a target that was taken out and put back', () => {
    const workloads = [reloadedWorkload([{}])];
    const first = compute({ workloads }).status;
    const without = compute({ workloads, before: first, config: config({ targets: [] }) }).status;
    expect(without.targetStatus).toEqual([]);
    expect(compute({ workloads, before: without }).status.reloadCount).toBe(1);
  });

  test('a re-created workload has a ledger of its own', () => {
    const first = compute({ workloads: [reloadedWorkload([{}, {}])] }).status;
    const again = reloadedWorkload([{ at: START_S + 50 }], { uid: 'uid-second' });
    expect(compute({ workloads: [again], before: first }).status.reloadCount).toBe(3);
  });

  test('a target that is named twice is one', () => {
    const twice = config({ targets: [targetFacts(), targetFacts()] });
    const { status } = compute({ config: twice, workloads: [reloadedWorkload([{}])] });
    expect(status).toMatchObject({ reloadCount: 1, targetsFound: '1/1' });
    expect(status.targetStatus).toHaveLength(1);
  });
});

describe('how it reloads', () => {
  const strategyOf = (scene: Scene): string | undefined => compute(scene).status.strategy;
  const policy = (name: string, overrides: Parameters<typeof wantOf>[0]) =>
    viewOf(workloadFacts({ name }), { want: wantOf(overrides) });

  test('is told as it is, also where a flag or a target says it', () => {
    expect(strategyOf({})).toBe('env-vars');
    expect(strategyOf({ settings: { reloadStrategy: 'annotations' }, workloads: [] })).toBe('annotations');
    expect(strategyOf({ config: config({ rolloutStrategy: 'restart' }), workloads: [] })).toBe('restart');
    const views = [policy('web', { policy: { rolloutStrategy: 'restart' } })];
    expect(strategyOf({ views })).toBe('restart');
  });

  test('names each where targets differ', () => {
    const two = config({ targets: [targetFacts(), targetFacts({ name: 'api' })] });
    const views = [
      policy('web', { policy: { rolloutStrategy: 'restart' } }),
      policy('api', { policy: { reloadStrategy: 'annotations' } }),
    ];
    const workloads = [workloadFacts(), workloadFacts({ name: 'api', uid: 'uid-api' })];
    expect(strategyOf({ config: two, workloads, views })).toBe('annotations,restart');
  });
});

describe('what waits', () => {
  const facts = reloadedWorkload([{}]);

  test('is counted in one word with its reasons', () => {
    expect(compute().status.pending).toBe('0');
    const two = config({ targets: [targetFacts(), targetFacts({ name: 'api' })] });
    const workloads = [workloadFacts(), workloadFacts({ name: 'api', uid: 'uid-api' })];
    const views = workloads.map((each, index) =>
      viewOf(each, { deferred: later(index === 0 ? 'paused' : 'frozen', START + 60_000) }),
    );
    expect(compute({ config: two, workloads, views }).status.pending).toBe('2 (frozen, paused)');
    const settling = [viewOf(facts, { deferred: later('settling', START + 500) })];
    expect(compute({ workloads: [facts], views: settling }).status.pending).toBe('0');
  });

  test('a pause is shown until it ends, and looked at again then', () => {
    const views = [viewOf(facts, { want: wantOf({ policy: { pauseMs: 300_000 } }) })];
    const paused = compute({ workloads: [facts], views, now: START + 1000 });
    expect(paused.status.targetStatus?.[0]?.pausedUntil).toBe('2030-01-01T00:05:00Z');
    expect(paused.lookAgainAt).toBe(START + 300_000);
    const over = compute({ workloads: [facts], views, before: paused.status, now: START + 300_000 });
    expect(over.status.targetStatus?.[0]?.pausedUntil).toBeUndefined();
    expect(over.lookAgainAt).toBeUndefined();
  });

  test('a deferral shows its reason and its end, and is progress', () => {
    const views = [viewOf(facts, { deferred: later('paused', START + 60_000) })];
    const computed = compute({ workloads: [facts], views });
    expect(computed.status.targetStatus?.[0]).toMatchObject({
      deferredReason: 'paused',
      deferredUntil: '2030-01-01T00:01:00Z',
    });
    expect(said(computed)).toContain('Progressing=True/Deferred');
    expect(computed.lookAgainAt).toBe(START + 60_000);
  });

  test('settling is not shown, because it is over in a moment', () => {
    const views = [viewOf(facts, { deferred: later('settling', START + 500) })];
    const computed = compute({ workloads: [facts], views });
    expect(computed.status.targetStatus?.[0]).not.toHaveProperty('deferredReason');
    expect(said(computed)).toContain('Progressing=False/Reconciled');
  });

  test('a rollout of ours is progress, scaling is not', () => {
    const running = { ...workloadFacts().rollout, wanted: 3, updated: 1 };
    const ours = { workloads: [reloadedWorkload([{}], { rollout: running })] };
    expect(said(compute({ ...ours, now: START + 5000 }))).toContain('Progressing=True/RollingOut');
    expect(said(compute({ ...ours, now: START + 3_600_000 }))).toContain('Progressing=False/Reconciled');
    expect(said(compute({ ...ours, now: START + 3_600_000, rolling: true }))).toContain(
      'Progressing=True/RollingOut',
    );
    const scaled = { workloads: [workloadFacts({ rollout: running })] };
    expect(said(compute(scaled))).toContain('Progressing=False/Reconciled');
  });

  test('an error is shown on its target', () => {
    const views = [viewOf(facts, { lastError: 'quota exceeded' })];
    expect(compute({ workloads: [facts], views }).status.targetStatus?.[0]?.lastError).toBe('quota exceeded');
  });
});
