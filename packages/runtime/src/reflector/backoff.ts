/**
 * Exponential backoff of a reflector. In: one call per failure. Out: 800 ms, doubling up to 30 s, each with up to 100
 * % jitter, so that many clients do not retry together; at the maximum that is one attempt in 30 to 60 s. A server's
 * `Retry-After` is a lower bound. Two minutes without a failure reset it.
 */
import type { Clock } from '../clock/clock.ts';

export type Random = () => number;

export interface BackoffOptions {
  readonly baseMs?: number | undefined;
  readonly factor?: number | undefined;
  readonly capMs?: number | undefined;
  /** Maximum jitter, as a share of the delay. */
  readonly jitter?: number | undefined;
  /** A pause this long between two failures resets the backoff. */
  readonly resetAfterMs?: number | undefined;
}

/** Upper limit for Retry-After: a watch must not sleep for a day. */
const LONGEST_RETRY_AFTER_MS = 300_000;
/** Spreads clients that all got the same Retry-After. */
const RETRY_AFTER_JITTER = 0.1;

export class Backoff {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #options: { readonly [K in keyof BackoffOptions]-?: number };
  #failures = 0;
  #lastWaitEnds = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, random: Random, options: BackoffOptions = {}) {
    this.#clock = clock;
    this.#random = random;
    this.#options = {
      baseMs: options.baseMs ?? 800,
      factor: options.factor ?? 2,
      capMs: options.capMs ?? 30_000,
      jitter: options.jitter ?? 1,
      resetAfterMs: options.resetAfterMs ?? 120_000,
    };
  }

  /** The wait before the next attempt, in milliseconds. */
  next(retryAfterMs = 0): number {
    const { baseMs, factor, capMs, jitter, resetAfterMs } = this.#options;
    const now = this.#clock.monotonic();
    if (now - this.#lastWaitEnds >= resetAfterMs) this.#failures = 0;
    const plain = Math.min(capMs, baseMs * factor ** this.#failures);
    // Counting on past the maximum would overflow to Infinity after a day of failures.
    if (plain < capMs) this.#failures++;
    const own = plain * (1 + jitter * this.#random());
    const asked = Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS) * (1 + RETRY_AFTER_JITTER * this.#random());
    const delay = Math.max(own, asked);
    this.#lastWaitEnds = now + delay;
    return delay;
  }
}
