/** Factories of informers; overloads derive the cached type from the options. */
import type { KubernetesObject, Stored } from '../model/types.ts';
import type { CachingInformer } from './caching-informer.ts';
import type { Cached } from './informer.ts';
import type { InformerOptions } from './informer-options.ts';
import type { Projection } from './projection.ts';
import { SharedInformer } from './shared-informer.ts';

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
