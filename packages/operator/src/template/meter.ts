/**
 * The budget of rendering, in characters: arguments and results of functions, each directive of printf with its value,
 * and every step. One meter for all templates that are rendered together, so that many small ones may cost no more than
 * a large one.
 */
export class Meter {
  readonly #most: number;
  #spent = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Called before the work is done. Throws a `MeterError`. */
  charge(characters: number): void {
    this.#spent += characters;
    if (this.#spent > this.#most) throw new MeterError(`it handles more than ${this.#most} characters`);
  }
}

/** The executor adds the place. */
export class MeterError extends Error {
  override name = 'MeterError';
}
