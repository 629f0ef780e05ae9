/** The store of a kind that is listed instead of watched: objects by namespace and name, with indexes. */
import type { Cached, IndexFunctions, ObjectKey, ReadonlyStore } from '@reloader/runtime';

export class ListedStore<C extends Cached> implements ReadonlyStore<C> {
  readonly #spaces = new Map<string, Map<string, C>>();
  readonly #indexes = new Map<
    string,
    { valuesOf(object: C): readonly string[]; members: Map<string, Set<C>> }
  >();
  /** Undefined, because namespaces are listed at different times and have no common version. */
  readonly resourceVersion = undefined;

  constructor(functions: IndexFunctions<C>) {
    this.addIndexes(functions);
  }

  get size(): number {
    let size = 0;
    for (const space of this.#spaces.values()) size += space.size;
    return size;
  }

  get(key: ObjectKey): C | undefined {
    return this.#spaces.get(key.namespace ?? '')?.get(key.name);
  }

  *list(namespace?: string): Iterable<C> {
    if (namespace !== undefined) yield* this.#spaces.get(namespace)?.values() ?? [];
    else for (const space of this.#spaces.values()) yield* space.values();
  }

  byIndex(index: string, value: string): Iterable<C> {
    return this.#index(index).members.get(value) ?? [];
  }

  indexValues(index: string, object: C): readonly string[] {
    return this.#index(index).valuesOf(object);
  }

  addIndexes(functions: IndexFunctions<C>): void {
    for (const [name, valuesOf] of Object.entries(functions)) {
      if (this.#indexes.has(name)) continue;
      this.#indexes.set(name, { valuesOf, members: new Map() });
      for (const object of this.list()) this.#member(name, object, true);
    }
  }

  set(object: C): void {
    this.delete(object.metadata);
    const { namespace = '', name } = object.metadata;
    const space = this.#spaces.get(namespace) ?? new Map<string, C>();
    this.#spaces.set(namespace, space.set(name, object));
    for (const index of this.#indexes.keys()) this.#member(index, object, true);
  }

  delete(key: ObjectKey): void {
    const object = this.get(key);
    if (!object) return;
    for (const index of this.#indexes.keys()) this.#member(index, object, false);
    const space = this.#spaces.get(key.namespace ?? '');
    space?.delete(key.name);
    if (space?.size === 0) this.#spaces.delete(key.namespace ?? '');
  }

  #member(name: string, object: C, present: boolean): void {
    const { valuesOf, members } = this.#index(name);
    for (const value of valuesOf(object)) {
      const of = members.get(value) ?? new Set<C>();
      if (present) members.set(value, of.add(object));
      else if (of.delete(object) && of.size === 0) members.delete(value);
    }
  }

  #index(name: string) {
    const index = this.#indexes.get(name);
    if (!index) throw new TypeError(`There is no index "${name}": declare it with the informer`);
    return index;
  }
}
