/**
 * Objects by namespace, then by name. Two levels instead of `namespace/name` keys, because those strings would
 * cost as much as a small projection, and because lists of one namespace are then a plain iteration.
 */
import type { ObjectKey } from '../model/types.ts';
import type { Cached } from './informer.ts';

export class ObjectMap<C extends Cached> {
  readonly #spaces = new Map<string, Map<string, C>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: ObjectKey): C | undefined {
    return this.#spaces.get(key.namespace ?? '')?.get(key.name);
  }

  set(object: C): void {
    const { namespace = '', name } = object.metadata;
    let space = this.#spaces.get(namespace);
    if (!space) {
      space = new Map();
      this.#spaces.set(namespace, space);
    }
    if (!space.has(name)) this.#size++;
    space.set(name, object);
  }

  delete(key: ObjectKey): boolean {
    const namespace = key.namespace ?? '';
    const space = this.#spaces.get(namespace);
    if (!space?.delete(key.name)) return false;
    this.#size--;
    if (space.size === 0) this.#spaces.delete(namespace);
    return true;
  }

  *values(namespace?: string): IterableIterator<C> {
    if (namespace !== undefined) {
      const space = this.#spaces.get(namespace);
      if (space) yield* space.values();
      return;
    }
    for (const space of this.#spaces.values()) yield* space.values();
  }
}
