/**
 * Keys in byte order, as etcd keeps them: `namespace/name`, or `name` for cluster-scoped objects.
 *
 * An array with binary search beats a tree here: inserting moves memory only, and listing is a plain loop.
 */
export class SortedKeys {
  readonly #keys: string[] = [];

  get size(): number {
    return this.#keys.length;
  }

  add(key: string): void {
    const index = this.#lowerBound(key);
    if (this.#keys[index] === key) return;
    this.#keys.splice(index, 0, key);
  }

  remove(key: string): void {
    const index = this.#lowerBound(key);
    if (this.#keys[index] === key) this.#keys.splice(index, 1);
  }

  /** The keys that start with `prefix`, in order. A copy: later changes do not reach it. */
  withPrefix(prefix: string): string[] {
    if (prefix === '') return this.#keys.slice();
    const start = this.#lowerBound(prefix);
    let end = start;
    while (end < this.#keys.length && this.#keys[end]?.startsWith(prefix)) end++;
    return this.#keys.slice(start, end);
  }

  #lowerBound(key: string): number {
    let low = 0;
    let high = this.#keys.length;
    // Names often arrive in order, and then the position is the end.
    const last = this.#keys[high - 1];
    if (last === undefined || last < key) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#keys[middle] as string) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
