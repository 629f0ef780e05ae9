/** The controller's sources of requests for workloads, one per watched kind. */
import type { Cached, InformerEvent, KindKey, Source } from '@reloader/runtime';
import type { AffectedWorkloads } from '../index/affected-workloads.ts';
import type { SourceRef } from '../model/source.ts';
import type { SourceFacts } from '../model/source-facts.ts';
import type { WorkloadKind } from '../model/workload.ts';
import type { World } from '../model/world.ts';
import type { Caches } from './caches.ts';
import type { Deletions } from './deletions.ts';
import type { WorkloadCache } from './own-writes.ts';
import type { ProviderClassView } from './provider-class-view.ts';
import {
  isConfigChange,
  isNamespaceChange,
  isPodStatusChange,
  isProviderClassChange,
  isSourceChange,
  isWorkloadChange,
} from './relevant-changes.ts';
import { isInitial, oldAndNew, requests } from './requests.ts';

export interface RequestParts {
  readonly caches: Caches;
  readonly workloads: ReadonlyMap<WorkloadKind, WorkloadCache>;
  readonly affected: AffectedWorkloads;
  readonly world: World;
  readonly providerClasses: ProviderClassView | undefined;
  /** With a label selector. */
  readonly deletions: Deletions | undefined;
}

export function createRequests(parts: RequestParts): Source<KindKey>[] {
  const { caches, workloads, affected, world, providerClasses, deletions } = parts;
  const inScope = ({ namespace = '' }: KindKey): boolean => world.inScope(namespace);
  const refreshed = refresher(caches);
  const found: Source<KindKey>[] = [];

  for (const { view, required } of workloads.values()) {
    found.push(
      requests({
        informer: view,
        required,
        when: isWorkloadChange,
        keys: (event) => oldAndNew(event).flatMap((facts) => affected.byWorkload(facts).filter(inScope)),
      }),
    );
  }
  const proven = async (facts: SourceFacts, ready: Promise<void> | undefined): Promise<void> => {
    await ready;
    const ref = refOf(facts);
    if (affected.bySource(ref, [facts.labels]).some(inScope)) await deletions?.prove(ref);
  };
  for (const cache of caches.sources.values()) {
    found.push(
      requests({
        ...cache,
        when: (event) => world.inScope(event.object.metadata.namespace) && isSourceChange(event),
        before: (event) => {
          const ready = inOwnNamespace(refreshed)(event);
          return deletions && event.type === 'delete' ? proven(event.object, ready) : ready;
        },
        keys: (event) => {
          const ref = refOf(event.object);
          const labels = oldAndNew(event).map((facts) => facts.labels);
          return affected.bySource(ref, labels, isInitial(event)).filter(inScope);
        },
      }),
    );
  }
  const ofClass = (namespace: string, name: string): KindKey[] => {
    const ref: SourceRef = { kind: 'SecretProviderClass', namespace, name };
    return affected.bySource(ref, [providerClasses?.get(ref)?.labels ?? {}]).filter(inScope);
  };
  if (caches.podStatuses) {
    found.push(
      requests({
        ...caches.podStatuses,
        when: isPodStatusChange,
        before: inOwnNamespace(refreshed),
        keys: ({ object }) => ofClass(object.metadata.namespace, object.className),
      }),
    );
  }
  if (caches.providerClasses) {
    found.push(
      requests({
        ...caches.providerClasses,
        when: isProviderClassChange,
        before: inOwnNamespace(refreshed),
        keys: ({ object }) => ofClass(object.metadata.namespace, object.metadata.name),
      }),
    );
  }
  if (caches.configs) {
    found.push(
      requests({
        ...caches.configs,
        when: isConfigChange,
        before: (event) =>
          refreshed(oldAndNew(event).flatMap(({ targets }) => targets.map(({ namespace }) => namespace))),
        keys: (event) => oldAndNew(event).flatMap((config) => affected.byConfig(config).filter(inScope)),
      }),
    );
  }
  if (caches.namespaces) {
    found.push(
      requests({
        ...caches.namespaces,
        when: isNamespaceChange,
        before: ({ object }) => refreshed([object.metadata.name]),
        keys: ({ object }) => affected.byNamespace(object.metadata.name).filter(inScope),
      }),
    );
  }
  return found;
}

function refOf({ kind, metadata: { namespace, name } }: SourceFacts): SourceRef {
  return { kind, namespace, name };
}

type Refresh = (namespaces: Iterable<string>) => Promise<void> | undefined;

/** Lists these namespaces again, for the kinds that are not watched. */
function refresher({ listed }: Caches): Refresh {
  if (listed.size === 0) return () => undefined;
  return async (namespaces) => {
    const lists = [...new Set(namespaces)].flatMap((namespace) =>
      [...listed.values()].map((informer) => informer.refresh(namespace)),
    );
    await Promise.all(lists);
  };
}

function inOwnNamespace(refreshed: Refresh) {
  return ({ object }: InformerEvent<Cached>): Promise<void> | undefined =>
    refreshed([object.metadata.namespace ?? '']);
}
