/** Backoff: the wait after the n-th failure in a row (n counts from 1), in milliseconds. */
export type RetryBackoff = (failures: number) => number;

/** Base, factor and maximum of the backoff. */
export interface ExponentialBackoffOptions {
  /** After the first failure. 5 ms unless given. */
  readonly baseMs?: number | undefined;
  /** The factor per further failure. 2 unless given. */
  readonly factor?: number | undefined;
  /** Maximum. 1000 s unless given. */
  readonly maxMs?: number | undefined;
}

/** Exponential backoff with a maximum. */
export function exponentialBackoff(options: ExponentialBackoffOptions = {}): RetryBackoff {
  const { baseMs = 5, factor = 2, maxMs = 1_000_000 } = options;
  if (!(baseMs > 0) || !(factor >= 1) || !(maxMs >= baseMs)) {
    throw new RangeError(
      `Backoff needs baseMs > 0, factor >= 1 and maxMs >= baseMs, got ${baseMs}, ${factor}, ${maxMs}`,
    );
  }
  // The power may overflow to Infinity, which the maximum also caps.
  return (failures) => Math.min(maxMs, baseMs * factor ** Math.max(0, failures - 1));
}
