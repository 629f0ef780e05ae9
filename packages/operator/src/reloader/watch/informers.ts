/** Creates informers: one for the cluster, or one per namespace, or a listing one where watching is not permitted. */
import {
  type Cached,
  type CachingInformer,
  type Client,
  type Clock,
  createInformer,
  type IndexFunctions,
  type InformerState,
  type KubernetesObject,
  type Logger,
  type Metrics,
  NamespacedInformer,
  type Projection,
  type ResourceType,
} from '@reloader/runtime';
import { ListedInformer } from './listed-informer.ts';

export interface InformerParts {
  readonly client: Pick<Client, 'listEach' | 'watch'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics?: Metrics | undefined;
  /** Empty for all. */
  readonly namespaces: readonly string[];
}

export interface KindOptions<T extends KubernetesObject, C extends Cached> {
  readonly type: ResourceType<T>;
  readonly project: Projection<T, C>;
  readonly indexes?: IndexFunctions<C>;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly metadataOnly?: boolean;
}

export function watched<T extends KubernetesObject, C extends Cached>(
  parts: InformerParts,
  kind: KindOptions<T, C>,
): CachingInformer<C> {
  const { client, clock, logger, metrics, namespaces } = parts;
  // No resync: a pass over every workload happens at each start, and more of them gain nothing.
  const options = { client, clock, logger, ...(metrics ? { metrics } : {}), resyncPeriodMs: 0, ...kind };
  return namespaces.length > 0 && kind.type.namespaced
    ? new NamespacedInformer<T, C>({ ...options, namespaces })
    : createInformer<T, C>(options);
}

export function listed<T extends KubernetesObject, C extends Cached>(
  { client, clock, logger, namespaces }: InformerParts,
  { type, project, indexes = {} }: KindOptions<T, C>,
): ListedInformer<T, C> {
  return new ListedInformer({ client, clock, logger, namespaces, type, project, indexes });
}

/** Why an object that is missing in this namespace may still exist; undefined if its absence is certain. */
export function whyUnknown<C extends Cached>(
  informer: CachingInformer<C>,
  namespace: string,
): string | undefined {
  const { plural } = informer.type;
  const byNamespace = informer instanceof NamespacedInformer || informer instanceof ListedInformer;
  const state = stateIn(informer, namespace);
  if (state.phase === 'forbidden' || state.phase === 'missing') return `${plural} are ${state.phase}`;
  const synced = byNamespace ? informer.syncedIn(namespace) : informer.synced;
  return synced ? undefined : `${plural} are not in sync`;
}

function stateIn<C extends Cached>(informer: CachingInformer<C>, namespace: string): InformerState {
  if (informer instanceof NamespacedInformer) {
    return informer.healthByNamespace().get(namespace)?.state ?? { phase: 'stopped' };
  }
  return informer.health().state;
}
