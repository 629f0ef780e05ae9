/**
 * The decision order as one table. A row is: annotations of the workload, of its pod template, of the source, and the
 * expected result: the rule, where the deciding annotation is, and for a yes whether the pod must use the source. Each
 * row is tested with `optIn` alone and, through `wantOf`, with a pod that uses the source and one that does not.
 */
import { describe, expect, it } from 'vitest';
import { type AnnotationNames, DEFAULT_ANNOTATIONS } from '../model/annotations.ts';
import type { SourceKind, SourceRef } from '../model/source.ts';
import { full, type Short } from './annotations.test.support.ts';
import { optIn } from './opt-in.ts';
import { wantOf } from './want.ts';
import {
  defaultSettings,
  fakeWorld,
  namespaceFacts,
  sourceFacts,
  usingPodSpec,
  workloadFacts,
} from './world.test.support.ts';

interface Options {
  readonly kind?: SourceKind;
  readonly name?: string;
  readonly all?: true;
  readonly names?: Partial<AnnotationNames>;
  /** Annotations of the Namespace, with `--namespace-defaults`. */
  readonly namespace?: Short;
}

type Row = readonly [workload: Short, template: Short, source: Short, expected: string, options?: Options];

const SECRET: Options = { kind: 'Secret' };
const SPC: Options = { kind: 'SecretProviderClass' };
const ALL: Options = { all: true };
const M = { match: 'true' };
const named = (list: string, expected: string, options: Options = {}): Row => [
  { 'cm.reload': list },
  {},
  {},
  expected,
  options,
];
const YES = 'named workload any';
const NO = 'not-selected workload';

