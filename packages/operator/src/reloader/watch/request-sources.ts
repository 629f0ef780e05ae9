/** The requests for workloads: one source per kind that is watched. */
import type { Cached, InformerEvent, KindKey, Source } from '@reloader/runtime';
import type { Concerned } from '../index/concerned.ts';
import type { SourceRef } from '../model/source.ts';
import type { WorkloadKind } from '../model/workload.ts';
import type { World } from '../model/world.ts';
import type { Caches } from './caches.ts';
import {
  configNews,
  namespaceNews,
  podStatusNews,
  providerClassNews,
  sourceNews,
  workloadNews,
} from './news.ts';
import type { WorkloadCache } from './own-writes.ts';
import type { ProviderClassView } from './provider-class-view.ts';
import { isInitial, looksOf, requests } from './requests.ts';

export interface RequestParts {
  readonly caches: Caches;
  readonly workloads: ReadonlyMap<WorkloadKind, WorkloadCache>;
  readonly concerned: Concerned;
  readonly world: World;
  readonly providerClasses: ProviderClassView | undefined;
}

export function createRequests(parts: RequestParts): Source<KindKey>[] {
  const { caches, workloads, concerned, world, providerClasses } = parts;
  const inScope = ({ namespace = '' }: KindKey): boolean => world.inScope(namespace);
  const refreshed = refresher(caches);
  const found: Source<KindKey>[] = [];

  for (const { view, required } of workloads.values()) {
    found.push(
      requests({
        informer: view,
        required,
        when: workloadNews,
        keys: (event) => looksOf(event).flatMap((facts) => concerned.byWorkload(facts).filter(inScope)),
      }),
    );
  }
  for (const cache of caches.sources.values()) {
    found.push(
      requests({
        ...cache,
        when: (event) => world.inScope(event.object.metadata.namespace) && sourceNews(event),
        before: inOwnNamespace(refreshed),
        keys: (event) => {
          const { kind, metadata } = event.object;
          const ref: SourceRef = { kind, namespace: metadata.namespace, name: metadata.name };
          const labels = looksOf(event).map((facts) => facts.labels);
          return concerned.bySource(ref, labels, isInitial(event)).filter(inScope);
        },
      }),
    );
  }
  const ofClass = (namespace: string, name: string): KindKey[] => {
    const ref: SourceRef = { kind: 'SecretProviderClass', namespace, name };
    return concerned.bySource(ref, [providerClasses?.get(ref)?.labels ?? {}]).filter(inScope);
  };
  if (caches.podStatuses) {
    found.push(
      requests({
        ...caches.podStatuses,
        when: podStatusNews,
        before: inOwnNamespace(refreshed),
        keys: ({ object }) => ofClass(object.metadata.namespace, object.className),
      }),
    );
  }
  if (caches.providerClasses) {
    found.push(
      requests({
        ...caches.providerClasses,
        when: providerClassNews,
        before: inOwnNamespace(refreshed),
        keys: ({ object }) => ofClass(object.metadata.namespace, object.metadata.name),
      }),
    );
  }
  if (caches.configs) {
    found.push(
      requests({
        ...caches.configs,
        when: configNews,
        before: (event) =>
          refreshed(looksOf(event).flatMap(({ targets }) => targets.map(({ namespace }) => namespace))),
        keys: (event) => looksOf(event).flatMap((config) => concerned.byConfig(config).filter(inScope)),
      }),
    );
  }
  if (caches.namespaces) {
    found.push(
      requests({
        ...caches.namespaces,
        when: namespaceNews,
        before: ({ object }) => refreshed([object.metadata.name]),
        keys: ({ object }) => concerned.byNamespace(object.metadata.name).filter(inScope),
      }),
    );
  }
  return found;
}

type Refresh = (namespaces: Iterable<string>) => Promise<void> | undefined;

/** New lists of these namespaces, of the kinds that are not watched. */
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
