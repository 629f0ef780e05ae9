/**
 * Workers that wait for a key, first come first served.
 *
 * A waiter is served at the end of the current turn, not at once: additions in the same turn can still merge, and the
 * most important one is served first.
 */
interface Waiter<T> {
  readonly resolve: (value: T) => void;
}

export class Waiters<T> {
  readonly #waiting = new Set<Waiter<T>>();
  #offered = false;

  get size(): number {
    return this.#waiting.size;
  }

  wait(signal?: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiting.delete(waiter);
        reject(signal?.reason);
      };
      const waiter: Waiter<T> = {
        resolve: (value) => {
          signal?.removeEventListener('abort', onAbort);
          resolve(value);
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiting.add(waiter);
    });
  }

  /** Serves waiters from `take` until either runs out. */
  offer(take: () => T | undefined): void {
    if (this.#offered || this.#waiting.size === 0) return;
    this.#offered = true;
    queueMicrotask(() => {
      this.#offered = false;
      for (const waiter of this.#waiting) {
        const value = take();
        if (value === undefined) return;
        this.#release(waiter, value);
      }
    });
  }

  releaseAll(value: T): void {
    for (const waiter of this.#waiting) this.#release(waiter, value);
  }

  #release(waiter: Waiter<T>, value: T): void {
    this.#waiting.delete(waiter);
    waiter.resolve(value);
  }
}
