/**
 * Fault plans, decided by one seed.
 *
 * In: a request's number and type. Out: at most one fault for it. The same seed and the same sequence of requests
 * give the same faults. Only faults that a real server or network could cause are planned: nothing is duplicated or
 * reordered.
 */
import { Random } from '../model/random.ts';

export type RequestFault =
  | { readonly kind: 'delay'; readonly ms: number }
  /** 429, or one of the 5xx of an overloaded server; the request was not carried out. */
  | { readonly kind: 'refuse'; readonly status: 429 | 500 | 503 | 504; readonly retryAfterSeconds?: number }
  /** The connection breaks before the server reads the request. */
  | { readonly kind: 'lose-request' }
  /** The server carries out the request, but the answer is lost. */
  | { readonly kind: 'lose-answer' };

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
};

/** A mix in which every fault occurs now and then. */
export const ROUGH: FaultRates = {
  delay: 0.2,
  refuse: 0.08,
  loseRequest: 0.04,
  loseAnswer: 0.04,
  endWatch: 0.3,
  cutWatch: 0.2,
  stallWatch: 0.05,
  rechunk: 0.2,
};

const LONGEST_DELAY_MS = 2_000;
const MOST_CHUNKS = 40;
const REFUSALS = [429, 500, 503, 504] as const;

export class FaultPlan {
  readonly #random: Random;
  readonly #rates: FaultRates;

  constructor(seed: number, rates: Partial<FaultRates>) {
    this.#random = new Random(seed);
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
