/**
 * Decides whether a workload's annotations opt it in to a source. Stakater's rules in their exact order; the result
 * names the deciding rule for `explain`. Pure.
 *
 * The annotations are read once per workload and kind of source (`optInFor`) and then applied to each source.
 */
import { parseGoBool } from '../../go/bool.ts';
import type { AnnotationNames } from '../model/annotations.ts';
import type { SourceKind } from '../model/source.ts';
import type { OptInPlace, Problem } from '../model/want.ts';
import { kindFilter } from './kind-filter.ts';
import { type NamedList, namedList } from './named-list.ts';
import { own, parseNames } from './own.ts';

export type Annotations = Readonly<Record<string, string>>;

export interface OptInSubject {
  readonly workload: Annotations;
  readonly template: Annotations;
  /** Defaults of the Namespace, if a setting allows them. */
  readonly namespace?: Annotations;
}

export interface OptInSource {
  readonly kind: SourceKind;
  readonly name: string;
  readonly annotations: Annotations;
}

export interface OptInSettings {
  readonly names: AnnotationNames;
  readonly autoReloadAll: boolean;
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

export type YesRule = Extract<OptInRule, 'named' | 'search' | 'auto' | 'typed-auto' | 'auto-all'>;

export type OptIn =
  /** `mustUse`: the pod must use the source; a list by name does not require that. */
  | {
      readonly reload: true;
      readonly rule: YesRule;
      readonly mustUse: boolean;
      readonly from: OptInPlace;
    }
  | {
      readonly reload: false;
      readonly rule: Exclude<OptInRule, YesRule>;
      readonly mustUse: false;
      readonly from: OptInPlace;
    };

/** The names of the annotations for this kind of source. */
export function annotationsFor(
  kind: SourceKind,
  names: AnnotationNames,
): { readonly reload: string; readonly auto: string; readonly exclude: string } {
  switch (kind) {
    case 'ConfigMap':
      return { reload: names.configMapReload, auto: names.configMapAuto, exclude: names.configMapExclude };
    case 'Secret':
      return { reload: names.secretReload, auto: names.secretAuto, exclude: names.secretExclude };
    case 'SecretProviderClass':
      return {
        reload: names.providerClassReload,
        auto: names.providerClassAuto,
        exclude: names.providerClassExclude,
      };
  }
}

export interface OptInForKind {
  /** The list by name that applies. */
  readonly list: NamedList;
  /** Problems of the list and of the kind filter. */
  readonly problems: readonly Problem[];
  /** The workload searches: it asks for sources annotated with `match`. */
  readonly searches: boolean;
  decide(source: Omit<OptInSource, 'kind'>): OptIn;
}

const no = (rule: Exclude<OptInRule, YesRule>, from: OptInPlace): OptIn => ({
  reload: false,
  rule,
  mustUse: false,
  from,
});

/** The list by name that applies to this kind of source. */
export function listFor(subject: OptInSubject, kind: SourceKind, names: AnnotationNames): NamedList {
  const fields = annotationsFor(kind, names);
  const from = placeOf(subject, [fields.reload, names.search, names.auto, fields.auto]);
  return namedList(own(subject[from] ?? {}, fields.reload) ?? '');
}

export function optInFor(
  subject: OptInSubject,
  kind: SourceKind,
  { names, autoReloadAll }: OptInSettings,
): OptInForKind {
  const fields = annotationsFor(kind, names);
  const keys = [fields.reload, names.search, names.auto, fields.auto];
  const from = placeOf(subject, keys);
  const place = subject[from] ?? {};
  const [named = '', search = '', auto = '', typedAuto = ''] = keys.map((key) => own(place, key));
  const list = namedList(named);
  const excluded = parseNames(own(subject.workload, fields.exclude));
  const ignored = own(subject.workload, names.ignore) === 'true';
  const filter = kindFilter([subject.workload, place], names);
  const allowed = filter.allows(kind);
  const yes = (rule: YesRule, where: OptInPlace = from): OptIn =>
    allowed ? { reload: true, rule, mustUse: true, from: where } : no('kind-filtered', 'workload');

  const decide: OptInForKind['decide'] = (source) => {
    if (own(source.annotations, names.ignore) === 'true') return no('source-ignored', 'source');
    if (ignored) return no('workload-ignored', 'workload');
    if (excluded.has(source.name)) return no('excluded', 'workload');
    if (list.matches(source.name)) return { reload: true, rule: 'named', mustUse: false, from };
    if (search === 'true' && own(source.annotations, names.match) === 'true') return yes('search');
    if (parseGoBool(auto)) return yes('auto');
    if (parseGoBool(typedAuto)) return yes('typed-auto');
    if (auto === '' && typedAuto === '' && autoReloadAll) return yes('auto-all', 'setting');
    return no('not-selected', from);
  };
  const problems = [...listProblems(list, fields.reload), ...filter.problems];
  return { list, problems, searches: search === 'true', decide };
}

function listProblems({ problems }: NamedList, field: string): Problem[] {
  return problems.map(({ item, message }) => ({
    field,
    reason: 'InvalidExpression',
    message: `${JSON.stringify(item)} in ${field} is not used: ${message}. Write names or RE2 expressions, separated by commas`,
  }));
}

/** Presence decides, not the value: with any of the four keys on the workload, the template is ignored. */
function placeOf(
  subject: OptInSubject,
  keys: readonly string[],
): Extract<OptInPlace, 'workload' | 'template' | 'namespace'> {
  const has = (place: Annotations | undefined): boolean =>
    place !== undefined && keys.some((key) => Object.hasOwn(place, key));
  if (has(subject.workload)) return 'workload';
  return !has(subject.template) && has(subject.namespace) ? 'namespace' : 'template';
}

/** For one source alone. */
export function optIn(subject: OptInSubject, source: OptInSource, settings: OptInSettings): OptIn {
  return optInFor(subject, source.kind, settings).decide(source);
}
