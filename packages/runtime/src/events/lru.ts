/**
 * A least-recently-used map. It forgets what it has no room for, and from the least recently used on what is over: a
 * value that a new one would equal.
 */
export class LruMap<V> {
  readonly #entries = new Map<string, V>();
  readonly #limit: number;
  readonly #isOver: (value: V) => boolean;

  constructor(limit: number, isOver: (value: V) => boolean = () => false) {
    this.#limit = limit;
    this.#isOver = isOver;
  }

  get size(): number {
    return this.#entries.size;
  }

  getOrCreate(key: string, create: () => V): V {
    const value = this.#entries.has(key) ? (this.#entries.get(key) as V) : create();
    this.#entries.delete(key);
    this.#entries.set(key, value);
    for (const [oldest, old] of this.#entries) {
      if (oldest === key || (this.#entries.size <= this.#limit && !this.#isOver(old))) break;
      this.#entries.delete(oldest);
    }
    return value;
  }
}
