/**
 * The sources that a ReloaderConfig asks for on behalf of one of its targets.
 *
 * Names and selectors apply in the config's own namespace or, with a namespaceSelector, in the namespaces it selects. A
 * resourceSelector alone selects sources; together with names or autoReloadAll it filters theirs. Other namespaces are
 * included only if they allow it.
 */
import type { ConfigFacts, TargetFacts } from '../model/config.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import type { SourceKind, SourceRef } from '../model/source.ts';
import { sourceKey } from '../model/source.ts';
import type { SourceState } from '../model/source-facts.ts';
import type { Unwanted } from '../model/want.ts';
import { workloadKey } from '../model/workload.ts';
import type { World } from '../model/world.ts';
import { crossNamespaceDenied } from './cross-namespace.ts';
import { own } from './own.ts';
import { referencedBy, references } from './references.ts';
import { lastMetadataOf, ruledOut, type WantSubject } from './want-subject.ts';

/** A config and its target entries for one workload; there may be several. */
export interface ConfigOnTarget {
  readonly config: ConfigFacts;
  readonly targets: readonly TargetFacts[];
}

export interface ConfigWant {
  readonly asked: readonly { readonly ref: SourceRef; readonly state: SourceState }[];
  readonly unwanted: readonly Unwanted[];
}

/** Configs that name the workload and are allowed to reach it, the oldest first. */
export function configsOn(
  { workload, namespace }: WantSubject,
  world: World,
  settings: ReloaderSettings,
): ConfigOnTarget[] {
  const { kind, metadata } = workload;
  const ref = { kind, namespace, name: metadata.name };
  const key = workloadKey(ref);
  return world
    .configsFor(ref)
    .map((config) => ({ config, targets: targetsOf(config).get(key) ?? [] }))
    .filter(
      ({ config, targets }) =>
        !config.ignored && targets.length > 0 && !crossNamespaceDenied(config, namespace, world, settings),
    )
    .sort((a, b) => olderFirst(a.config, b.config));
}

/** By the key of the workload. Cached: a config has hundreds of targets, and the pass over each of them asks. */
const targets = new WeakMap<ConfigFacts, ReadonlyMap<string, readonly TargetFacts[]>>();

function targetsOf(config: ConfigFacts): ReadonlyMap<string, readonly TargetFacts[]> {
  const known = targets.get(config);
  if (known) return known;
  const byKey = new Map<string, TargetFacts[]>();
  for (const target of config.targets) {
    const key = workloadKey(target);
    byKey.set(key, [...(byKey.get(key) ?? []), target]);
  }
  targets.set(config, byKey);
  return byKey;
}

export function configName({ metadata }: ConfigFacts): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function olderFirst(a: ConfigFacts, b: ConfigFacts): number {
  return a.createdAt - b.createdAt || (configName(a) < configName(b) ? -1 : 1);
}

export function askedByConfig(
  subject: WantSubject,
  { config, targets }: ConfigOnTarget,
  world: World,
  settings: ReloaderSettings,
): ConfigWant {
  const mustReference =
    config.enableTargetedReload && targets.every(({ requireReference }) => requireReference);
  const asked: { ref: SourceRef; state: SourceState }[] = [];
  const unwanted: Unwanted[] = [];
  for (const ref of candidates(subject, config, world, settings)) {
    const state = world.source(ref);
    const rule =
      ruledOut(ref, state, settings) ??
      notTriggering(config, ref, state) ??
      (mustReference && !isReferenced(subject, ref) ? 'not-used' : undefined);
    if (rule) unwanted.push({ ref, rule });
    else asked.push({ ref, state });
  }
  return { asked, unwanted };
}

/** A pod can only use sources of its own namespace: one of the same name in another namespace does not count. */
export function isReferenced({ pod, namespace }: WantSubject, ref: SourceRef): boolean {
  return ref.namespace === namespace && references(pod, ref);
}

