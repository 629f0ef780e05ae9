/** Properties that hold for every workload and every world, including malformed ones. */
import { parseSelector } from '@reloader/runtime';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ConfigFacts } from '../model/config.ts';
import type { SourceKind } from '../model/source.ts';
import { sourceKey } from '../model/source.ts';
import type { SourceFacts } from '../model/source-facts.ts';
import type { Want } from '../model/want.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import type { World } from '../model/world.ts';
import { full, type Short } from './annotations.test.support.ts';
import { isWanted, wantOf } from './want.ts';
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

const NAMES = ['a', 'b', 'ab', 'a.b', '__proto__', 'constructor', 'größe'];
const KINDS: SourceKind[] = ['ConfigMap', 'Secret', 'SecretProviderClass'];
const name = fc.constantFrom(...NAMES);
const kind = fc.constantFrom(...KINDS);
const truth = fc.constantFrom('true', 'false', '', 'T', 'maybe');
const list = fc.constantFrom('a', 'b,a', 'a.*', 'a|b', '(', '.*', '__proto__', '', 'x{2000},b');
const some = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 2 });

const present = (annotations: Record<string, string | undefined>): Short =>
  Object.fromEntries(
    Object.entries(annotations).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );

const asking = fc
  .record({
    auto: some(truth),
    'cm.auto': some(truth),
    'secret.reload': some(list),
    'cm.reload': some(list),
    'cm.exclude': some(list),
    search: some(truth),
    match: some(fc.constantFrom('secret', 'configmap|secret', 'true', 'pods')),
    keys: some(fc.constantFrom('used', 'all', 'x')),
    settle: some(fc.constantFrom('1s', 'x', '2m')),
    freeze: some(truth),
  })
  .map((annotations) => full(present(annotations)));

const source: fc.Arbitrary<SourceFacts> = fc
  .record({
    kind,
    name,
    namespace: fc.constantFrom('shop', 'vault'),
    annotations: fc
      .record({ match: some(truth), ignore: some(truth) })
      .map((annotations) => full(present(annotations))),
    labels: fc.constantFrom({}, { tier: 'a' }, { tier: 'b' }),
    generated: fc.boolean(),
  })
  .map(sourceFacts);

const config: fc.Arbitrary<ConfigFacts> = fc
  .record({
    name: fc.constantFrom('one', 'two', 'three'),
    createdAt: fc.integer({ min: 0, max: 3 }),
    secrets: fc.array(name, { maxLength: 3 }),
    configMaps: fc.array(name, { maxLength: 3 }),
    autoReloadAll: fc.boolean(),
    enableTargetedReload: fc.boolean(),
    namespaceSelector: some(fc.constantFrom(parseSelector(''), parseSelector('x=y'))),
    resourceSelector: some(fc.constantFrom(parseSelector('tier=a'), parseSelector(''))),
    matchLabels: fc.constantFrom({}, { tier: 'a' }),
    reloadOnCreate: some(fc.boolean()),
    targets: fc.array(
      fc.boolean().map((requireReference) => targetFacts({ requireReference })),
      {
        minLength: 1,
        maxLength: 2,
      },
    ),
  })
  .map(configFacts);

interface Scene {
  readonly workload: WorkloadFacts;
  readonly recorded: readonly string[];
  readonly sources: readonly SourceFacts[];
  readonly configs: readonly ConfigFacts[];
}

const scene: fc.Arbitrary<Scene> = fc.record({
  workload: fc
    .record({
      annotations: asking,
      templateAnnotations: asking,
      uses: fc.array(fc.record({ kind, name }), { maxLength: 5 }),
    })
    .map(({ annotations, templateAnnotations, uses }) =>
      workloadFacts({ annotations, templateAnnotations, podSpec: usingPodSpec(...uses) }),
    ),
  recorded: fc.array(name, { maxLength: 3 }).map((names) => names.map((each) => `secret/${each}`)),
  sources: fc.uniqueArray(source, {
    maxLength: 12,
    selector: (facts) => sourceKey({ ...facts.metadata, kind: facts.kind }),
  }),
  configs: fc.uniqueArray(config, { maxLength: 3, selector: ({ metadata }) => metadata.name }),
});

const settings = defaultSettings({ csi: true, allowCrossNamespace: true });
const namespaces = [namespaceFacts(), namespaceFacts({ name: 'vault' })];
const worldOf = ({ sources, configs }: Scene): World => fakeWorld({ sources, configs, namespaces });

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) freeze(part);
  }
  return value;
}

