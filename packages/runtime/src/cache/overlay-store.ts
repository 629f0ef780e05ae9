/** An informer's store with pending writes laid over it. */
import { keyString, type ObjectKey } from '../model/types.ts';
import { hasReached } from '../reflector/versions.ts';
import type { CachingInformer } from './caching-informer.ts';
import type { Cached, ReadonlyStore } from './informer.ts';
import type { Pending, PendingWrites } from './pending-writes.ts';

export class OverlayStore<C extends Cached> implements ReadonlyStore<C> {
  readonly #informer: CachingInformer<C>;
  readonly #pending: PendingWrites<C>;
  readonly #isSettled: (pending: Pending<C>) => boolean;

  constructor(
    informer: CachingInformer<C>,
    pending: PendingWrites<C>,
    isSettled: (pending: Pending<C>) => boolean,
  ) {
    this.#informer = informer;
    this.#pending = pending;
    this.#isSettled = isSettled;
  }

  get resourceVersion(): string | undefined {
    return this.#informer.store.resourceVersion;
  }

  get size(): number {
    const { store } = this.#informer;
    let size = store.size;
    for (const { key } of this.#pending.values()) {
      size += Number(this.get(key) !== undefined) - Number(store.get(key) !== undefined);
    }
    return size;
  }

  get(key: ObjectKey): C | undefined {
    const cached = this.#informer.store.get(key);
    const pending = this.#pending.get(keyString(key));
    if (!pending || this.#isSettled(pending)) return cached;
    if (pending.object) {
      return hasReached(this.#informer.reached(key), pending.version) ? cached : pending.object;
    }
    // An unanswered write hides nothing; a deletion hides only the deleted object.
    return pending.uncertain || cached?.metadata.uid !== pending.uid ? cached : undefined;
  }

  *list(namespace?: string): Iterable<C> {
    for (const cached of this.#informer.store.list(namespace)) {
      if (!this.#pending.has(keyString(cached.metadata))) yield cached;
    }
    for (const object of this.#pendingObjects()) {
      if (namespace === undefined || object.metadata.namespace === namespace) yield object;
    }
  }

  byIndex(index: string, value: string): Iterable<C> {
    const cached = this.#informer.store.byIndex(index, value);
    return this.#pending.size === 0 ? cached : this.#mixed(cached, index, value);
  }

  *#mixed(cached: Iterable<C>, index: string, value: string): Iterable<C> {
    for (const object of cached) if (this.#isShown(object)) yield object;
    for (const object of this.#pending.byIndex(index, value)) {
      if (this.get(object.metadata) === object) yield object;
    }
  }

  #isShown(object: C): boolean {
    return !this.#pending.has(keyString(object.metadata)) || this.get(object.metadata) === object;
  }

  *#pendingObjects(): Iterable<C> {
    for (const { key } of this.#pending.values()) {
      const object = this.get(key);
      if (object) yield object;
    }
  }
}
