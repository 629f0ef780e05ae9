/**
 * Work that takes turns, so that a crowd of it holds up nothing else: one piece for each turn of the event loop, and
 * between two pieces as much time for everything else as the piece took. New connections are accepted one for each turn,
 * so a loop that only ever answers would let nobody in.
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
    // What the caller does at once has been done when the loop comes round.
    setImmediate(() => {
      if (this.#waiting.length === 0) this.#isRunning = false;
      else setTimeout(() => this.#run(), performance.now() - start);
    });
  }
}