/** Functions differ by identity alone. */
const comparable = (want: Want): unknown => JSON.parse(JSON.stringify(want));

const holds = (property: (scene: Scene, want: Want) => void): void =>
  fc.assert(
    fc.property(scene, (each) =>
      property(each, wantOf(each.workload, worldOf(each), settings, each.recorded)),
    ),
    { numRuns: 300 },
  );

describe('for every workload and world', () => {
  it('looking for one source finds it exactly if the whole want contains it', () => {
    holds((each) => {
      for (const configs of [each.configs, []]) {
        const world = worldOf({ ...each, configs });
        const refs = KINDS.flatMap((kind) => NAMES.map((name) => ({ kind, namespace: 'shop', name })));
        const asked = [...refs, { kind: 'ConfigMap', namespace: 'vault', name: 'a' } as const];
        const wanted = wantOf(each.workload, world, settings).sources.map(({ ref }) => sourceKey(ref));
        const found = asked.filter((ref) => isWanted(each.workload, ref, world, settings)).map(sourceKey);
        const known = new Set(asked.map(sourceKey));
        expect(found.sort()).toEqual(wanted.filter((key) => known.has(key)).sort());
      }
    });
  });

  it('a workload that was looked at before, with other values of the same annotations, does not change the want', () => {
    holds((each) => {
      const { workload } = each;
      const others = (texts: WorkloadFacts['annotations']) =>
        Object.fromEntries(Object.keys(texts).map((key) => [key, 'false']));
      const other = {
        ...workload,
        annotations: others(workload.annotations),
        templateAnnotations: others(workload.templateAnnotations),
      };
      const [used, unused] = [1, 2].map(() => defaultSettings({ csi: true, allowCrossNamespace: true }));
      if (!used || !unused) throw new Error('there are two');
      wantOf(other, worldOf(each), used);
      const want = wantOf(workload, worldOf(each), used, each.recorded);
      expect(comparable(want)).toEqual(comparable(wantOf(workload, worldOf(each), unused, each.recorded)));
    });
  });

  it('the same input gives the same want, and nothing of the input changes', () => {
    holds((each, want) => {
      const again = wantOf(freeze(each).workload, worldOf(freeze(each)), freeze(settings), each.recorded);
      expect(again).toEqual(want);
    });
  });

  it('the order in which the world lists things does not matter', () => {
    fc.assert(
      fc.property(scene, fc.infiniteStream(fc.nat()), (each, random) => {
        const shuffled = <T>(items: readonly T[]): T[] =>
          items
            .map((item) => ({ item, rank: random.next().value as number }))
            .sort((a, b) => a.rank - b.rank)
            .map(({ item }) => item);
        const configs = shuffled(each.configs);
        const world = {
          ...fakeWorld({ sources: shuffled(each.sources), configs, namespaces: shuffled(namespaces) }),
          configsFor: () => configs,
        };
        expect(wantOf(each.workload, world, settings, each.recorded)).toEqual(
          wantOf(each.workload, worldOf(each), settings, each.recorded),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('a source appears once, wanted or not, and the wanted ones are sorted', () => {
    holds((_, { sources, unwanted }) => {
      const all = [...sources, ...unwanted].map(({ ref }) => sourceKey(ref));
      expect(new Set(all).size).toBe(all.length);
      expect(sources.map(({ key }) => key)).toEqual(sources.map(({ key }) => key).toSorted());
    });
  });

  it('a want has a reason: annotations, or configs that are listed', () => {
    holds((_, { sources, configs }) => {
      const names = configs.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
      for (const wanted of sources) {
        expect(wanted.annotated || wanted.configs.length > 0).toBe(true);
        expect(wanted.annotated).toBe(wanted.rule !== 'config');
        expect(names).toEqual(expect.arrayContaining([...wanted.configs]));
      }
    });
  });

  it('a source that asks to be ignored, or is generated, is never wanted', () => {
    holds((_, { sources }) => {
      for (const { state } of sources) {
        if (state.kind !== 'present') continue;
        expect(state.facts.annotations['reloader.stakater.com/ignore']).not.toBe('true');
        expect(state.facts.generated).toBe(false);
      }
    });
  });

  it('recording the wanted sources does not change the want', () => {
    holds((each, want) => {
      const keys = (value: Want): string[] => value.sources.map(({ key }) => key);
      expect(keys(wantOf(each.workload, worldOf(each), settings, keys(want)))).toEqual(keys(want));
    });
  });

  it('an additional source that nothing names does not change the want', () => {
    holds((each, want) => {
      const stranger = sourceFacts({ name: 'stranger-9', annotations: full({ match: 'true' }) });
      const all = [each.workload.annotations, each.workload.templateAnnotations].flatMap(Object.values);
      fc.pre(
        !all.some((text) => text === '.*') && !each.configs.some(({ resourceSelector }) => resourceSelector),
      );
      const world = worldOf({ ...each, sources: [...each.sources, stranger] });
      expect(wantOf(each.workload, world, settings, each.recorded)).toEqual(want);
    });
  });
});

describe('hostile input', () => {
  /** Counts world look-ups for a list of that many names: a deterministic measure of the decision's cost. */
  const lookups = (count: number): number => {
    const text = Array.from({ length: count }, (_, index) => `name-${index}`).join(',');
    const world = fakeWorld();
    const workload = workloadFacts({ annotations: full({ 'cm.reload': text, 'secret.exclude': text }) });
    expect(wantOf(workload, world, settings).sources).toHaveLength(Math.min(count, 1_000));
    return [...world.calls.values()].reduce((sum, calls) => sum + calls, 0);
  };

  it('costs one look-up per name, and no more than for a thousand names', () => {
    expect(lookups(1_000) - lookups(100)).toBe(900);
    expect(lookups(10_000)).toBe(lookups(1_000));
  });

  it('of ten thousand sources in a template costs no more than a thousand, and is reported', () => {
    const used = Array.from({ length: 10_000 }, (_, index) => ({
      kind: 'Secret' as const,
      name: `s-${index}`,
    }));
    const workload = workloadFacts({ annotations: full({ auto: 'true' }), podSpec: usingPodSpec(...used) });
    const world = fakeWorld();
    const { sources, problems } = wantOf(workload, world, settings);
    expect(sources).toHaveLength(1_000);
    expect(problems).toEqual([
      {
        field: 'spec.template.spec',
        reason: 'TooManySources',
        message: 'the pod template names more than 1000 sources: 9000 of them are not looked at',
      },
    ]);
    expect(world.calls.get('source')).toBeLessThanOrEqual(2_000);
  });

  it('of a catastrophic expression is answered for every name of a namespace', () => {
    const names = Array.from({ length: 200 }, (_, index) => `${'a'.repeat(240)}-${index}`);
    const world = fakeWorld({ sources: names.map((each) => sourceFacts({ name: each })) });
    const workload = workloadFacts({ annotations: full({ 'cm.reload': '(a+)+,(a|a)*x,([a-z]*)*-1\\d\\d' }) });
    expect(wantOf(workload, world, settings).sources).toHaveLength(100);
  });

  it.each([
    ['a ledger that is no ledger', { ledger: '{"v":1,"s":{"__proto__":"x"}}' }],
    ['a ledger of rubbish', { ledger: '[[[' }],
    ['a ledger of another version', { ledger: '{"v":99}' }],
    ['100 KB of commas', { 'cm.reload': ','.repeat(100_000), 'cm.exclude': ','.repeat(100_000) }],
    ['100 KB of bars', { match: '|x'.repeat(50_000) }],
    ['100 KB of brackets', { 'cm.reload': '['.repeat(100_000) }],
    ['100 KB of parentheses', { 'cm.reload': '('.repeat(100_000) }],
    ['unpaired surrogates', { 'cm.reload': '\ud800,\udfff.*', kind: '\ud800' }],
  ])('%s is survived', (_, annotations) => {
    const workload = workloadFacts({
      annotations: full({ auto: 'true', ...annotations }),
      podSpec: usingPodSpec({ kind: 'ConfigMap', name: 'a' }),
    });
    const { sources, problems } = wantOf(workload, fakeWorld(), settings);
    expect(sources.map(({ key }) => key)).toContain('cm/a');
    expect(JSON.stringify(problems).length).toBeLessThan(5000);
  });

  it('with names from the prototype finds no inherited value', () => {
    const named = ['__proto__', 'constructor', 'toString'];
    const podSpec = usingPodSpec(...named.map((each) => ({ kind: 'Secret' as const, name: each })));
    const renamed = { ...settings, names: { ...settings.names, auto: 'toString', search: '__proto__' } };
    const silent = wantOf(workloadFacts({ podSpec }), fakeWorld(), renamed);
    expect(silent.sources).toEqual([]);
    const workload = workloadFacts({ annotations: full({ 'secret.auto': 'true' }), podSpec });
    expect(
      wantOf(workload, fakeWorld(), settings)
        .sources.map(({ ref }) => ref.name)
        .toSorted(),
    ).toEqual(named.toSorted());
  });
});
