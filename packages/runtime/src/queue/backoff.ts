/** How long to wait after the n-th failure in a row (n counts from 1), in milliseconds. */
export type RetryBackoff = (failures: number) => number;

/** Where waits begin, how they grow and where they end. */
export interface ExponentialBackoffOptions {
  /** After the first failure. 5 ms unless given. */
  readonly baseMs?: number | undefined;
  /** What each further failure multiplies it by. 2 unless given. */
  readonly factor?: number | undefined;
  /** Never longer than this. 1000 s unless given. */
  readonly maxMs?: number | undefined;
}

/** Waits that grow with each failure in a row, up to a limit. */
export function exponentialBackoff(options: ExponentialBackoffOptions = {}): RetryBackoff {
  const { baseMs = 5, factor = 2, maxMs = 1_000_000 } = options;
  if (!(baseMs > 0) || !(factor >= 1) || !(maxMs >= baseMs)) {
    throw new RangeError(
      `Backoff needs baseMs > 0, factor >= 1 and maxMs >= baseMs, got ${baseMs}, ${factor}, ${maxMs}`,
    );
  }
  // The power may overflow to Infinity, which is larger than any cap.
  return (failures) => Math.min(maxMs, baseMs * factor ** Math.max(0, failures - 1));
}
