/**
 * How long to wait after a failure. In: one call per failure. Out: 800 ms, doubling up to 30 s, each stretched by
 * up to its own length again, so that many clients do not come back together; at the cap that is one try in 30
 * to 60 s. A server's own `Retry-After` is a lower bound. After two minutes without a failure it starts anew.
 */
import type { Clock } from '../clock/clock.ts';

export type Random = () => number;

export interface BackoffOptions {
  readonly baseMs?: number | undefined;
  readonly factor?: number | undefined;
  readonly capMs?: number | undefined;
  /** The largest share of a delay that is added to it at random. */
  readonly jitter?: number | undefined;
  /** A pause this long between two failures makes the next one count as the first. */
  readonly resetAfterMs?: number | undefined;
}

/** A server that asks for more is asked again after this long: nobody wants a watch to sleep for a day. */
const LONGEST_RETRY_AFTER_MS = 300_000;
/** Spreads those who were all given the same Retry-After. */
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

  /** The wait before the next try, in milliseconds. */
  next(retryAfterMs = 0): number {
    const { baseMs, factor, capMs, jitter, resetAfterMs } = this.#options;
    const now = this.#clock.monotonic();
    if (now - this.#lastWaitEnds >= resetAfterMs) this.#failures = 0;
    const plain = Math.min(capMs, baseMs * factor ** this.#failures);
    // Counting on past the cap would overflow to Infinity after a day of failures.
    if (plain < capMs) this.#failures++;
    const own = plain * (1 + jitter * this.#random());
    const asked = Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS) * (1 + RETRY_AFTER_JITTER * this.#random());
    const delay = Math.max(own, asked);
    this.#lastWaitEnds = now + delay;
    return delay;
  }
}
