/** Order of reloads for one change: waves, and the steps of a canary. */
import type { Concurrency } from './budget.ts';
import type { FailedElsewhere } from './failed-content.ts';
import type { SourceRef } from './source.ts';
import type { WorkloadRef } from './workload.ts';

export interface Canary {
  /** How many workloads have the change after each step, including all earlier steps. */
  readonly steps: readonly Concurrency[];
  /** Time between the success of a step's last workload and the next step. */
  readonly bakeMs: number;
}

export const MOST_STEPS = 10;
export const DEFAULT_BAKE_MS = 600_000;

/** Waves are 32-bit signed integers, as elsewhere in Kubernetes. */
export const LOWEST_WAVE = -2_147_483_648;
export const HIGHEST_WAVE = 2_147_483_647;

/** Reads `10` or `"10"`. Undefined: the value is not a wave. */
export function parseWave(value: unknown): number | undefined {
  const isText = typeof value === 'string' && /^-?\d{1,10}$/.test(value);
  const wave = isText || typeof value === 'number' ? Number(value) : Number.NaN;
  return Number.isInteger(wave) && wave >= LOWEST_WAVE && wave <= HIGHEST_WAVE ? wave : undefined;
}

export const WAVE_NEEDED = `must be a whole number from ${LOWEST_WAVE} to ${HIGHEST_WAVE}`;

/** Why a workload has to wait for its turn. */
export interface Turn {
  readonly message: string;
  /** Milliseconds since the epoch; undefined: until the peers are done. */
  readonly until: number | undefined;
  /** Keys of some workloads that it waits for: it is requeued when all of them are done. */
  readonly peers: readonly string[];
  /** Not all peers were looked at: the next plan continues, and may find that it need not wait. */
  readonly unfinished?: true;
}

/** Position of a workload among its peers. */
export interface Order {
  readonly wave?: Turn;
  readonly canary?: Turn;
  /** Earlier workloads that failed with the content that this one would roll out. */
  readonly failures: readonly FailedElsewhere[];
}

/** Finds the workloads that may be reloaded for a source. */
export interface PeersOf {
  of(source: SourceRef): readonly WorkloadRef[];
  /** A workload in this namespace sets its wave by annotation. */
  isOrdered(namespace: string): boolean;
}