const TABLE: Readonly<Record<string, readonly Row[]>> = {
  'without any annotation nothing is selected': [
    [{}, {}, {}, 'not-selected template'],
    [{}, {}, M, 'not-selected template'],
    [{}, {}, {}, 'not-selected template', SECRET],
    [{}, {}, {}, 'not-selected template', SPC],
    [{ 'example.com/auto': 'true' }, {}, {}, 'not-selected template'],
    [{ Auto: 'true' }, {}, {}, 'not-selected template'],
  ],
  'auto takes the spellings of a Go boolean, and nothing else': [
    [{ auto: '1' }, {}, {}, 'auto workload use'],
    [{ auto: 't' }, {}, {}, 'auto workload use'],
    [{ auto: 'T' }, {}, {}, 'auto workload use'],
    [{ auto: 'true' }, {}, {}, 'auto workload use'],
    [{ auto: 'True' }, {}, {}, 'auto workload use'],
    [{ auto: 'TRUE' }, {}, {}, 'auto workload use'],
    [{ auto: '0' }, {}, {}, NO],
    [{ auto: 'f' }, {}, {}, NO],
    [{ auto: 'F' }, {}, {}, NO],
    [{ auto: 'false' }, {}, {}, NO],
    [{ auto: 'False' }, {}, {}, NO],
    [{ auto: 'FALSE' }, {}, {}, NO],
    [{ auto: '' }, {}, {}, NO],
    [{ auto: 'yes' }, {}, {}, NO],
    [{ auto: 'on' }, {}, {}, NO],
    [{ auto: 'tRUE' }, {}, {}, NO],
    [{ auto: ' true' }, {}, {}, NO],
    [{ auto: 'true ' }, {}, {}, NO],
    [{ auto: '2' }, {}, {}, NO],
    [{ auto: 'true' }, {}, {}, 'auto workload use', SECRET],
    [{ auto: 'true' }, {}, {}, 'auto workload use', SPC],
  ],
  'a typed auto speaks for its own kind only': [
    [{ 'cm.auto': 'true' }, {}, {}, 'typed-auto workload use'],
    [{ 'cm.auto': 'T' }, {}, {}, 'typed-auto workload use'],
    [{ 'cm.auto': 'true' }, {}, {}, 'not-selected template', SECRET],
    [{ 'cm.auto': 'true' }, {}, {}, 'not-selected template', SPC],
    [{ 'secret.auto': 'true' }, {}, {}, 'not-selected template'],
    [{ 'secret.auto': 'true' }, {}, {}, 'typed-auto workload use', SECRET],
    [{ 'secret.auto': 'true' }, {}, {}, 'not-selected template', SPC],
    [{ 'spc.auto': 'true' }, {}, {}, 'not-selected template'],
    [{ 'spc.auto': 'true' }, {}, {}, 'not-selected template', SECRET],
    [{ 'spc.auto': 'true' }, {}, {}, 'typed-auto workload use', SPC],
    [{ 'cm.auto': 'false' }, {}, {}, NO],
    [{ 'cm.auto': 'sure' }, {}, {}, NO],
    [{ auto: 'false', 'cm.auto': 'true' }, {}, {}, 'typed-auto workload use'],
    [{ auto: 'true', 'cm.auto': 'false' }, {}, {}, 'auto workload use'],
    [{ auto: 'false', 'secret.auto': 'true' }, {}, {}, NO],
  ],
  'a list names sources, used or not': [
    named('settings', YES),
    named('other', NO),
    named('other,settings', YES),
    named('settings,other', YES),
    named(' settings ,other', YES),
    named('settings,,', YES),
    named(',', NO),
    named('', NO),
    named('setting', NO),
    named('settingss', NO),
    named('SETTINGS', NO),
    named('shop/settings', NO),
    named('settings other', NO),
    [{ 'secret.reload': 'settings' }, {}, {}, YES, SECRET],
    [{ 'spc.reload': 'settings' }, {}, {}, YES, SPC],
    [{ 'secret.reload': 'settings' }, {}, {}, 'not-selected template'],
    [{ 'cm.reload': 'settings' }, {}, {}, 'not-selected template', SECRET],
    [{ 'spc.reload': 'settings' }, {}, {}, 'not-selected template', SECRET],
  ],
  'an item is an RE2 expression between ^ and $, without grouping': [
    named('sett.*', YES),
    named('.*ings', YES),
    named('sett', NO),
    named('.*', YES),
    named('.', NO),
    named('........', YES),
    named('set|zzz', YES),
    named('zzz|ings', YES),
    named('zzz|set', NO),
    named('zzz|ting', NO),
    named('(set|zzz)', NO),
    named('(settings|zzz)', YES),
    named('(?i)SETTINGS', YES),
    named('[[:lower:]]+', YES),
    named('[[:upper:]]+', NO),
    named('(?P<all>s.*)', YES),
    named('\\Qsettings\\E', YES),
    named('settings\\z', YES),
    named('^settings$', YES),
    named('set{1}tings', YES),
    named('set{3}ings', NO),
    named('set{2}ings', YES),
    named('s*ettings', YES),
    named('x?settings', YES),
    named('settingsx?', YES),
    named('*', YES),
    named('a.b', YES, { name: 'a.b' }),
    named('a.b', YES, { name: 'a-b' }),
    named('a\\.b', NO, { name: 'a-b' }),
    named('a\\.b', YES, { name: 'a.b' }),
  ],
  'a comma always separates, and a bad item harms only itself': [
    named('set{1,3}ings', NO),
    named('[s,t]ettings', NO),
    named('(,settings', YES),
    named('settings,[', YES),
    named('(?=s)settings', NO),
    named('(?<=x)settings,other', NO),
    named('(s)ettings\\1', NO),
    named('a{2000},settings', YES),
    named('+', NO),
    named('\\', NO),
  ],
  'an exclude list beats every yes, is read on the workload, and holds plain names': [
    [{ auto: 'true', 'cm.exclude': 'settings' }, {}, {}, 'excluded workload'],
    [{ 'cm.auto': 'true', 'cm.exclude': 'settings' }, {}, {}, 'excluded workload'],
    [{ 'cm.reload': 'settings', 'cm.exclude': 'settings' }, {}, {}, 'excluded workload'],
    [{ search: 'true', 'cm.exclude': 'settings' }, {}, M, 'excluded workload'],
    [{ 'cm.exclude': 'settings' }, {}, {}, 'excluded workload', ALL],
    [{ auto: 'true', 'cm.exclude': ' other , settings ' }, {}, {}, 'excluded workload'],
    [{ auto: 'true', 'cm.exclude': 'other' }, {}, {}, 'auto workload use'],
    [{ auto: 'true', 'cm.exclude': 'sett.*' }, {}, {}, 'auto workload use'],
    [{ auto: 'true', 'cm.exclude': '' }, {}, {}, 'auto workload use'],
    [{ auto: 'true', 'secret.exclude': 'settings' }, {}, {}, 'auto workload use'],
    [{ auto: 'true', 'secret.exclude': 'settings' }, {}, {}, 'excluded workload', SECRET],
    [{ auto: 'true', 'spc.exclude': 'settings' }, {}, {}, 'excluded workload', SPC],
    [{ 'cm.exclude': 'settings' }, { auto: 'true' }, {}, 'excluded workload'],
    [{}, { auto: 'true', 'cm.exclude': 'settings' }, {}, 'auto template use'],
    [{ auto: 'true' }, { 'cm.exclude': 'settings' }, {}, 'auto workload use'],
  ],
  'a source that asks to be ignored triggers nothing': [
    [{ auto: 'true' }, {}, { ignore: 'true' }, 'source-ignored source'],
    [{ 'cm.auto': 'true' }, {}, { ignore: 'true' }, 'source-ignored source'],
    [{ 'cm.reload': 'settings' }, {}, { ignore: 'true' }, 'source-ignored source'],
    [{ search: 'true' }, {}, { ...M, ignore: 'true' }, 'source-ignored source'],
    [{}, {}, { ignore: 'true' }, 'source-ignored source', ALL],
    [{ auto: 'true' }, {}, { ignore: 'True' }, 'auto workload use'],
    [{ auto: 'true' }, {}, { ignore: '1' }, 'auto workload use'],
    [{ auto: 'true' }, {}, { ignore: 'false' }, 'auto workload use'],
    [{ auto: 'true' }, {}, { ignore: '' }, 'auto workload use'],
    [{ auto: 'true', 'cm.exclude': 'settings' }, {}, { ignore: 'true' }, 'source-ignored source'],
  ],
  'a workload that asks to be ignored is left alone': [
    [{ auto: 'true', ignore: 'true' }, {}, {}, 'workload-ignored workload'],
    [{ 'cm.reload': 'settings', ignore: 'true' }, {}, {}, 'workload-ignored workload'],
    [{ search: 'true', ignore: 'true' }, {}, M, 'workload-ignored workload'],
    [{ ignore: 'true' }, { auto: 'true' }, {}, 'workload-ignored workload'],
    [{ ignore: 'true' }, {}, {}, 'workload-ignored workload', ALL],
    [{ auto: 'true', ignore: 'false' }, {}, {}, 'auto workload use'],
    [{ auto: 'true', ignore: 'True' }, {}, {}, 'auto workload use'],
    [{ auto: 'true' }, { ignore: 'true' }, {}, 'auto workload use'],
    [{ auto: 'true', ignore: 'true' }, {}, { ignore: 'true' }, 'source-ignored source'],
  ],
  'search finds the used sources that say match': [
    [{ search: 'true' }, {}, M, 'search workload use'],
    [{ search: 'true' }, {}, M, 'search workload use', SECRET],
    [{ search: 'true' }, {}, M, 'search workload use', SPC],
    [{ search: 'true' }, {}, {}, NO],
    [{ search: 'true' }, {}, { match: 'false' }, NO],
    [{ search: 'true' }, {}, { match: 'True' }, NO],
    [{ search: 'true' }, {}, { match: '1' }, NO],
    [{ search: 'True' }, {}, M, NO],
    [{ search: '1' }, {}, M, NO],
    [{ search: '' }, {}, M, NO],
    [{ search: 'false' }, {}, M, NO],
    [{ search: 'true', auto: 'true' }, {}, {}, 'auto workload use'],
    [{ search: 'true', auto: 'true' }, {}, M, 'search workload use'],
    [{ search: 'true', auto: 'false' }, {}, M, 'search workload use'],
    [{ search: 'true', 'cm.auto': 'true' }, {}, M, 'search workload use'],
  ],
  'the list comes first, whatever auto and search say': [
    [{ auto: 'false', 'cm.reload': 'settings' }, {}, {}, YES],
    [{ auto: 'true', 'cm.reload': 'settings' }, {}, {}, YES],
    [{ auto: 'true', 'cm.reload': 'other' }, {}, {}, 'auto workload use'],
    [{ 'cm.auto': 'true', 'cm.reload': 'settings' }, {}, {}, YES],
    [{ 'cm.auto': 'false', 'cm.reload': 'settings' }, {}, {}, YES],
    [{ search: 'true', 'cm.reload': 'settings' }, {}, M, YES],
    [{ search: 'true', 'cm.reload': 'other' }, {}, M, 'search workload use'],
    [{ 'cm.reload': 'settings' }, {}, {}, YES, ALL],
    [{ auto: 'false', 'cm.reload': 'other' }, {}, {}, NO],
    [{ auto: 'false', 'secret.reload': 'settings' }, {}, {}, NO],
  ],
  'the template counts when none of the four keys stands on the workload': [
    [{}, { auto: 'true' }, {}, 'auto template use'],
    [{}, { 'cm.auto': 'true' }, {}, 'typed-auto template use'],
    [{}, { 'cm.reload': 'settings' }, {}, 'named template any'],
    [{}, { search: 'true' }, M, 'search template use'],
    [{}, { auto: 'false' }, {}, 'not-selected template'],
    [{ auto: 'false' }, { auto: 'true' }, {}, NO],
    [{ auto: '' }, { auto: 'true' }, {}, NO],
    [{ auto: 'rubbish' }, { 'cm.reload': 'settings' }, {}, NO],
    [{ search: 'false' }, { auto: 'true' }, {}, NO],
    [{ search: '' }, { 'cm.reload': 'settings' }, {}, NO],
    [{ 'cm.reload': 'other' }, { auto: 'true' }, {}, NO],
    [{ 'cm.reload': '' }, { 'cm.reload': 'settings' }, {}, NO],
    [{ 'cm.auto': 'false' }, { auto: 'true' }, {}, NO],
    [{ 'secret.auto': 'true' }, { auto: 'true' }, {}, 'auto template use'],
    [{ 'secret.reload': 'x' }, { 'cm.reload': 'settings' }, {}, 'named template any'],
    [{ 'cm.reload': 'x' }, { 'secret.reload': 'settings' }, {}, 'named template any', SECRET],
    [{ 'cm.auto': 'true' }, { 'secret.auto': 'true' }, {}, 'typed-auto template use', SECRET],
    [{ 'cm.auto': 'true' }, { 'secret.auto': 'true' }, {}, 'typed-auto workload use'],
    [{ match: 'true' }, { auto: 'true' }, {}, 'auto template use'],
    [{ auto: 'true' }, { auto: 'false' }, {}, 'auto workload use'],
    [{ search: 'true' }, { search: 'true', auto: 'true' }, {}, NO],
  ],
  'auto-reload-all takes what says nothing else': [
    [{}, {}, {}, 'auto-all setting use', ALL],
    [{}, {}, {}, 'auto-all setting use', { all: true, kind: 'Secret' }],
    [{}, {}, {}, 'auto-all setting use', { all: true, kind: 'SecretProviderClass' }],
    [{ auto: '' }, {}, {}, 'auto-all setting use', ALL],
    [{ 'cm.auto': '' }, {}, {}, 'auto-all setting use', ALL],
    [{ auto: 'false' }, {}, {}, NO, ALL],
    [{ auto: 'rubbish' }, {}, {}, NO, ALL],
    [{ 'cm.auto': 'false' }, {}, {}, NO, ALL],
    [{ 'secret.auto': 'false' }, {}, {}, 'auto-all setting use', ALL],
    [{ 'secret.auto': 'false' }, {}, {}, NO, { all: true, kind: 'Secret' }],
    [{ auto: 'false', 'cm.auto': 'true' }, {}, {}, 'typed-auto workload use', ALL],
    [{ auto: 'true' }, {}, {}, 'auto workload use', ALL],
    [{}, { auto: 'false' }, {}, 'not-selected template', ALL],
    [{ auto: '' }, { auto: 'false' }, {}, 'auto-all setting use', ALL],
    [{ 'cm.reload': 'other' }, {}, {}, 'auto-all setting use', ALL],
    [{ search: 'true' }, {}, {}, 'auto-all setting use', ALL],
    [{ search: 'true' }, {}, M, 'search workload use', ALL],
    [{ search: 'true', auto: 'false' }, {}, {}, NO, ALL],
  ],
  'match and kind on a workload narrow auto and search to kinds': [
    [{ auto: 'true', match: 'configmap' }, {}, {}, 'auto workload use'],
    [{ auto: 'true', match: 'configmap' }, {}, {}, 'kind-filtered workload', SECRET],
    [{ auto: 'true', match: 'secret' }, {}, {}, 'kind-filtered workload'],
    [{ auto: 'true', match: 'configmap|secret' }, {}, {}, 'auto workload use'],
    [{ auto: 'true', match: 'configmap|secret' }, {}, {}, 'auto workload use', SECRET],
    [{ auto: 'true', match: 'configmap|secret' }, {}, {}, 'kind-filtered workload', SPC],
    [{ auto: 'true', match: ' ConfigMap | SECRET ' }, {}, {}, 'auto workload use'],
    [{ auto: 'true', match: 'SECRET' }, {}, {}, 'kind-filtered workload'],
    [{ auto: 'true', kind: 'secret' }, {}, {}, 'kind-filtered workload'],
    [{ auto: 'true', kind: 'secret' }, {}, {}, 'auto workload use', SECRET],
    [{ auto: 'true', match: 'configmap|secret', kind: 'secret' }, {}, {}, 'kind-filtered workload'],
    [{ search: 'true', match: 'secret' }, {}, M, 'kind-filtered workload'],
    [{ 'cm.auto': 'true', kind: 'secret' }, {}, {}, 'kind-filtered workload'],
    [{ kind: 'secret' }, {}, {}, 'kind-filtered workload', ALL],
    [{ 'cm.reload': 'settings', kind: 'secret' }, {}, {}, YES],
    [{ auto: 'true', match: 'true' }, {}, {}, 'auto workload use'],
    [{ auto: 'true', match: 'pods' }, {}, {}, 'auto workload use'],
    [{ auto: 'true', match: 'pods|secret' }, {}, {}, 'kind-filtered workload'],
    [{ auto: 'true', kind: '__proto__' }, {}, {}, 'auto workload use'],
    [{ auto: 'true', kind: '' }, {}, {}, 'auto workload use'],
    [{}, { auto: 'true', kind: 'secret' }, {}, 'kind-filtered workload'],
    [{ kind: 'secret' }, { auto: 'true' }, {}, 'kind-filtered workload'],
    [{ auto: 'true' }, { kind: 'secret' }, {}, 'auto workload use'],
    [{ kind: 'secret' }, {}, {}, 'not-selected template'],
  ],
  'flags rename annotations, and the old names mean nothing then': [
    [{ 'x/auto': 'true' }, {}, {}, 'auto workload use', { names: { auto: 'x/auto' } }],
    [{ auto: 'true' }, {}, {}, 'not-selected template', { names: { auto: 'x/auto' } }],
    [{ 'x/list': 'settings' }, {}, {}, YES, { names: { configMapReload: 'x/list' } }],
    [{ 'x/list': 'settings' }, {}, {}, YES, { kind: 'Secret', names: { secretReload: 'x/list' } }],
    [{ search: 'true' }, {}, { 'x/m': 'true' }, 'search workload use', { names: { match: 'x/m' } }],
    [{ search: 'true' }, {}, M, NO, { names: { match: 'x/m' } }],
    [{ 'x/s': 'true' }, {}, M, 'search workload use', { names: { search: 'x/s' } }],
    [{ auto: 'true' }, {}, { 'x/i': 'true' }, 'source-ignored source', { names: { ignore: 'x/i' } }],
    [{ auto: 'true' }, {}, { ignore: 'true' }, 'auto workload use', { names: { ignore: 'x/i' } }],
    [{ 'x/a': 'true' }, {}, {}, 'typed-auto workload use', { names: { configMapAuto: 'x/a' } }],
    [{}, {}, {}, 'not-selected template', { names: { auto: 'constructor' } }],
  ],
  'defaults of a namespace count when neither workload nor template says anything': [
    [{}, {}, {}, 'auto namespace use', { namespace: { auto: 'true' } }],
    [{}, {}, {}, 'typed-auto namespace use', { namespace: { 'cm.auto': 'true' } }],
    [{}, {}, {}, 'named namespace any', { namespace: { 'cm.reload': 'settings' } }],
    [{}, {}, M, 'search namespace use', { namespace: { search: 'true' } }],
    [{ auto: 'false' }, {}, {}, NO, { namespace: { auto: 'true' } }],
    [{}, { auto: 'false' }, {}, 'not-selected template', { namespace: { auto: 'true' } }],
    [{ 'secret.auto': 'true' }, {}, {}, 'auto namespace use', { namespace: { auto: 'true' } }],
    [{}, {}, {}, 'not-selected namespace', { all: true, namespace: { auto: 'false' } }],
    [{ ignore: 'true' }, {}, {}, 'workload-ignored workload', { namespace: { auto: 'true' } }],
  ],
};

