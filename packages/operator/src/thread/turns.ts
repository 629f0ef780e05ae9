/** A round robin over tenants, so that no tenant waits for all requests of another. */
export class Turns<T> {
  readonly #waiting = new Map<string, T[]>();

  add(tenant: string, item: T): void {
    const own = this.#waiting.get(tenant);
    if (own) own.push(item);
    else this.#waiting.set(tenant, [item]);
  }

  next(): T | undefined {
    for (const [tenant, own] of this.#waiting) {
      // A tenant that had its turn goes to the end.
      this.#waiting.delete(tenant);
      const item = own.shift();
      if (own.length > 0) this.#waiting.set(tenant, own);
      if (item !== undefined) return item;
    }
    return undefined;
  }

  /** Removes and returns all waiting items. */
  *drain(): Generator<T> {
    for (let item = this.next(); item !== undefined; item = this.next()) yield item;
  }
}
