/**
 * Rate limit for writes to the notebook: a burst, then a steady rate. etcd keeps every version of an object for
 * minutes, so many changes at once must not fill it with notes.
 */
const BURST_BYTES = 2 * 1024 * 1024;
const BYTES_PER_SECOND = 64 * 1024;

export class WriteBudget {
  /** When the budget is full again, in milliseconds of a monotonic clock. */
  #fullAt = Number.NEGATIVE_INFINITY;

  /** Takes the bytes, and returns how many milliseconds to wait before they are written. */
  take(bytes: number, now: number): number {
    const cost = (bytes * 1000) / BYTES_PER_SECOND;
    this.#fullAt = Math.max(this.#fullAt, now) + cost;
    const burst = (BURST_BYTES * 1000) / BYTES_PER_SECOND;
    return Math.max(0, this.#fullAt - burst - now);
  }
}
