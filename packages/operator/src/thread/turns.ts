/** Whose turn it is: one of each tenant in a circle, so that nobody waits behind all that somebody else asked for. */
export class Turns<T> {
  readonly #waiting = new Map<string, T[]>();

  add(tenant: string, item: T): void {
    const own = this.#waiting.get(tenant);
    if (own) own.push(item);
    else this.#waiting.set(tenant, [item]);
  }

  next(): T | undefined {
    for (const [tenant, own] of this.#waiting) {
      // Whoever had a turn comes last in the next round.
      this.#waiting.delete(tenant);
      const item = own.shift();
      if (own.length > 0) this.#waiting.set(tenant, own);
      if (item !== undefined) return item;
    }
    return undefined;
  }

  /** All that wait, which wait no longer. */
  *drain(): Generator<T> {
    for (let item = this.next(); item !== undefined; item = this.next()) yield item;
  }
}