/** All results for one row: of `optIn`, of a pod that uses the source, and of one that does not. */
function ask([workload, template, source, , options = {}]: Row): {
  procedure: string;
  using: string;
  unused: string;
} {
  const { kind = 'ConfigMap', name = 'settings', all = false } = options;
  const settings = defaultSettings({
    names: { ...DEFAULT_ANNOTATIONS, ...options.names },
    autoReloadAll: all,
    namespaceDefaults: options.namespace !== undefined,
    csi: true,
  });
  const facts = sourceFacts({ kind, name, annotations: full(source) });
  const world = fakeWorld({
    sources: [facts],
    namespaces: [namespaceFacts({ annotations: full(options.namespace ?? {}) })],
  });
  const procedure = optIn(
    { workload: full(workload), template: full(template), namespace: full(options.namespace ?? {}) },
    { kind, name, annotations: facts.annotations },
    settings,
  );
  const outcome = (podSpec: ReturnType<typeof usingPodSpec>): string => {
    const annotations = { annotations: full(workload), templateAnnotations: full(template) };
    const want = wantOf(workloadFacts({ ...annotations, podSpec }), world, settings);
    const isIt = ({ ref }: { ref: SourceRef }): boolean => ref.name === name && ref.kind === kind;
    return want.sources.find(isIt)?.rule ?? want.unwanted.find(isIt)?.rule ?? 'not looked at';
  };
  const use = procedure.reload ? [procedure.mustUse ? 'use' : 'any'] : [];
  return {
    procedure: [procedure.rule, procedure.from, ...use].join(' '),
    using: outcome(usingPodSpec({ kind, name })),
    unused: outcome(usingPodSpec()),
  };
}

describe.each(Object.entries(TABLE))('%s', (_, rows) => {
  it.each(rows.map((row) => [JSON.stringify(row), row] as const))('%s', (_title, row) => {
    const [rule, , use] = row[3].split(' ');
    const answers = ask(row);
    expect(answers.procedure).toBe(row[3]);
    expect(answers.using).toBe(rule);
    // If the pod must use the source and does not, the source is not even a candidate: only a list could name it.
    if (use === 'any') expect(answers.unused).toBe('named');
    else expect(['not looked at', rule]).toContain(answers.unused);
    if (use === 'use') expect(answers.unused).toBe('not looked at');
  });
});

describe('the table', () => {
  it('has at least 150 rows, each of them once', () => {
    const rows = Object.values(TABLE).flat();
    expect(new Set(rows.map((row) => JSON.stringify(row))).size).toBe(rows.length);
    expect(rows.length).toBeGreaterThanOrEqual(150);
  });
});
