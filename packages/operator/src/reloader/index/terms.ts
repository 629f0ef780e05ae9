/**
 * The index terms by which workloads and configs are found when a source changes. Index functions for informers: pure,
 * and called again for the old object of an update.
 *
 * A term may find too many objects, never too few: the pass over each found workload decides exactly.
 */
import type { IndexFunctions } from '@reloader/runtime';
import type { Texts } from '../digest/texts.ts';
import { type AnnotationNames, FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { ConfigFacts } from '../model/config.ts';
import type { SourceUse } from '../model/pod-facts.ts';
import type { SourceKind } from '../model/source.ts';
import { type WorkloadFacts, workloadKey } from '../model/workload.ts';

/** The term of configs that select several namespaces. */
export const EVERYWHERE = '*';

const RELOAD_LISTS: readonly (readonly [SourceKind, keyof AnnotationNames])[] = [
  ['ConfigMap', 'configMapReload'],
  ['Secret', 'secretReload'],
  ['SecretProviderClass', 'providerClassReload'],
];

/** The same as `sourceKey`. Uses `join`, because a concatenated string keeps its parts in memory. */
function sourceTerm(namespace: string, kind: SourceKind, name: string): string {
  return [namespace, kind, name].join('/');
}

/** `namespace/Kind`: all sources of a kind in a namespace. */
export function scanTerm(namespace: string, kind: SourceKind): string {
  return `${namespace}/${kind}`;
}

export interface WorkloadIndexes extends IndexFunctions<WorkloadFacts> {
  /** `namespace/Kind/name` of sources that the template uses, and of plain names in lists. */
  readonly sources: (workload: WorkloadFacts) => readonly string[];
  /** `namespace/Kind` for each list with expressions. */
  readonly scans: (workload: WorkloadFacts) => readonly string[];
  /** The namespace, for workloads that set their wave. */
  readonly waves: (workload: WorkloadFacts) => readonly string[];
  /** The key of the workload whose template is used. */
  readonly templates: (workload: WorkloadFacts) => readonly string[];
}

export function workloadIndexes(names: AnnotationNames): WorkloadIndexes {
  return {
    sources: (workload) => {
      const { namespace } = workload.metadata;
      const terms = new Set<string>();
      addUses(workload, terms);
      for (const { kind, text } of listsOf(workload, names))
        for (const name of listItems(text).names) terms.add(sourceTerm(namespace, kind, name));
      return [...terms];
    },
    scans: (workload) => {
      const lists = listsOf(workload, names);
      if (lists.length === 0) return [];
      const { namespace } = workload.metadata;
      const scanned = lists.filter(({ text }) => listItems(text).hasExpressions);
      return [...new Set(scanned.map(({ kind }) => scanTerm(namespace, kind)))];
    },
    waves: ({ annotations, metadata }) =>
      Object.hasOwn(annotations, FIXED_ANNOTATIONS.wave) ? [metadata.namespace] : [],
    templates: ({ workloadRef }) => (workloadRef ? [workloadKey(workloadRef)] : []),
  };
}

/** The lists by name for one kind of source, on the workload and on its template. */
export function listsFor(kind: SourceKind, workload: WorkloadFacts, names: AnnotationNames): string[] {
  return listsOf(workload, names)
    .filter((list) => list.kind === kind)
    .map(({ text }) => text);
}

/** The list for one kind in any annotations, for instance those of a Namespace. */
export function listIn(kind: SourceKind, annotations: Texts, names: AnnotationNames): string | undefined {
  const name = RELOAD_LISTS.find(([listed]) => listed === kind)?.[1];
  return name && annotations[names[name]];
}

interface List {
  readonly kind: SourceKind;
  readonly text: string;
}

/** Plain loops here and below: indexes are computed for the old and the new object of every event. */
function listsOf({ annotations, templateAnnotations }: WorkloadFacts, names: AnnotationNames): List[] {
  const lists: List[] = [];
  for (const [kind, name] of RELOAD_LISTS) {
    for (const text of [annotations[names[name]], templateAnnotations[names[name]]])
      if (text !== undefined) lists.push({ kind, text });
  }
  return lists;
}

function addUses({ pod, metadata: { namespace } }: WorkloadFacts, terms: Set<string>): void {
  for (const { sources } of pod.volumes) addTerms(namespace, sources, terms);
  for (const { env } of pod.containers) addTerms(namespace, env, terms);
  for (const { env } of pod.initContainers) addTerms(namespace, env, terms);
}

function addTerms(namespace: string, uses: readonly SourceUse[], terms: Set<string>): void {
  for (const { kind, name } of uses) terms.add(sourceTerm(namespace, kind, name));
}

/** Excludes the dot: it is part of many names, and matches any character in an expression. */
const PLAIN_NAME = /^[A-Za-z0-9_-]+$/;

function listItems(text: string): { names: readonly string[]; hasExpressions: boolean } {
  const items = text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  const names = items.filter((item) => PLAIN_NAME.test(item));
  return { names, hasExpressions: names.length < items.length };
}

export interface ConfigIndexes extends IndexFunctions<ConfigFacts> {
  /** `namespace/Kind/name` of sources watched by name. */
  readonly sources: (config: ConfigFacts) => readonly string[];
  /** The namespace, or `*`, in which sources are selected by label. */
  readonly scans: (config: ConfigFacts) => readonly string[];
  /** Keys of the workloads to reload. */
  readonly targets: (config: ConfigFacts) => readonly string[];
}

export const configIndexes: ConfigIndexes = {
  sources: ({ metadata: { namespace }, secrets, configMaps }) => [
    ...secrets.map((name) => sourceTerm(namespace, 'Secret', name)),
    ...configMaps.map((name) => sourceTerm(namespace, 'ConfigMap', name)),
  ],
  scans: ({ metadata, namespaceSelector, resourceSelector }) => {
    if (namespaceSelector) return [EVERYWHERE];
    return resourceSelector ? [metadata.namespace] : [];
  },
  targets: ({ targets }) => [...new Set(targets.map(workloadKey))],
};
