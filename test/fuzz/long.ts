/** The long form; runs inside the bundle that `cli.ts` makes. */
import { keep, keptFor } from './corpus.ts';
import { useCounters } from './coverage.ts';
import { FuzzError, fuzz } from './engine.ts';
import type { Target } from './target.ts';
import { TARGETS } from './targets/index.ts';

export interface LongOptions {
  readonly runs: number;
  readonly seed: number;
  /** Names of targets; empty for all. */
  readonly names: readonly string[];
  /** The folder of the corpus. */
  readonly folder: string;
  readonly counters: number;
}

/** Short inputs are as useful, and keep the files readable. */
const MOST_KEPT = 200;
const LONGEST_KEPT = 400;

/** True if nothing broke. */
export function fuzzLong(options: LongOptions): boolean {
  const { names, counters } = options;
  useCounters(counters);
  const chosen = TARGETS.filter(({ name }) => names.length === 0 || names.includes(name));
  return chosen.map((target) => fuzzOne(target, options)).every((holds) => holds);
}

function fuzzOne(target: Target, { runs, seed, folder }: LongOptions): boolean {
  const { cases, inputs } = keptFor(target, folder);
  const begin = performance.now();
  try {
    const { branches, found, slowestMs } = fuzz(target, { runs, seed, corpus: [...cases, ...inputs] });
    const short = found.filter(({ length }) => length <= LONGEST_KEPT);
    keep(target, folder, { cases, inputs: [...inputs, ...short].slice(0, MOST_KEPT) });
    const seconds = (performance.now() - begin) / 1000;
    console.info(
      `${target.name}: ${runs} runs in ${seconds.toFixed(0)} s, ${branches} branches reached, ${found.length} new inputs, the slowest of those that were timed again took ${slowestMs.toFixed(0)} ms of processor time; seed ${seed}`,
    );
    return true;
  } catch (error) {
    if (!(error instanceof FuzzError)) throw error;
    keep(target, folder, { cases: [...cases, error.input], inputs });
    console.error(`${error.message}\nseed ${seed}; it is a case now`);
    return false;
  }
}
