/**
 * Turns a reflector's calls into changes of the store and events for handlers.
 *
 * In: the calls of a reflector. Out: a store that changes in whole steps, and events that replay to exactly its
 * content. Guarantees: an object never returns to an older version; replacing an object by another of the same name
 * is a deletion and an addition; an object missing in a relist is a `stale` deletion; an object that cannot be
 * projected keeps its last state and affects no other.
 */
import type { KubernetesObject, ObjectKey, Stored } from '../model/types.ts';
import type { DataEventType, ReflectorSink } from '../reflector/reflector.ts';
import { isOlder } from '../reflector/versions.ts';
import { type Handlers, initialEvents } from './handlers.ts';
import type { Cached, InformerEvent } from './informer.ts';
import { ObjectMap } from './object-map.ts';
import type { Projection } from './projection.ts';
import type { IndexedStore } from './store.ts';

export interface StoreWriterOptions<T extends KubernetesObject, C extends Cached> {
  readonly store: IndexedStore<C>;
  readonly handlers: Handlers<C>;
  readonly project: Projection<T, C>;
  onProjectionError(error: unknown, key: ObjectKey): void;
  /** The first full list is stored and its events were passed to the handlers. */
  onFilled(): void;
  /** The store advanced, and all handlers ran. */
  onProgress(): void;
  /** A full list was stored; called before anything else changes. */
  onReplaced(version: string, byWatchList: boolean): void;
}

export class StoreWriter<T extends KubernetesObject, C extends Cached> implements ReflectorSink<T> {
  readonly #options: StoreWriterOptions<T, C>;
  #collected: ObjectMap<C> | undefined;
  #filled = false;

  constructor(options: StoreWriterOptions<T, C>) {
    this.#options = options;
  }

  begin(): void {
    this.#collected = new ObjectMap();
  }

  discard(): void {
    this.#collected = undefined;
  }

  collect(type: DataEventType, object: Stored<T>): void {
    const collected = this.#collected;
    if (!collected) return;
    const { uid, resourceVersion } = object.metadata;
    if (type === 'DELETED') {
      if (collected.get(object.metadata)?.metadata.uid === uid) collected.delete(object.metadata);
      return;
    }
    const stored = this.#options.store.get(object.metadata);
    const unchanged = stored?.metadata.uid === uid && stored.metadata.resourceVersion === resourceVersion;
    const kept = unchanged ? stored : this.#project(object);
    if (kept) collected.set(kept);
    // An unreadable object must not look deleted.
    else if (stored?.metadata.uid === uid) collected.set(stored);
  }

  replace(version: string, byWatchList: boolean): void {
    const { store, handlers, onProgress, onFilled, onReplaced } = this.#options;
    const collected = this.#collected ?? new ObjectMap<C>();
    this.#collected = undefined;
    const first = !this.#filled;
    this.#filled = true;
    const events = first ? [] : this.#exchange(collected);
    if (first) store.adopt(collected);
    store.reach(version);
    onReplaced(version, byWatchList);
    handlers.notify(first ? initialEvents([...collected.values()]) : events, onProgress);
    if (first) onFilled();
  }

  apply(type: DataEventType, object: Stored<T>, version: string): void {
    const { store, handlers, onProgress } = this.#options;
    const events = type === 'DELETED' ? this.#deleted(object) : this.#written(object);
    store.reach(version);
    handlers.notify(events, onProgress);
  }

  progress(version: string): void {
    this.#options.store.reach(version);
    this.#options.handlers.notify([], this.#options.onProgress);
  }

  #exchange(collected: ObjectMap<C>): InformerEvent<C>[] {
    const { store } = this.#options;
    const events: InformerEvent<C>[] = [];
    for (const old of [...store.list()]) {
      if (collected.get(old.metadata)?.metadata.uid === old.metadata.uid) continue;
      store.delete(old.metadata);
      events.push({ type: 'delete', object: old, stale: true });
    }
    for (const object of collected.values()) {
      const old = store.get(object.metadata);
      if (old === object) continue;
      store.set(object);
      events.push(
        old
          ? { type: 'update', old, object, resync: false, relisted: true }
          : { type: 'add', object, initial: false, relisted: true },
      );
    }
    return events;
  }

  #deleted(object: Stored<T>): InformerEvent<C>[] {
    const { store } = this.#options;
    const old = store.get(object.metadata);
    const { uid, resourceVersion } = object.metadata;
    // A deletion of an earlier object with that name, or of one that had left our selector and came back.
    if (!old || old.metadata.uid !== uid || isOlder(resourceVersion, old.metadata.resourceVersion)) return [];
    store.delete(object.metadata);
    return [{ type: 'delete', object: this.#project(object) ?? old, stale: false }];
  }

  #written(object: Stored<T>): InformerEvent<C>[] {
    const { store } = this.#options;
    const old = store.get(object.metadata);
    const { uid, resourceVersion } = object.metadata;
    if (old) {
      if (isOlder(resourceVersion, old.metadata.resourceVersion)) return [];
      if (old.metadata.uid === uid && old.metadata.resourceVersion === resourceVersion) return [];
    }
    const replaced = old !== undefined && old.metadata.uid !== uid;
    const gone: InformerEvent<C>[] = replaced ? [{ type: 'delete', object: old, stale: true }] : [];
    if (replaced) store.delete(object.metadata);
    const kept = this.#project(object);
    if (!kept) return gone;
    store.set(kept);
    return old && !replaced
      ? [{ type: 'update', old, object: kept, resync: false }]
      : [...gone, { type: 'add', object: kept, initial: false }];
  }

  #project(object: Stored<T>): C | undefined {
    try {
      return this.#options.project(object);
    } catch (error) {
      this.#options.onProjectionError(error, object.metadata);
      return undefined;
    }
  }
}
