/** The watched sources in a ReloaderConfig's status: those it names, and those its targets follow because of it. */

import type { ConfigFacts } from '../../model/config.ts';
import type { ReloaderSettings } from '../../model/settings.ts';
import { type SourceKind, type SourceRef, sourceKey } from '../../model/source.ts';
import type { SourceState } from '../../model/source-facts.ts';
import type { World } from '../../model/world.ts';
import { namedSources, notTriggering, watchedNamespaces } from '../../want/config-match.ts';
import { lastMetadataOf, ruledOut } from '../../want/want-subject.ts';
import type { WorkloadView } from '../reporter.ts';

export interface WatchedSources {
  /** `namespace/Kind/name` to digest, sorted; existing sources only. */
  readonly hashes: Readonly<Record<string, string>>;
  /** Messages about named sources that do not exist. */
  readonly missing: readonly string[];
  /** Messages about sources whose state is unknown. */
  readonly unreadable: readonly string[];
  /** Messages about named sources that exist and never cause a reload, with the reason. */
  readonly filtered: readonly string[];
  /** All named sources are filtered, so no change causes a reload. */
  readonly allFiltered: boolean;
}

const MOST_HASHES = 2000;

export function watchedSources(
  config: ConfigFacts,
  world: World,
  settings: ReloaderSettings,
  views: readonly WorkloadView[],
  before: Readonly<Record<string, string>>,
): WatchedSources {
  const hashes = new Map<string, string>();
  const missing: string[] = [];
  const unreadable: string[] = [];
  const filtered: string[] = [];
  const keepUnknown = (key: string): void => {
    const known = Object.hasOwn(before, key) ? before[key] : undefined;
    if (known !== undefined) hashes.set(key, known);
  };
  const namespaces = watchedNamespaces(config, world, settings);
  for (const { kind, name } of namesIn(config)) {
    const out: string[] = [];
    let counts = false;
    for (const namespace of namespaces) {
      const ref = { kind, namespace, name };
      const state = world.source(ref);
      const why = whyFiltered(config, ref, state, settings);
      if (why !== undefined) out.push(`${kind} ${namespace}/${name}: ${why}`);
      else if (state.kind === 'present') hashes.set(sourceKey(ref), state.facts.digest);
      else if (state.kind === 'unknown') {
        keepUnknown(sourceKey(ref));
        unreadable.push(`Nothing is known of ${kind} ${namespace}/${name}: ${state.why}`);
      }
      counts ||= why === undefined && state.kind !== 'gone';
    }
    // If the name counts in one of several namespaces, it is filtered in the others on purpose.
    if (counts) continue;
    if (out.length > 0) filtered.push(...out);
    else missing.push(notFound(config, kind, name));
  }
  const own = `${config.metadata.namespace}/${config.metadata.name}`;
  for (const { want } of views) {
    for (const { ref, state, configs } of want.sources) {
      if (!configs.includes(own)) continue;
      if (state.kind === 'present') hashes.set(sourceKey(ref), state.facts.digest);
      else if (state.kind === 'unknown') keepUnknown(sourceKey(ref));
    }
  }
  const sorted = [...hashes].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    hashes: Object.fromEntries(sorted.slice(0, MOST_HASHES)),
    missing,
    unreadable,
    filtered,
    allFiltered:
      filtered.length > 0 && hashes.size + missing.length + unreadable.length === 0 && !config.autoReloadAll,
  };
}

function notFound({ metadata, namespaceSelector }: ConfigFacts, kind: SourceKind, name: string): string {
  if (!namespaceSelector) return `${kind} ${metadata.namespace}/${name} not found`;
  return `${kind} ${name} not found in any namespace that spec.watchedResources.namespaceSelector selects and that allows it`;
}

/** Without repetition. */
function namesIn(config: ConfigFacts): { kind: SourceKind; name: string }[] {
  return [...new Map(namedSources(config).map((named) => [`${named.kind}/${named.name}`, named])).values()];
}

/** Why a source never leads to a reload by this config, as far as that is known. */
function whyFiltered(
  config: ConfigFacts,
  ref: SourceRef,
  state: SourceState,
  settings: ReloaderSettings,
): string | undefined {
  // The last labels of a deleted source do not matter: it is missing, not filtered.
  const known: SourceState = state.kind === 'gone' ? { kind: 'gone' } : state;
  const rule = ruledOut(ref, known, settings) ?? notTriggering(config, ref, known);
  switch (rule) {
    case undefined:
      return undefined;
    case 'kind-ignored':
      return `--resources-to-ignore leaves out ${ref.kind}s`;
    case 'source-ignored':
      return `it carries the annotation ${settings.names.ignore}: "true"`;
    case 'own-record':
      return 'the operator keeps its own records in it';
    case 'generated':
      return 'a PodConfigMapConfig made it: --reload-on-generated lets those count';
    case 'config-ignores':
      return 'spec.ignoreResources leaves it out';
    case 'labels-differ':
      return labelsDiffer(config, lastMetadataOf(state)?.labels ?? {});
  }
}

function labelsDiffer({ matchLabels }: ConfigFacts, labels: Readonly<Record<string, string>>): string {
  const missing = Object.entries(matchLabels).find(
    ([key, value]) => !Object.hasOwn(labels, key) || labels[key] !== value,
  );
  return missing
    ? `it does not carry the label ${missing[0]}: ${missing[1]} that spec.matchLabels asks for`
    : 'its labels do not match spec.watchedResources.resourceSelector';
}
