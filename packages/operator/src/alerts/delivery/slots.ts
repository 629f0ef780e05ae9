/** At most this many at once; the others wait in order. */
export class Slots {
  readonly #turns: (() => void)[] = [];
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves with the function that returns the slot. */
  async take(): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#turns.push(resolve));
    return () => {
      const next = this.#turns.shift();
      if (next) next();
      else this.#free += 1;
    };
  }
}
