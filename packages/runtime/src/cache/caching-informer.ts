/** What the parts of this folder know of an informer beyond the public contract. */
import type { KubernetesObject, ObjectKey, Stored } from '../model/types.ts';
import type { Cached, IndexFunctions, Informer } from './informer.ts';

/** An informer with what the parts of a cache know of it beyond the public contract. */
export interface CachingInformer<C extends Cached> extends Informer<C> {
  /** Also while it runs: what is stored is indexed at once. */
  addIndexes(functions: IndexFunctions<C>): void;
  /** What an index says about an object that need not be stored. */
  indexValues(index: string, object: C): readonly string[];
  /** What would be kept of an object. */
  project(object: Stored<KubernetesObject>): C;
  /** Whether objects of this key could be in the store at all, as far as namespaces go. */
  covers(key: ObjectKey): boolean;
  /** The newest resourceVersion that the store is known to reflect where this key lives. */
  reached(key: ObjectKey): string | undefined;
  /** Names the part of the store that moves on together with this key. */
  placeOf(key: ObjectKey): string;
  /** Calls back after the store moved on and all handlers were told. Returns how to stop it. */
  onProgress(listener: () => void): () => void;
}
