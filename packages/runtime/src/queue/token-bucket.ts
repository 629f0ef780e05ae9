/**
 * A token bucket: `perSecond` on average, `burst` at once.
 *
 * Each call reserves one token and returns how long to wait for it, so callers queue up without a list.
 */
import type { Clock } from '../clock/clock.ts';

export interface TokenBucketOptions {
  readonly perSecond: number;
  readonly burst: number;
}

export class TokenBucket {
  readonly #clock: Clock;
  readonly #perMs: number;
  readonly #burst: number;
  /** Below zero if future tokens were reserved. */
  #tokens: number;
  #updatedAt: number;

  constructor(clock: Clock, options: TokenBucketOptions) {
    if (!(options.perSecond > 0) || !(options.burst >= 1)) {
      throw new RangeError(
        `A token bucket needs perSecond > 0 and burst >= 1, got ${options.perSecond} and ${options.burst}`,
      );
    }
    this.#clock = clock;
    this.#perMs = options.perSecond / 1000;
    this.#burst = options.burst;
    this.#tokens = options.burst;
    this.#updatedAt = clock.monotonic();
  }

  /** Reserves a token; the result is the milliseconds until it may be used. */
  reserve(): number {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#updatedAt) * this.#perMs);
    this.#updatedAt = now;
    this.#tokens -= 1;
    return this.#tokens >= 0 ? 0 : -this.#tokens / this.#perMs;
  }
}
