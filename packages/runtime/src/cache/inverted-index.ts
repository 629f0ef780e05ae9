/**
 * Maps the values of an index function to the objects.
 *
 * In: objects as they are added, updated and deleted. Out: the objects of a value. It stores no values per object: on
 * a change it calls the function again with the old object, so the function must be pure. If the function throws for
 * an object, only that object is missing from this index.
 */
import type { Cached } from './informer.ts';

export type IndexFunction<C extends Cached> = (object: C) => readonly string[];

export class InvertedIndex<C extends Cached> {
  readonly valuesOf: IndexFunction<C>;
  /** Most values have a single object, and a Set for each would need more memory than the object. */
  readonly #members = new Map<string, C | Set<C>>();

  constructor(valuesOf: IndexFunction<C>, onError: (error: unknown) => void) {
    this.valuesOf = (object) => {
      try {
        return valuesOf(object);
      } catch (error) {
        onError(error);
        return [];
      }
    };
  }

  get(value: string): Iterable<C> {
    const members = this.#members.get(value);
    if (members === undefined) return [];
    return members instanceof Set ? members.values() : [members];
  }

  /** The number of distinct values. */
  get size(): number {
    return this.#members.size;
  }

  change(old: C | undefined, object: C | undefined): void {
    const before = old === undefined ? [] : this.valuesOf(old);
    const after = object === undefined ? [] : this.valuesOf(object);
    if (old !== undefined) for (const value of before) this.#remove(value, old);
    if (object !== undefined) for (const value of after) this.#add(value, object);
  }

  #add(value: string, object: C): void {
    const members = this.#members.get(value);
    if (members === undefined || members === object) this.#members.set(value, object);
    else if (members instanceof Set) members.add(object);
    else this.#members.set(value, new Set([members, object]));
  }

  #remove(value: string, object: C): void {
    const members = this.#members.get(value);
    if (members === object) this.#members.delete(value);
    else if (members instanceof Set && members.delete(object) && members.size === 1) {
      const [last] = members;
      if (last !== undefined) this.#members.set(value, last);
    }
  }
}
