/** Order: which workloads a change reaches first, by waves and by the steps of a canary. */
import type { Concurrency } from './budget.ts';
import type { FailedElsewhere } from './failed-content.ts';
import type { SourceRef } from './source.ts';
import type { WorkloadRef } from './workload.ts';

export interface Canary {
  /** How many workloads have the change after each step, all steps before it included. */
  readonly steps: readonly Concurrency[];
  /** So long after the last of a step has proven itself, the next one begins. */
  readonly bakeMs: number;
}

export const MOST_STEPS = 10;
export const DEFAULT_BAKE_MS = 600_000;

/** Waves as Kubernetes counts: 32 bits with a sign. */
export const LOWEST_WAVE = -2_147_483_648;
export const HIGHEST_WAVE = 2_147_483_647;

/** `10`. Undefined: no wave. */
export function parseWave(value: unknown): number | undefined {
  const isText = typeof value === 'string' && /^-?\d{1,10}$/.test(value);
  const wave = isText || typeof value === 'number' ? Number(value) : Number.NaN;
  return Number.isInteger(wave) && wave >= LOWEST_WAVE && wave <= HIGHEST_WAVE ? wave : undefined;
}

export const WAVE_NEEDED = `must be a whole number from ${LOWEST_WAVE} to ${HIGHEST_WAVE}`;

/** It is not its turn. */
export interface Turn {
  readonly message: string;
  /** Milliseconds since the epoch; undefined: when others are through. */
  readonly until: number | undefined;
  /** Keys of some that it waits for: when all of them are through, it is worth another look. */
  readonly peers: readonly string[];
}

/** What the peers of a workload say about when it is its turn. */
export interface Order {
  readonly wave?: Turn;
  readonly canary?: Turn;
  /** Those before it that failed with the content that it would roll out. */
  readonly failures: readonly FailedElsewhere[];
}

/** Who may be reloaded for a source. */
export interface PeersOf {
  of(source: SourceRef): readonly WorkloadRef[];
  /** Somebody in this namespace says its wave by annotation. */
  isOrdered(namespace: string): boolean;
}
