/**
 * The slots that the cap counts: rollouts of ours that have not ended, and the workloads that wait because of them.
 *
 * In: what each pass sees of a workload. Out: who holds a slot, and a wake-up for everybody who waits when one is freed:
 * the first of them may not need it any more. Guarantees: nobody holds a slot for longer than the deadline without
 * somebody saying that its rollout goes on; those who wait are woken in the order in which they came.
 */
export class UnfinishedRollouts {
  /** Milliseconds since the epoch: when it was last said to go on. */
  readonly #running = new Map<string, number>();
  readonly #waiting = new Set<string>();
  readonly #wake: (key: string) => void;
  readonly #now: () => number;
  readonly #deadlineMs: number;

  constructor(wake: (key: string) => void, now: () => number, deadlineMs: number) {
    this.#wake = wake;
    this.#now = now;
    this.#deadlineMs = deadlineMs;
  }

  /** Whose rollouts have not ended, `key` itself aside. */
  without(key: string): string[] {
    const oldest = this.#now() - this.#deadlineMs;
    return [...this.#running].flatMap(([other, at]) => (other !== key && at > oldest ? [other] : []));
  }

  set(key: string, running: boolean): void {
    if (running) {
      this.#running.set(key, this.#now());
      this.#waiting.delete(key);
      return;
    }
    if (!this.#running.delete(key)) return;
    for (const next of this.#waiting) this.#wake(next);
  }

  /** `key` could go on if fewer were running. */
  wait(key: string): void {
    this.#waiting.add(key);
  }

  /** `key` does not wait for a slot: it has one, waits for something else or needs none. */
  stopWaiting(key: string): void {
    this.#waiting.delete(key);
  }

  forget(key: string): void {
    this.#waiting.delete(key);
    this.set(key, false);
  }
}
