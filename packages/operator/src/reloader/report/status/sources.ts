/** Which sources a ReloaderConfig watches, as far as its status tells: those it names, and those its targets follow. */

import type { ConfigFacts } from '../../model/config.ts';
import type { ReloaderSettings } from '../../model/settings.ts';
import { type SourceKind, type SourceRef, sourceKey } from '../../model/source.ts';
import type { SourceFacts } from '../../model/source-facts.ts';
import type { World } from '../../model/world.ts';
import { watchedNamespaces } from '../../want/config-match.ts';
import type { WorkloadView } from '../reporter.ts';

export interface WatchedSources {
  /** `namespace/Kind/name` to digest, sorted; of those that exist. */
  readonly hashes: Readonly<Record<string, string>>;
  /** What is named and does not exist, in words. */
  readonly missing: readonly string[];
  /** Of what nothing can be said, in words. */
  readonly unreadable: readonly string[];
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
  const keepUnknown = (key: string): void => {
    const known = Object.hasOwn(before, key) ? before[key] : undefined;
    if (known !== undefined) hashes.set(key, known);
  };
  const namespaces = watchedNamespaces(config, world, settings);
  for (const { kind, name } of namesIn(config)) {
    let isKnown = false;
    for (const namespace of namespaces) {
      const ref = { kind, namespace, name };
      if (isIgnored(config, ref)) {
        isKnown = true;
        continue;
      }
      const state = world.source(ref);
      isKnown ||= state.kind !== 'gone';
      if (state.kind === 'present' && passes(config, state.facts))
        hashes.set(sourceKey(ref), state.facts.digest);
      if (state.kind !== 'unknown') continue;
      keepUnknown(sourceKey(ref));
      unreadable.push(`Nothing is known of ${kind} ${namespace}/${name}: ${state.why}`);
    }
    if (!isKnown) missing.push(notFound(config, kind, name));
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
  return { hashes: Object.fromEntries(sorted.slice(0, MOST_HASHES)), missing, unreadable };
}

function notFound({ metadata, namespaceSelector }: ConfigFacts, kind: SourceKind, name: string): string {
  if (!namespaceSelector) return `${kind} ${metadata.namespace}/${name} not found`;
  return `${kind} ${name} not found in any namespace that spec.watchedResources.namespaceSelector selects and that allows it`;
}

/** Without repetition. */
function namesIn({ secrets, configMaps }: ConfigFacts): { kind: SourceKind; name: string }[] {
  return [
    ...[...new Set(secrets)].map((name) => ({ kind: 'Secret' as const, name })),
    ...[...new Set(configMaps)].map((name) => ({ kind: 'ConfigMap' as const, name })),
  ].filter(({ name }) => name !== '');
}

function isIgnored({ ignoreResources }: ConfigFacts, ref: SourceRef): boolean {
  return ignoreResources.some(
    ({ kind, name, namespace }) =>
      kind === ref.kind && name === ref.name && (!namespace || namespace === ref.namespace),
  );
}

function passes({ matchLabels, resourceSelector }: ConfigFacts, { labels }: SourceFacts): boolean {
  if (resourceSelector && !resourceSelector.matches(labels)) return false;
  return Object.entries(matchLabels).every(
    ([label, value]) => Object.hasOwn(labels, label) && labels[label] === value,
  );
}
