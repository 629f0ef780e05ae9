/** The internal interface of informers, used only inside this folder. */
import type { KubernetesObject, ObjectKey, Stored } from '../model/types.ts';
import type { Cached, IndexFunctions, Informer } from './informer.ts';

/** An informer with the internal methods that the parts of a cache use. */
export interface CachingInformer<C extends Cached> extends Informer<C> {
  /** Can be called while the informer runs: stored objects are indexed at once. */
  addIndexes(functions: IndexFunctions<C>): void;
  /** The index values of an object, whether it is stored or not. */
  indexValues(index: string, object: C): readonly string[];
  /** The projection of an object, as the store would hold it. */
  project(object: Stored<KubernetesObject>): C;
  /** Whether the key's namespace is in the informer's scope. */
  covers(key: ObjectKey): boolean;
  /** The newest resourceVersion that the store is known to reflect for this key. */
  reached(key: ObjectKey): string | undefined;
  /** Names the part of the store that advances together with this key. */
  placeOf(key: ObjectKey): string;
  /** Called after the store advanced and all handlers ran. Returns a function that unsubscribes. */
  onProgress(listener: () => void): () => void;
}
