/**
 * Serialises work so that a flood of it blocks nothing else: one piece per turn of the event loop, and between two
 * pieces as much time for everything else as the piece took. Node accepts one new connection per turn, so a loop that
 * only answers would accept none.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #isRunning = false;

  /** Resolves when it is the caller's turn: first come, first served. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#isRunning) return;
      this.#isRunning = true;
      setImmediate(() => this.#run());
    });
  }

  #run(): void {
    const start = performance.now();
    this.#waiting.shift()?.();
    // By the loop's next turn, the caller's synchronous work is done.
    setImmediate(() => {
      if (this.#waiting.length === 0) this.#isRunning = false;
      else setTimeout(() => this.#run(), performance.now() - start);
    });
  }
}
