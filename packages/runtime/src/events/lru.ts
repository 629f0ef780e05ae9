/** A least-recently-used map. */
export class LruMap<V> {
  readonly #entries = new Map<string, V>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#entries.size;
  }

  getOrCreate(key: string, create: () => V): V {
    const value = this.#entries.has(key) ? (this.#entries.get(key) as V) : create();
    this.#entries.delete(key);
    this.#entries.set(key, value);
    const oldest = this.#entries.keys().next();
    if (this.#entries.size > this.#limit && !oldest.done) this.#entries.delete(oldest.value);
    return value;
  }
}
