/**
 * Which sources a ReloaderConfig asks for on behalf of one of its targets.
 *
 * Names and selectors count in the config's own namespace or, with a namespaceSelector, in those that it selects. A
 * resourceSelector alone selects; beside names or autoReloadAll it filters what they give. Other namespaces count only
 * where they allow it.
 */
import type { ConfigFacts, TargetFacts } from '../model/config.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import type { SourceKind, SourceRef } from '../model/source.ts';
import { sourceKey } from '../model/source.ts';
import type { SourceState } from '../model/source-facts.ts';
import type { Unwanted } from '../model/want.ts';
import type { World } from '../model/world.ts';
import { crossNamespaceDenied } from './cross-namespace.ts';
import { own } from './own.ts';
import { referencedBy, references } from './references.ts';
import { lastMetadataOf, ruledOut, type WantSubject } from './want-subject.ts';

/** A config together with its entries for the workload in question: duplicates are allowed. */
export interface ConfigOnTarget {
  readonly config: ConfigFacts;
  readonly targets: readonly TargetFacts[];
}

export interface ConfigWant {
  readonly asked: readonly { readonly ref: SourceRef; readonly state: SourceState }[];
  readonly unwanted: readonly Unwanted[];
}

/** Configs that name the workload and may reach it, the oldest first. */
export function configsOn(
  { workload, namespace }: WantSubject,
  world: World,
  settings: ReloaderSettings,
): ConfigOnTarget[] {
  const { kind, metadata } = workload;
  return world
    .configsFor({ kind, namespace, name: metadata.name })
    .map((config) => ({
      config,
      targets: config.targets.filter(
        (target) => target.kind === kind && target.name === metadata.name && target.namespace === namespace,
      ),
    }))
    .filter(
      ({ config, targets }) =>
        !config.ignored && targets.length > 0 && !crossNamespaceDenied(config, namespace, world, settings),
    )
    .sort((a, b) => olderFirst(a.config, b.config));
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
      ruledOut(ref.kind, state, settings) ??
      notTriggering(config, ref, state) ??
      (mustReference && !isReferenced(subject, ref) ? 'not-used' : undefined);
    if (rule) unwanted.push({ ref, rule });
    else asked.push({ ref, state });
  }
  return { asked, unwanted };
}

/** A pod can only use sources of its own namespace: another one's of the same name is not meant. */
export function isReferenced({ pod, namespace }: WantSubject, ref: SourceRef): boolean {
  return ref.namespace === namespace && references(pod, ref);
}

/** Which rule of the config itself keeps a source that it asks for from leading to a reload. */
export function notTriggering(
  config: ConfigFacts,
  ref: SourceRef,
  state: SourceState,
): 'config-ignores' | 'labels-differ' | undefined {
  const ignored = config.ignoreResources.some(
    ({ kind, name, namespace }) =>
      kind === ref.kind &&
      name === ref.name &&
      // Empty as in "not given": the schema does not forbid it.
      (namespace === undefined || namespace === '' || namespace === ref.namespace),
  );
  if (ignored) return 'config-ignores';
  const labels = lastMetadataOf(state)?.labels;
  // Nobody knows the labels of what does not exist: it stays wanted as absent, and is looked at when it appears.
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

/** What is watched depends on nothing that the spec says: there is nothing. */
export function watchesNothing(config: ConfigFacts): boolean {
  const { resourceSelector, autoReloadAll } = config;
  return namedSources(config).length === 0 && resourceSelector === undefined && !autoReloadAll;
}

/** As the spec lists them. */
export function namedSources({ secrets, configMaps }: ConfigFacts): { kind: SourceKind; name: string }[] {
  return [
    ...secrets.map((name) => ({ kind: 'Secret' as const, name })),
    ...configMaps.map((name) => ({ kind: 'ConfigMap' as const, name })),
  ].filter(({ name }) => name !== '');
}

/** Where the names and selectors of a config count, as far as those namespaces allow it. */
export function watchedNamespaces(
  config: ConfigFacts,
  world: World,
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

/** Hundreds of selected namespaces do not have it: noting each absence would fill the ledger. */
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
  // One that was selected and is gone now is in no cache; one that lost its label is turned down like any other.
  for (const ref of recorded().values())
    if (ref.namespace === namespace && SELECTABLE.includes(ref.kind)) yield ref;
}
