/**
 * Fault plans, decided by one seed.
 *
 * In: a request's number and type. Out: at most one fault for it. The same seed and the same sequence of requests
 * give the same faults. Only faults that a real server, proxy or network could cause are planned: an event may come
 * twice in a row, and nothing is reordered.
 */
import { Random } from '../model/random.ts';

export type RequestFault =
  | { readonly kind: 'delay'; readonly ms: number }
  /** 429, or one of the 5xx of an overloaded server; the request was not carried out. */
  | { readonly kind: 'refuse'; readonly status: 429 | 500 | 503 | 504; readonly retryAfterSeconds?: number }
  /** The connection breaks before the server reads the request. */
  | { readonly kind: 'lose-request' }
  /** The server carries out the request, but the answer is lost. */
  | { readonly kind: 'lose-answer' }
  /** The revision of a list is gone before its next page is read: 410. */
  | { readonly kind: 'expire-page' }
  /** The database is slow for a while, and everything that reaches it takes this much longer. */
  | { readonly kind: 'slow-store'; readonly ms: number };

export type WatchFault =
  /** The server closes the stream cleanly. */
  | { readonly kind: 'end'; readonly afterChunks: number }
  /** The connection breaks, perhaps in the middle of a line. */
  | { readonly kind: 'cut'; readonly afterChunks: number }
  /** The stream goes silent without an end: a half-open connection. */
  | { readonly kind: 'stall'; readonly afterChunks: number };

/** Probabilities between 0 and 1; each request draws once. */
export interface FaultRates {
  readonly delay: number;
  readonly refuse: number;
  readonly loseRequest: number;
  readonly loseAnswer: number;
  readonly endWatch: number;
  readonly cutWatch: number;
  readonly stallWatch: number;
  /** Bodies arrive in pieces of random size, down to single bytes. */
  readonly rechunk: number;
  /** For each event of a watch: it comes twice. */
  readonly repeatEvent: number;
  /** For each page of a list but the first: 410 in its place. */
  readonly expirePage: number;
  /** For each list with a limit: the server's pages are shorter than asked for, so that there are more of them. */
  readonly shortPages: number;
  /** For each request but watches: a slow phase of the database begins. */
  readonly slowStore: number;
}

/** All rates at zero; start from these and set what you want. */
export const NO_FAULTS: FaultRates = {
  delay: 0,
  refuse: 0,
  loseRequest: 0,
  loseAnswer: 0,
  endWatch: 0,
  cutWatch: 0,
  stallWatch: 0,
  rechunk: 0,
  repeatEvent: 0,
  expirePage: 0,
  shortPages: 0,
  slowStore: 0,
};

/** A mix of what any network does now and then; the server's own tricks are in {@link TRICKY}. */
export const ROUGH: FaultRates = {
  delay: 0.2,
  refuse: 0.08,
  loseRequest: 0.04,
  loseAnswer: 0.04,
  endWatch: 0.3,
  cutWatch: 0.2,
  stallWatch: 0.05,
  rechunk: 0.2,
  repeatEvent: 0,
  expirePage: 0,
  shortPages: 0,
  slowStore: 0,
};

/** Tricks of an API server and its database; beside {@link ROUGH} or alone. */
export const TRICKY: Pick<FaultRates, 'repeatEvent' | 'expirePage' | 'shortPages' | 'slowStore'> = {
  repeatEvent: 0.1,
  expirePage: 0.2,
  shortPages: 0.7,
  slowStore: 0.01,
};

const LONGEST_DELAY_MS = 2_000;
const MOST_CHUNKS = 40;
const LONGEST_SLOW_PHASE_MS = 30_000;
const SLOWEST_STORE_MS = 8_000;
const LONGEST_SHORT_PAGE = 3;
const REFUSALS = [429, 500, 503, 504] as const;

export class FaultPlan {
  readonly #random: Random;
  readonly #rates: FaultRates;
  /** A sequence of its own: these came later, and the faults of a seed stay what they were. */
  readonly #tricks: Random;
  #slowUntil = 0;

  constructor(seed: number, rates: Partial<FaultRates>) {
    this.#random = new Random(seed);
    this.#tricks = new Random(seed ^ 0x7216_c500);
    this.#rates = { ...NO_FAULTS, ...rates };
  }

  forRequest(): RequestFault | undefined {
    const { delay, refuse, loseRequest, loseAnswer } = this.#rates;
    switch (this.#draw([refuse, loseRequest, loseAnswer, delay])) {
      case 0:
        return this.#refusal();
      case 1:
        return { kind: 'lose-request' };
      case 2:
        return { kind: 'lose-answer' };
      case 3:
        return { kind: 'delay', ms: 1 + this.#random.below(LONGEST_DELAY_MS) };
      default:
        return undefined;
    }
  }

  forWatch(): WatchFault | undefined {
    const { endWatch, cutWatch, stallWatch } = this.#rates;
    const afterChunks = this.#random.below(MOST_CHUNKS);
    const kinds = ['end', 'cut', 'stall'] as const;
    const kind = kinds[this.#draw([endWatch, cutWatch, stallWatch])];
    return kind && { kind, afterChunks };
  }

  /** Chunk sizes of a body; undefined for unchanged. */
  forBody(): (() => number) | undefined {
    if (this.#random.next() >= this.#rates.rechunk) return undefined;
    const largest = this.#random.next() < 0.3 ? 1 : 64;
    const sizes = this.#random.fork();
    return () => 1 + sizes.below(largest);
  }

  /** In place of a further page of a list. */
  forPage(): RequestFault | undefined {
    return this.#tricks.next() < this.#rates.expirePage ? { kind: 'expire-page' } : undefined;
  }

  /** How long the pages of a list are in place of what was asked for; undefined for just that. */
  pageLength(): number | undefined {
    if (this.#tricks.next() >= this.#rates.shortPages) return undefined;
    return 1 + this.#tricks.below(LONGEST_SHORT_PAGE);
  }

  /** How much longer the database takes. `now`: monotonic milliseconds. */
  forStore(now: number): RequestFault | undefined {
    if (this.#rates.slowStore === 0) return undefined;
    if (this.#tricks.next() < this.#rates.slowStore)
      this.#slowUntil = now + 1 + this.#tricks.below(LONGEST_SLOW_PHASE_MS);
    return now < this.#slowUntil
      ? { kind: 'slow-store', ms: 1 + this.#tricks.below(SLOWEST_STORE_MS) }
      : undefined;
  }

  /** Whether the next event comes twice; undefined if none ever does. */
  forEvents(): (() => boolean) | undefined {
    const { repeatEvent } = this.#rates;
    if (repeatEvent === 0) return undefined;
    const draws = this.#tricks.fork();
    return () => draws.next() < repeatEvent;
  }

  #refusal(): RequestFault {
    const status = REFUSALS[this.#random.below(REFUSALS.length)] ?? 500;
    const retryAfterSeconds = 1 + this.#random.below(3);
    return status === 429 || status === 503
      ? { kind: 'refuse', status, retryAfterSeconds }
      : { kind: 'refuse', status };
  }

  /** The index of the drawn fault; beyond the list if none. */
  #draw(chances: readonly number[]): number {
    let left = this.#random.next();
    const index = chances.findIndex((chance) => {
      left -= chance;
      return left < 0;
    });
    return index < 0 ? chances.length : index;
  }
}
