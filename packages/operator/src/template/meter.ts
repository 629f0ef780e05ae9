/**
 * What rendering may cost, in characters: what functions take and make, each directive of printf with the value that it
 * handles, and every step. One meter for everything that is rendered together, so that many small templates cost no more
 * than a large one.
 */
export class Meter {
  readonly #most: number;
  #spent = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Asked before the work is done. Throws a `MeterError`. */
  charge(characters: number): void {
    this.#spent += characters;
    if (this.#spent > this.#most) throw new MeterError(`it handles more than ${this.#most} characters`);
  }
}

/** The executor adds the place. */
export class MeterError extends Error {
  override name = 'MeterError';
}
