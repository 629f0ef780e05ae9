/** How informers are made: the options, and which type follows from them. */
import type { Client } from '../client/client.ts';
import type { ResourceType } from '../client/resource.ts';
import type { Clock } from '../clock/clock.ts';
import type { Logger } from '../logging/logger.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { KubernetesObject, Stored } from '../objects/types.ts';
import type { Scope } from '../reflector/api.ts';
import type { Random } from '../reflector/backoff.ts';
import type { ReflectorTuning } from '../reflector/reflector.ts';
import type { CachingInformer } from './caching-informer.ts';
import type { Cached, IndexFunctions } from './informer.ts';
import type { Projection } from './projection.ts';
import { SharedInformer } from './shared-informer.ts';

/** Where informers get what they need from; the same for all informers of a program. */
export interface InformerEnvironment {
  readonly client: Pick<Client, 'listEach' | 'watch'>;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  readonly tuning?: ReflectorTuning;
  /**
   * How often handlers are shown everything again, to make up for what they missed; each time 10 % sooner or
   * later. It does not reach the server. 10 hours by default, 0 for never.
   */
  readonly resyncPeriodMs?: number;
  /** Freeze what is cached, so that a consumer that changes it fails. For development and tests. */
  readonly freeze?: boolean;
  /** Compare every watch-list with a plain list and report differences. For debugging. */
  readonly selfCheck?: boolean;
}

/** What is cached. */
export interface InformerSelection<T extends KubernetesObject> extends Scope {
  readonly type: ResourceType<T>;
}

export type InformerOptions<T extends KubernetesObject, C extends Cached> = InformerEnvironment &
  InformerSelection<T> & {
    readonly indexes?: IndexFunctions<C>;
    readonly project?: Projection<T, C>;
    /** Ask the server for metadata only. */
    readonly metadataOnly?: boolean;
  };

/**
 * An informer for one kind. It keeps what `project` gives, or else the whole object; with `metadataOnly` the
 * server sends metadata alone.
 *
 * @example
 * ```ts
 * const pods = createInformer({
 *   client,
 *   type: PODS,
 *   project: (pod) => ({ metadata: identityOf(pod), node: pod.spec.nodeName }),
 *   indexes: { node: (pod) => [pod.node] },
 * });
 * pods.addHandler((event) => queue.add(keyString(event.object.metadata)));
 * void pods.run(signal);
 * await pods.whenSynced(signal);
 * pods.store.byIndex('node', 'node-1');
 * ```
 */
export function createInformer<T extends KubernetesObject, C extends Cached>(
  options: InformerOptions<T, C> & { readonly project: Projection<T, C> },
): CachingInformer<C>;
export function createInformer(
  options: InformerOptions<KubernetesObject, Stored<KubernetesObject>> & { readonly metadataOnly: true },
): CachingInformer<Stored<KubernetesObject>>;
export function createInformer<T extends KubernetesObject>(
  options: InformerOptions<T, Stored<T>> & { readonly project?: never; readonly metadataOnly?: false },
): CachingInformer<Stored<T>>;
export function createInformer<T extends KubernetesObject, C extends Cached>(
  options: InformerOptions<T, C>,
): CachingInformer<C> {
  return new SharedInformer(options);
}
