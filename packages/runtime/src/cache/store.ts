/**
 * The objects of one informer with their indexes. Object and indexes change in the same step, so no reader sees
 * one without the other. Reads hand out what is stored, never a copy.
 */
import type { ObjectKey } from '../model/types.ts';
import type { Cached, IndexFunctions, ReadonlyStore } from './informer.ts';
import { InvertedIndex } from './inverted-index.ts';
import { ObjectMap } from './object-map.ts';

export class IndexedStore<C extends Cached> implements ReadonlyStore<C> {
  #objects = new ObjectMap<C>();
  readonly #indexes = new Map<string, { readonly given: unknown; readonly index: InvertedIndex<C> }>();
  readonly #onIndexError: (index: string, error: unknown) => void;
  #version: string | undefined;

  constructor(onIndexError: (index: string, error: unknown) => void = () => {}) {
    this.#onIndexError = onIndexError;
  }

  get size(): number {
    return this.#objects.size;
  }

  get resourceVersion(): string | undefined {
    return this.#version;
  }

  get(key: ObjectKey): C | undefined {
    return this.#objects.get(key);
  }

  list(namespace?: string): Iterable<C> {
    return this.#objects.values(namespace);
  }

  byIndex(index: string, value: string): Iterable<C> {
    return this.#index(index).get(value);
  }

  /** The index values of an object, whether it is stored or not. */
  indexValues(index: string, object: C): readonly string[] {
    return this.#index(index).valuesOf(object);
  }

  /** Can be called later: stored objects are indexed at once. Declaring the same function again changes nothing. */
  addIndexes(functions: IndexFunctions<C>): void {
    for (const [name, given] of Object.entries(functions)) {
      const known = this.#indexes.get(name);
      if (known?.given === given) continue;
      if (known) throw new TypeError(`The index "${name}" is already declared with another function`);
      const index = new InvertedIndex<C>(given, (error) => this.#onIndexError(name, error));
      for (const object of this.#objects.values()) index.change(undefined, object);
      this.#indexes.set(name, { given, index });
    }
  }

  set(object: C): void {
    this.#reindex(this.#objects.get(object.metadata), object);
    this.#objects.set(object);
  }

  delete(key: ObjectKey): void {
    const old = this.#objects.get(key);
    if (!old) return;
    this.#reindex(old, undefined);
    this.#objects.delete(key);
  }

  /** Takes over a whole map while the store is empty: cheaper than moving every object. */
  adopt(objects: ObjectMap<C>): void {
    if (this.#objects.size > 0) throw new TypeError('A store that holds objects cannot adopt others');
    this.#objects = objects;
    for (const { index } of this.#indexes.values()) {
      for (const object of objects.values()) index.change(undefined, object);
    }
  }

  reach(version: string): void {
    this.#version = version;
  }

  #reindex(old: C | undefined, object: C | undefined): void {
    for (const { index } of this.#indexes.values()) index.change(old, object);
  }

  #index(name: string): InvertedIndex<C> {
    const known = this.#indexes.get(name);
    if (known) return known.index;
    const declared = [...this.#indexes.keys()].join(', ') || 'none';
    throw new TypeError(`There is no index "${name}": declare it with the informer (declared: ${declared})`);
  }
}
