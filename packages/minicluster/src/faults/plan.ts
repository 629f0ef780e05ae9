/**
 * What goes wrong, decided by one seed.
 *
 * In: a request's number and nature. Out: at most one fault for it. The same seed and the same sequence of requests
 * give the same faults. It only plans what a real server or network could do: nothing is duplicated, nothing arrives
 * out of order.
 */
import { Random } from '../model/random.ts';

export type RequestFault =
  | { readonly kind: 'delay'; readonly ms: number }
  /** Too many requests, or one of the 5xx that servers give under stress; nothing was done. */
  | { readonly kind: 'refuse'; readonly status: 429 | 500 | 503 | 504; readonly retryAfterSeconds?: number }
  /** The connection breaks before the server has read the request. */
  | { readonly kind: 'lose-request' }
  /** The server has carried it out, and the answer is lost. */
  | { readonly kind: 'lose-answer' };

export type WatchFault =
  /** The server ends the stream in order. */
  | { readonly kind: 'end'; readonly afterChunks: number }
  /** The connection breaks, perhaps in the middle of a line. */
  | { readonly kind: 'cut'; readonly afterChunks: number }
  /** Nothing more comes, and no end: half-open. */
  | { readonly kind: 'stall'; readonly afterChunks: number };

/** Chances between 0 and 1, each request draws once. */
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

/** Rates under which nothing goes wrong; begin with them and turn on what you want. */
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

/** Rough weather: everything happens now and then. */
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

  /** How a body's bytes are cut: undefined for as they are. */
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

  /** The index of the chance that comes true; beyond the list when none does. */
  #draw(chances: readonly number[]): number {
    let left = this.#random.next();
    const index = chances.findIndex((chance) => {
      left -= chance;
      return left < 0;
    });
    return index < 0 ? chances.length : index;
  }
}
