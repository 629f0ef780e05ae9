/** A bounded cache of match results, expression by name: evaluating again costs much more. */

/** Limit for all lists together. */
const MOST = 50_000;
const filled = new Set<Answers>();
let total = 0;

export class Answers {
  readonly #byName = new Map<string, boolean>();

  get(name: string): boolean | undefined {
    return this.#byName.get(name);
  }

  set(name: string, answer: boolean): void {
    if (!this.#byName.has(name)) total += 1;
    this.#byName.set(name, answer);
    filled.add(this);
    // Drops the results of the list that was filled first; they are evaluated again on demand.
    for (const oldest of filled) {
      if (total <= MOST) break;
      oldest.forget();
    }
  }

  forget(): void {
    total -= this.#byName.size;
    this.#byName.clear();
    filled.delete(this);
  }
}
