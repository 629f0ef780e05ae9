/**
 * The `World` that decisions read, backed by the caches.
 *
 * In: the informers' stores. Out: facts, and for sources their state. Guarantees: a source is `gone` only if a synced
 * cache covers its kind and namespace and the namespace is not being deleted; any other missing source is `unknown`,
 * with the reason. With a label selector it is `gone` only after a proof: removing the label looks like a deletion.
 */
import type { CachingInformer, ReadonlyStore } from '@reloader/runtime';
import type { ConfigFacts } from '../model/config.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import { type SourceKind, type SourceRef, sourceKey } from '../model/source.ts';
import type { SourceFacts, SourceState } from '../model/source-facts.ts';
import { type WorkloadFacts, type WorkloadKind, type WorkloadRef, workloadKey } from '../model/workload.ts';
import type { NamespaceFacts, World } from '../model/world.ts';
import type { Appeared } from './appeared.ts';
import type { ChangeTimes } from './change-times.ts';
import type { Deletions } from './deletions.ts';
import { whyUnknown } from './informers.ts';
import type { LastSeen } from './last-seen.ts';
import type { OptIns } from './opt-ins.ts';
import type { PastContents } from './past-contents.ts';
import type { ProviderClassView } from './provider-class-view.ts';
import type { Revisions } from './revisions.ts';

export interface KnownWorkloads {
  readonly informer: CachingInformer<WorkloadFacts>;
  /** With our own writes applied. */
  readonly store: ReadonlyStore<WorkloadFacts>;
}

export interface WorldParts {
  /** Without kinds that may not be read. */
  readonly sources: ReadonlyMap<SourceKind, CachingInformer<SourceFacts>>;
  readonly providerClasses: ProviderClassView | undefined;
  readonly workloads: ReadonlyMap<WorkloadKind, KnownWorkloads>;
  readonly configs: ReadonlyStore<ConfigFacts> | undefined;
  readonly namespaces: CachingInformer<NamespaceFacts> | undefined;
  readonly inScope: (namespace: string) => boolean;
  readonly lastSeen: LastSeen;
  readonly changeTimes: ChangeTimes;
  readonly pastContents: PastContents;
  readonly appeared: Appeared;
  readonly deletions: Deletions;
  readonly optIns: OptIns;
  readonly revisions: Revisions;
  readonly settings: Pick<ReloaderSettings, 'ignoredSources' | 'resourceLabelSelector' | 'namespaces'>;
}

export function createWorld(parts: WorldParts): World {
  const {
    sources,
    providerClasses,
    workloads,
    configs,
    namespaces,
    inScope,
    lastSeen,
    changeTimes,
    pastContents,
    appeared,
    deletions,
    optIns,
    revisions,
    settings,
  } = parts;

  const unknown = (why: string): SourceState => ({ kind: 'unknown', why });

  const namespaceProblem = (namespace: string): string | undefined => {
    if (!namespaces?.synced) return undefined;
    const facts = namespaces.store.get({ name: namespace });
    if (!facts) return `the namespace ${namespace} does not exist`;
    return facts.deleting ? `the namespace ${namespace} is being deleted` : undefined;
  };

  const source = (ref: SourceRef): SourceState => {
    const { kind, namespace } = ref;
    if (settings.ignoredSources.has(kind)) return unknown(`${kind}s are ignored`);
    if (!inScope(namespace)) return unknown(`the namespace ${namespace} is not watched`);
    if (kind === 'SecretProviderClass') {
      const facts = providerClasses?.get(ref);
      // There is no status for a class that no pod mounts; that does not mean the class is gone.
      return facts ? { kind: 'present', facts } : unknown('no pod has mounted it');
    }
    const informer = sources.get(kind);
    if (!informer) return unknown(`${kind}s may not be read`);
    const facts = informer.store.get(ref);
    if (facts)
      return { kind: 'present', facts: appeared.applyTo(pastContents.applyTo(changeTimes.applyTo(facts))) };
    const why = whyUnknown(informer, namespace) ?? namespaceProblem(namespace);
    if (why) return unknown(why);
    if (settings.resourceLabelSelector !== '' && !deletions.has(ref))
      return unknown('only selected labels are watched');
    const last = lastSeen.get(sourceKey(ref));
    return last ? { kind: 'gone', last } : { kind: 'gone' };
  };

  const byAge = (a: ConfigFacts, b: ConfigFacts): number =>
    a.createdAt - b.createdAt || (nameOf(a) < nameOf(b) ? -1 : 1);

  return {
    source,
    sourcesIn: (namespace, kind) => {
      if (settings.ignoredSources.has(kind) || !inScope(namespace)) return [];
      if (kind === 'SecretProviderClass') return providerClasses?.list(namespace) ?? [];
      return sources.get(kind)?.store.list(namespace) ?? [];
    },
    workload: ({ kind, ...key }: WorkloadRef) => workloads.get(kind)?.store.get(key),
    knows: (kind) => {
      const informer = workloads.get(kind)?.informer;
      if (!informer?.synced) return false;
      const { phase } = informer.health().state;
      return phase !== 'forbidden' && phase !== 'missing';
    },
    configsFor: (ref) => {
      const naming = [...(configs?.byIndex('targets', workloadKey(ref)) ?? [])];
      return naming.filter(({ ignored }) => !ignored).sort(byAge);
    },
    config: (key) => configs?.get(key),
    namespace: (name) => namespaces?.store.get({ name }),
    namespaces: () => namesIn(parts),
    revision: (namespace) => revisions.of(namespace),
    optInSeen: (workload) => optIns.seen(workload),
    inScope,
  };
}

function* namesIn({ namespaces, sources, settings, inScope }: WorldParts): Iterable<string> {
  if (namespaces) {
    for (const { metadata } of namespaces.store.list()) if (inScope(metadata.name)) yield metadata.name;
    return;
  }
  const known = new Set(settings.namespaces);
  if (known.size === 0)
    for (const informer of sources.values())
      for (const { metadata } of informer.store.list()) known.add(metadata.namespace);
  for (const name of known) if (inScope(name)) yield name;
}

function nameOf({ metadata }: ConfigFacts): string {
  return `${metadata.namespace}/${metadata.name}`;
}
