/**
 * Reproducible randomness: the same seed gives the same numbers on every machine. For tests and simulations only; it
 * is not secure.
 */
export interface Random {
  /** To be printed, so that a failing run can be repeated. */
  readonly seed: number;
  /** At least 0, below 1. */
  next(): number;
  /** An integer, at least 0, below `bound`. */
  int(bound: number): number;
  /** True with probability `probability`. */
  chance(probability: number): boolean;
  /** One of them. */
  pick<T>(items: readonly T[]): T;
  /** Exponentially distributed: the time until the next of independent events, in the unit of the mean. */
  exponential(mean: number): number;
}

/** Random numbers from a seed. */
export function createRandom(seed: number): Random {
  if (!Number.isSafeInteger(seed)) throw new RangeError(`The seed ${seed} is not an integer`);
  let state = seed >>> 0;
  // "mulberry32": 32 bits of state, passes the usual statistical tests, and is a few lines.
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = state;
    bits = Math.imul(bits ^ (bits >>> 15), bits | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (bound: number): number => Math.floor(next() * bound);
  return {
    seed,
    next,
    int,
    chance: (probability) => next() < probability,
    pick: (items) => {
      if (items.length === 0) throw new RangeError('Nothing to pick from: the list is empty');
      return items[int(items.length)] as (typeof items)[number];
    },
    exponential: (mean) => -Math.log(1 - next()) * mean,
  };
}

/** The number of seeds, and the first of them. */
export interface SeedOptions {
  readonly count: number;
  /** 1 unless given. */
  readonly first?: number | undefined;
  /** Is told of each failure as it happens, and the seeds after it run, too: the error at the end names them all. */
  readonly onFailure?: ((error: Error) => void) | undefined;
}

/**
 * Runs a simulation once per seed. A failure names its seed; with the environment variable `SEED` set, only
 * that one runs.
 */
export async function forEachSeed(
  options: SeedOptions,
  run: (random: Random) => void | Promise<void>,
): Promise<void> {
  const { count, first = 1, onFailure } = options;
  const only = process.env.SEED;
  const seeds = only ? [Number(only)] : Array.from({ length: count }, (_, index) => first + index);
  const failed: number[] = [];
  for (const seed of seeds) {
    try {
      await run(createRandom(seed));
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      const error = new Error(`With seed ${seed} (repeat with SEED=${seed}): ${message}`, { cause });
      if (!onFailure) throw error;
      onFailure(error);
      failed.push(seed);
    }
  }
  if (failed.length > 0)
    throw new Error(`${failed.length} of ${seeds.length} seeds failed: ${failed.join(', ')}`);
}
