/**
 * A coverage-guided fuzzer: inputs that reach new branches are kept and mutated further.
 *
 * In: a target, a number of runs, a seed. Out: the coverage, and the first input that broke something. Coverage is
 * known if the code under test was bundled with counters (`cli.ts`); without them inputs are mutated at random. Every
 * run of a seed is the same either way.
 */
import { createRandom } from '@reloader/runtime/testing';
import { Coverage } from './coverage.ts';
import { mutated } from './mutate.ts';
import type { Target } from './target.ts';

export interface FuzzOptions {
  readonly runs: number;
  readonly seed: number;
  /** Inputs of earlier runs. */
  readonly corpus?: readonly string[];
  readonly onProgress?: (runs: number, kept: number) => void;
}

export interface FuzzResult {
  readonly runs: number;
  /** Branches that ran; 0 without counters. */
  readonly branches: number;
  /** Inputs that reached something new, without the given ones. */
  readonly found: readonly string[];
  /** Milliseconds of the slowest run, of those that were slow enough to be measured again. */
  readonly slowestMs: number;
}

/** Has the input in its message, so that it can become a case. */
export class FuzzError extends Error {
  override name = 'FuzzError';
  readonly input: string;

  constructor(target: Target, input: string, why: string) {
    super(`${target.name}: ${why}\ninput: ${JSON.stringify(input)}`);
    this.input = input;
  }
}

/** No input of others may block the operator for longer. */
export const LONGEST_RUN_MS = 50;
/** On a busy machine a run may seem slow; the quickest of these trials counts. */
const TRIALS = 7;
const PROGRESS = 100_000;
const LARGEST_CORPUS = 4_000;

export function fuzz(target: Target, options: FuzzOptions): FuzzResult {
  const { runs, seed, onProgress } = options;
  const random = createRandom(seed);
  const coverage = new Coverage();
  const corpus = [...new Set([...target.seeds, ...(options.corpus ?? [])])];
  const found: string[] = [];
  let slowestMs = 0;
  const run = (input: string): boolean => {
    slowestMs = Math.max(slowestMs, timed(target, input));
    return coverage.isNew();
  };
  for (const input of corpus) run(input);
  for (let done = corpus.length; done < runs; done++) {
    const input = mutated(corpus, target.words, target.longest, random);
    if (run(input) && corpus.length < LARGEST_CORPUS) {
      corpus.push(input);
      found.push(input);
    }
    if (done % PROGRESS === 0) onProgress?.(done, corpus.length);
  }
  return { runs, branches: coverage.branches, found, slowestMs };
}

/** Milliseconds of processor time if the run seemed slow; otherwise 0. */
function timed(target: Target, input: string): number {
  const begin = performance.now();
  attempt(target, input);
  if (performance.now() - begin <= LONGEST_RUN_MS) return 0;
  let quickest = Number.POSITIVE_INFINITY;
  for (let trial = 0; trial < TRIALS && quickest > LONGEST_RUN_MS; trial++) {
    const before = process.cpuUsage();
    attempt(target, input);
    quickest = Math.min(quickest, process.cpuUsage(before).user / 1000);
  }
  if (quickest > LONGEST_RUN_MS)
    throw new FuzzError(target, input, `it took ${quickest.toFixed(0)} ms, ${LONGEST_RUN_MS} are allowed`);
  return quickest;
}

function attempt(target: Target, input: string): void {
  try {
    target.run(input);
  } catch (error) {
    throw new FuzzError(
      target,
      input,
      error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    );
  }
}
