/**
 * Counts the failures in a row of each key, and remembers when its next retry is due.
 *
 * A failure while the retry of an earlier one is still far away came from a run that an event caused in between. It
 * neither counts nor moves the retry: otherwise a flood of events would use up all retries of a key that only needed
 * time.
 */
import type { Clock } from '../clock/clock.ts';
import type { RetryBackoff } from './backoff.ts';
import type { TokenBucket } from './token-bucket.ts';

/** A retry nearer than this counts as due: the failure counts. */
const FAR_AWAY_MS = 5_000;

interface Failing {
  failures: number;
  retryAt: number;
}

export class Retries {
  readonly #clock: Clock;
  readonly #backoff: RetryBackoff;
  readonly #bucket: TokenBucket | undefined;
  readonly #failing = new Map<string, Failing>();

  constructor(clock: Clock, backoff: RetryBackoff, bucket: TokenBucket | undefined) {
    this.#clock = clock;
    this.#backoff = backoff;
    this.#bucket = bucket;
  }

  /** Counts a failure and returns the wait, at least `notBeforeMs`. */
  next(key: string, notBeforeMs: number): number {
    const now = this.#clock.monotonic();
    const known = this.#failing.get(key);
    if (known && isFarAway(known.retryAt, now)) return Math.max(notBeforeMs, known.retryAt - now);
    const failures = (known?.failures ?? 0) + 1;
    const delay = Math.max(notBeforeMs, this.#backoff(failures), this.#bucket?.reserve() ?? 0);
    this.#failing.set(key, { failures, retryAt: now + delay });
    return delay;
  }

  isPending(key: string): boolean {
    const known = this.#failing.get(key);
    return known !== undefined && isFarAway(known.retryAt, this.#clock.monotonic());
  }

  failures(key: string): number {
    return this.#failing.get(key)?.failures ?? 0;
  }

  forget(key: string): void {
    this.#failing.delete(key);
  }
}

function isFarAway(time: number, now: number): boolean {
  return time - now > FAR_AWAY_MS;
}
