/**
 * Runs work by key: one piece at a time per key, in order, and a limited number of keys concurrently.
 *
 * An error of a piece of work rejects only the promise that `enter` returned for it.
 */
export class KeyedWork {
  readonly #most: number;
  readonly #tails = new Map<string, Promise<void>>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(most: number) {
    this.#most = most;
  }

  enter(key: string, work: () => Promise<void>): Promise<void> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    const done = before.then(() => this.#run(work));
    const tail = done.catch(() => {});
    this.#tails.set(key, tail);
    void tail.then(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    });
    return done;
  }

  async #run(work: () => Promise<void>): Promise<void> {
    if (this.#running >= this.#most) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    try {
      await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}
