/**
 * Detects changes in webhook mode: of data; with their flags also creations and deletions. The baseline is the first
 * state that this process saw, because there is no workload to record one on.
 */
import { randomBytes } from 'node:crypto';
import {
  type Cached,
  type CachingInformer,
  ConfigMapsInBytes,
  createInformer,
  type InformerEnvironment,
  type InformerEvent,
  identityOf,
  type KindKey,
  type KubernetesObject,
  NamespacedInformer,
  type Projection,
  type ResourceType,
  SecretsInBytes,
  type Source,
  watches,
} from '@reloader/runtime';
import { podStatusFacts } from '../reloader/digest/provider-class.ts';
import { configMapFacts, secretFacts } from '../reloader/digest/source-projection.ts';
import { PodStatuses } from '../reloader/model/kinds.ts';
import type { ReloaderSettings } from '../reloader/model/settings.ts';

/** The facts that are kept of a source. */
export interface Watched extends Cached {
  /** The name that a change is reported for: the object itself, or the class of a pod's status. */
  readonly name: string;
  readonly digest: string;
}

export interface WatchedKind {
  readonly informer: CachingInformer<Watched>;
  readonly source: Source<KindKey>;
}

export type InScope = (namespace: string) => boolean;

export function watchSecrets(settings: ReloaderSettings, environment: InformerEnvironment, inScope: InScope) {
  // A random key for this process, so that a digest in its memory reveals nothing about short values.
  const options = { names: settings.names, key: randomBytes(32) };
  const informer = informerOf(settings, environment, SecretsInBytes, (secret) => ({
    metadata: identityOf(secret),
    name: secret.metadata.name,
    digest: secretFacts(secret, options).digest,
  }));
  return { informer, source: sourceOf(informer, 'Secret', changed(settings, inScope)) };
}

export function watchConfigMaps(
  settings: ReloaderSettings,
  environment: InformerEnvironment,
  inScope: InScope,
) {
  const options = { names: settings.names, key: undefined };
  const informer = informerOf(settings, environment, ConfigMapsInBytes, (map) => ({
    metadata: identityOf(map),
    name: map.metadata.name,
    digest: configMapFacts(map, options).digest,
  }));
  return { informer, source: sourceOf(informer, 'ConfigMap', changed(settings, inScope)) };
}

/** Reports only rotations, and one for all pods of a class. */
export function watchProviderClasses(
  settings: ReloaderSettings,
  environment: InformerEnvironment,
  inScope: InScope,
): WatchedKind {
  // The driver does not label these objects, so a label selector would find none.
  const unselected = { ...settings, resourceLabelSelector: '' };
  const informer = informerOf(unselected, environment, PodStatuses, (status) => {
    const { className, digest } = podStatusFacts(status);
    return { metadata: identityOf(status), name: className, digest };
  });
  const reported = new Map<string, string>();
  const isNew = changed({ reloadOnCreate: false, reloadOnDelete: false }, inScope);
  const source = sourceOf(informer, 'SecretProviderClass', (event) => {
    const { metadata, name, digest } = event.object;
    const key = `${metadata.namespace}/${name}`;
    if (!isNew(event) || reported.get(key) === digest) return false;
    reported.set(key, digest);
    return true;
  });
  return { informer, source: optional(source) };
}

/** Reported as synced at once: the API may not exist, and the controller must not wait for it. */
function optional({ name, attach }: Source<KindKey>): Source<KindKey> {
  return {
    name,
    attach: (sink) => {
      const { remove } = attach(sink);
      return { synced: true, remove };
    },
  };
}

function changed(
  { reloadOnCreate, reloadOnDelete }: Pick<ReloaderSettings, 'reloadOnCreate' | 'reloadOnDelete'>,
  inScope: InScope,
): (event: InformerEvent<Watched>) => boolean {
  return (event) => {
    if (!inScope(event.object.metadata.namespace ?? '')) return false;
    switch (event.type) {
      case 'add':
        return reloadOnCreate && !event.initial;
      case 'update':
        return event.old.digest !== event.object.digest;
      case 'delete':
        return reloadOnDelete;
    }
  };
}

function sourceOf(
  informer: CachingInformer<Watched>,
  kind: string,
  when: (event: InformerEvent<Watched>) => boolean,
): Source<KindKey> {
  const requestOf = ({ metadata: { namespace }, name }: Watched): KindKey[] => [
    namespace === undefined ? { kind, name } : { kind, namespace, name },
  ];
  return watches(informer, requestOf, { when });
}

function informerOf<T extends KubernetesObject>(
  { namespaces, resourceLabelSelector: labelSelector }: ReloaderSettings,
  environment: InformerEnvironment,
  type: ResourceType<T>,
  project: Projection<T, Watched>,
): CachingInformer<Watched> {
  const options = { ...environment, type, project, ...(labelSelector !== '' && { labelSelector }) };
  return namespaces.length > 0 ? new NamespacedInformer({ ...options, namespaces }) : createInformer(options);
}
