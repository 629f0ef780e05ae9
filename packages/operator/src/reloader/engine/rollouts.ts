/**
 * Rollouts of ours that have not ended, and the workloads that wait because of them.
 *
 * In: what each pass sees of a workload. Out: their number, and a wake-up for one waiting workload per rollout that
 * ended. It is rebuilt from the ledgers after a restart, one pass at a time.
 */
export class UnfinishedRollouts {
  readonly #running = new Set<string>();
  readonly #waiting = new Set<string>();
  readonly #wake: (key: string) => void;

  constructor(wake: (key: string) => void) {
    this.#wake = wake;
  }

  /** Not counting `key` itself. */
  countWithout(key: string): number {
    return this.#running.size - (this.#running.has(key) ? 1 : 0);
  }

  set(key: string, running: boolean): void {
    if (running) {
      this.#running.add(key);
      this.#waiting.delete(key);
      return;
    }
    if (!this.#running.delete(key)) return;
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#waiting.delete(next);
    this.#wake(next);
  }

  /** `key` could go on if fewer were running. */
  wait(key: string): void {
    this.#waiting.add(key);
  }

  forget(key: string): void {
    this.#waiting.delete(key);
    this.set(key, false);
  }
}
