/** A condition that becomes true once, with a list of waiters. Leaves no abort listeners behind. */
export class SyncGate {
  #open = false;
  readonly #waiting = new Set<{ resolve(): void; reject(reason: unknown): void }>();

  get isOpen(): boolean {
    return this.#open;
  }

  open(): void {
    this.#open = true;
    for (const waiter of [...this.#waiting]) waiter.resolve();
  }

  /** Rejects the current waiters; later ones can still wait. */
  turnAway(reason: unknown): void {
    for (const waiter of [...this.#waiting]) waiter.reject(reason);
  }

  wait(signal?: AbortSignal): Promise<void> {
    if (this.#open) return Promise.resolve();
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const leave = (): void => {
        signal?.removeEventListener('abort', onAbort);
        this.#waiting.delete(waiter);
      };
      const waiter = {
        resolve: (): void => {
          leave();
          resolve();
        },
        reject: (reason: unknown): void => {
          leave();
          reject(reason);
        },
      };
      const onAbort = (): void => waiter.reject(signal?.reason);
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiting.add(waiter);
    });
  }
}
