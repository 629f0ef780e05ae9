/**
 * Does a workload ask to be reloaded for a source? Stakater's procedure, in its exact order, with the rule that
 * decided, so that `explain` can name it. Pure.
 */
import { parseGoBool } from '../../go/bool.ts';
import type { AnnotationNames } from '../model/annotations.ts';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { SourceKind } from '../model/source.ts';
import { type NamedList, parseNames } from './named-list.ts';

export type Annotations = Readonly<Record<string, string>>;

export interface OptInSubject {
  readonly workload: Annotations;
  readonly template: Annotations;
}

export interface OptInSource {
  readonly kind: SourceKind;
  readonly name: string;
  readonly annotations: Annotations;
}

export interface OptInSettings {
  readonly names: AnnotationNames;
  readonly autoReloadAll: boolean;
  /** Compiled once per text and cached by the caller. */
  readonly namedList: (text: string) => NamedList;
}

export type OptInRule =
  | 'source-ignored'
  | 'workload-ignored'
  | 'excluded'
  | 'named'
  | 'search'
  | 'auto'
  | 'typed-auto'
  | 'auto-all'
  | 'kind-filtered'
  | 'not-selected';

export interface OptIn {
  readonly reload: boolean;
  readonly rule: OptInRule;
  /** The pod must use the source; a list by name does not ask that. */
  readonly mustUse: boolean;
  /** Where the deciding annotation stands. */
  readonly from: 'workload' | 'template' | 'setting' | 'source';
}

interface KindNames {
  readonly reload: keyof AnnotationNames;
  readonly auto: keyof AnnotationNames;
  readonly exclude: keyof AnnotationNames;
}

const KIND_NAMES: Readonly<Record<SourceKind, KindNames>> = {
  ConfigMap: { reload: 'configMapReload', auto: 'configMapAuto', exclude: 'configMapExclude' },
  Secret: { reload: 'secretReload', auto: 'secretAuto', exclude: 'secretExclude' },
  SecretProviderClass: {
    reload: 'providerClassReload',
    auto: 'providerClassAuto',
    exclude: 'providerClassExclude',
  },
};

const no = (rule: OptInRule, from: OptIn['from']): OptIn => ({ reload: false, rule, mustUse: false, from });

export function optIn(subject: OptInSubject, source: OptInSource, settings: OptInSettings): OptIn {
  const { names } = settings;
  const kind = KIND_NAMES[source.kind];
  if (source.annotations[names.ignore] === 'true') return no('source-ignored', 'source');
  if (subject.workload[names.ignore] === 'true') return no('workload-ignored', 'workload');

  const keys = [names[kind.reload], names.search, names.auto, names[kind.auto]];
  // Presence decides, not truth: one of the four on the workload, and the template is not looked at.
  const from = keys.some((key) => Object.hasOwn(subject.workload, key)) ? 'workload' : 'template';
  const [named = '', search = '', auto = '', typedAuto = ''] = keys.map((key) => subject[from][key]);

  if (parseNames(subject.workload[names[kind.exclude]]).has(source.name)) return no('excluded', 'workload');
  if (settings.namedList(named).matches(source.name))
    return { reload: true, rule: 'named', mustUse: false, from };

  const filter = kindFilter(subject, source.kind, names);
  const yes = (rule: OptInRule, where: OptIn['from'] = from): OptIn =>
    filter ? { reload: true, rule, mustUse: true, from: where } : no('kind-filtered', 'workload');

  if (search === 'true' && source.annotations[names.match] === 'true') return yes('search');
  if (parseGoBool(auto)) return yes('auto');
  if (parseGoBool(typedAuto)) return yes('typed-auto');
  if (auto === '' && typedAuto === '' && settings.autoReloadAll) return yes('auto-all', 'setting');
  return no('not-selected', from);
}

/**
 * `match: "configmap|secret"` and `kind: "secret"` on a workload narrow auto and search to those kinds. A value with
 * no known kind narrows nothing; the caller warns about it.
 */
function kindFilter(subject: OptInSubject, kind: SourceKind, names: AnnotationNames): boolean {
  const texts = [subject.workload[names.match], subject.workload[FIXED_ANNOTATIONS.kind]];
  return texts.every((text) => {
    const kinds = parseKindFilter(text).kinds;
    return kinds.length === 0 || kinds.includes(kind);
  });
}

const FILTER_WORDS: Readonly<Record<string, SourceKind>> = {
  configmap: 'ConfigMap',
  secret: 'Secret',
  secretproviderclass: 'SecretProviderClass',
};

export function parseKindFilter(text: string | undefined): { kinds: SourceKind[]; unknown: string[] } {
  const words = (text ?? '')
    .split('|')
    .map((word) => word.trim().toLowerCase())
    .filter((word) => word !== '' && word !== 'true' && word !== 'false');
  const known = (word: string): SourceKind | undefined =>
    Object.hasOwn(FILTER_WORDS, word) ? FILTER_WORDS[word] : undefined;
  return {
    kinds: words.map(known).filter((kind) => kind !== undefined),
    unknown: words.filter((word) => known(word) === undefined),
  };
}
