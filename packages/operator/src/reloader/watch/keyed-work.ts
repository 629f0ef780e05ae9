/**
 * Work by key: one piece at a time for each key, in order, and so many keys at once.
 *
 * What a piece of work throws goes to whoever entered it, and to nobody else.
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
