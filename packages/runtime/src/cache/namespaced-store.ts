/** The stores of several namespaces, read as one. */
import type { ObjectKey } from '../model/types.ts';
import { isOlder } from '../reflector/versions.ts';
import type { Cached, ReadonlyStore } from './informer.ts';

export class NamespacedStore<C extends Cached> implements ReadonlyStore<C> {
  readonly #parts: ReadonlyMap<string, { readonly store: ReadonlyStore<C> }>;
  readonly #hasIndex: (index: string) => boolean;

  constructor(
    parts: ReadonlyMap<string, { readonly store: ReadonlyStore<C> }>,
    hasIndex: (index: string) => boolean,
  ) {
    this.#parts = parts;
    this.#hasIndex = hasIndex;
  }

  get(key: ObjectKey): C | undefined {
    return this.#parts.get(key.namespace ?? '')?.store.get(key);
  }

  *list(namespace?: string): Iterable<C> {
    if (namespace === undefined) for (const { store } of this.#parts.values()) yield* store.list();
    else yield* this.#parts.get(namespace)?.store.list() ?? [];
  }

  byIndex(index: string, value: string): Iterable<C> {
    // Without a namespace no part would throw for an unknown index.
    if (!this.#hasIndex(index))
      throw new TypeError(`There is no index "${index}": declare it with the informer`);
    return this.#byIndex(index, value);
  }

  get size(): number {
    let size = 0;
    for (const { store } of this.#parts.values()) size += store.size;
    return size;
  }

  /** The oldest version of all parts: all of them reflect it. */
  get resourceVersion(): string | undefined {
    let oldest: string | undefined;
    for (const { store } of this.#parts.values()) {
      const version = store.resourceVersion;
      if (version === undefined) return undefined;
      if (oldest === undefined || isOlder(version, oldest)) oldest = version;
    }
    return oldest;
  }

  *#byIndex(index: string, value: string): Iterable<C> {
    for (const { store } of this.#parts.values()) yield* store.byIndex(index, value);
  }
}
