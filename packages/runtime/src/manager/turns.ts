/** Work that takes turns: one piece for each turn of the event loop, so that a crowd of them holds up nothing else. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #isRunning = false;

  /** Resolves when it is the caller's turn: first come, first served. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (!this.#isRunning) this.#schedule();
    });
  }

  #schedule(): void {
    this.#isRunning = true;
    setImmediate(() => {
      this.#waiting.shift()?.();
      if (this.#waiting.length > 0) this.#schedule();
      else this.#isRunning = false;
    });
  }
}