/** The rule of the config that excludes a source it asks for; undefined if none does. */
export function notTriggering(
  config: ConfigFacts,
  ref: SourceRef,
  state: SourceState,
): 'config-ignores' | 'labels-differ' | undefined {
  const ignored = config.ignoreResources.some(
    ({ kind, name, namespace }) =>
      kind === ref.kind &&
      name === ref.name &&
      // The schema allows an empty string; it means "not set".
      (namespace === undefined || namespace === '' || namespace === ref.namespace),
  );
  if (ignored) return 'config-ignores';
  const labels = lastMetadataOf(state)?.labels;
  // The labels of a source that does not exist are unknown: it stays wanted as absent, and is checked when created.
  if (labels === undefined) return undefined;
  const selected = config.resourceSelector?.matches(labels) ?? true;
  const carries = Object.entries(config.matchLabels).every(([key, value]) => own(labels, key) === value);
  return selected && carries ? undefined : 'labels-differ';
}

function candidates(
  subject: WantSubject,
  config: ConfigFacts,
  world: World,
  settings: ReloaderSettings,
): Iterable<SourceRef> {
  const found = new Map<string, SourceRef>();
  const add = (ref: SourceRef): void => void found.set(sourceKey(ref), ref);
  const named = namedSources(config);
  const selects = named.length === 0 && !config.autoReloadAll && config.resourceSelector !== undefined;
  for (const namespace of named.length > 0 || selects ? watchedNamespaces(config, world, settings) : []) {
    for (const name of named) {
      const ref = { ...name, namespace };
      if (!config.namespaceSelector || isKnown(subject, ref, world)) add(ref);
    }
    if (selects) for (const ref of selected(subject, config, namespace, world)) add(ref);
  }
  if (config.autoReloadAll)
    for (const { kind, name } of referencedBy(subject.pod)) add({ kind, namespace: subject.namespace, name });
  return found.values();
}

/** True if the spec selects no sources at all. */
export function watchesNothing(config: ConfigFacts): boolean {
  const { resourceSelector, autoReloadAll } = config;
  return namedSources(config).length === 0 && resourceSelector === undefined && !autoReloadAll;
}

/** The sources that the spec names, in its order. */
export function namedSources({ secrets, configMaps }: ConfigFacts): { kind: SourceKind; name: string }[] {
  return [
    ...secrets.map((name) => ({ kind: 'Secret' as const, name })),
    ...configMaps.map((name) => ({ kind: 'ConfigMap' as const, name })),
  ].filter(({ name }) => name !== '');
}

/** The namespaces in which a config's names and selectors apply, as far as those namespaces allow it. */
export function watchedNamespaces(
  config: ConfigFacts,
  world: Pick<World, 'namespace' | 'namespaces'>,
  settings: ReloaderSettings,
): readonly string[] {
  const { namespaceSelector } = config;
  if (!namespaceSelector) return [config.metadata.namespace];
  return [...world.namespaces()].filter(
    (namespace) =>
      namespaceSelector.matches(world.namespace(namespace)?.labels) &&
      !crossNamespaceDenied(config, namespace, world, settings),
  );
}

/** Excludes selected namespaces without the source: recording hundreds of absences would fill the ledger. */
function isKnown({ recorded }: WantSubject, ref: SourceRef, world: World): boolean {
  const state = world.source(ref);
  return lastMetadataOf(state) !== undefined || recorded().has(sourceKey(ref));
}

const SELECTABLE: readonly SourceKind[] = ['ConfigMap', 'Secret'];

function* selected(
  { recorded }: WantSubject,
  { resourceSelector }: ConfigFacts,
  namespace: string,
  world: World,
): Iterable<SourceRef> {
  for (const kind of SELECTABLE) {
    for (const { metadata, labels } of world.sourcesIn(namespace, kind))
      if (resourceSelector?.matches(labels)) yield { kind, namespace, name: metadata.name };
  }
  // A deleted source that was selected is in no cache, only in the record. One that lost its label is rejected later.
  for (const ref of recorded().values())
    if (ref.namespace === namespace && SELECTABLE.includes(ref.kind)) yield ref;
}
