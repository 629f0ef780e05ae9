/** Remembers results by their argument, a limited number of them; forgets all when it is full. */

const MOST = 500;

export class Memo<A, R> {
  readonly #compute: (argument: A) => R;
  readonly #known = new Map<A, R>();

  constructor(compute: (argument: A) => R) {
    this.#compute = compute;
  }

  get(argument: A): R {
    const known = this.#known.get(argument);
    if (known !== undefined) return known;
    const result = this.#compute(argument);
    if (this.#known.size >= MOST) this.#known.clear();
    this.#known.set(argument, result);
    return result;
  }
}
