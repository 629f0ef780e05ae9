/** Which sources a ReloaderConfig watches, as far as its status tells: those it names, and those its targets follow. */
import type { ConfigFacts } from '../../model/config.ts';
import { type SourceRef, sourceKey } from '../../model/source.ts';
import type { SourceFacts, SourceState } from '../../model/source-facts.ts';
import type { World } from '../../model/world.ts';
import type { WorkloadView } from '../reporter.ts';

export interface WatchedSources {
  /** `namespace/Kind/name` to digest, sorted; of those that exist. */
  readonly hashes: Readonly<Record<string, string>>;
  readonly missing: readonly SourceRef[];
  /** Nothing can be said of these. */
  readonly unreadable: readonly { readonly ref: SourceRef; readonly why: string }[];
}

const MOST_HASHES = 2000;

export function watchedSources(
  config: ConfigFacts,
  world: Pick<World, 'source'>,
  views: readonly WorkloadView[],
  before: Readonly<Record<string, string>>,
): WatchedSources {
  const states = new Map<string, { ref: SourceRef; state: SourceState; named: boolean }>();
  for (const ref of namedBy(config))
    states.set(sourceKey(ref), { ref, state: world.source(ref), named: true });
  const key = `${config.metadata.namespace}/${config.metadata.name}`;
  for (const { want } of views) {
    for (const { ref, state, configs } of want.sources) {
      if (!configs.includes(key) || states.has(sourceKey(ref))) continue;
      states.set(sourceKey(ref), { ref, state, named: false });
    }
  }
  const found = new Map<string, string>();
  const missing: SourceRef[] = [];
  const unreadable: { ref: SourceRef; why: string }[] = [];
  for (const [name, { ref, state, named }] of states) {
    if (state.kind === 'present') {
      if (!named || passes(config, state.facts)) found.set(name, state.facts.digest);
    } else if (state.kind === 'unknown') {
      const known = Object.hasOwn(before, name) ? before[name] : undefined;
      if (known !== undefined) found.set(name, known);
      if (named) unreadable.push({ ref, why: state.why });
    } else if (named) missing.push(ref);
  }
  const elsewhere = new Set(
    [...states.values()]
      .filter(({ state, named }) => state.kind === 'present' && !named)
      .map(({ ref }) => `${ref.kind}/${ref.name}`),
  );
  return {
    hashes: Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, MOST_HASHES)),
    // With a namespaceSelector a name may live in any of the namespaces.
    missing: missing.filter(({ kind, name }) => !elsewhere.has(`${kind}/${name}`)),
    unreadable,
  };
}

function namedBy({
  metadata: { namespace },
  secrets,
  configMaps,
  ignoreResources,
}: ConfigFacts): SourceRef[] {
  const refs = [
    ...secrets.map((name): SourceRef => ({ kind: 'Secret', namespace, name })),
    ...configMaps.map((name): SourceRef => ({ kind: 'ConfigMap', namespace, name })),
  ];
  return refs.filter(
    (ref) =>
      !ignoreResources.some(
        (ignored) =>
          ignored.kind === ref.kind &&
          ignored.name === ref.name &&
          (ignored.namespace === undefined || ignored.namespace === ref.namespace),
      ),
  );
}

function passes({ matchLabels, resourceSelector }: ConfigFacts, { labels }: SourceFacts): boolean {
  if (resourceSelector && !resourceSelector.matches(labels)) return false;
  return Object.entries(matchLabels).every(
    ([label, value]) => Object.hasOwn(labels, label) && labels[label] === value,
  );
}
