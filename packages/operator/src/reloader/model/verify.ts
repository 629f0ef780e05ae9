/** Verification of a reload: its settings and its possible results. */
import type { WorkloadKind } from './workload.ts';

export interface Verify {
  /** Maximum time from the reload to the end of its rollout. */
  readonly timeoutMs: number;
  /** How long all new pods must then stay ready. */
  readonly stableForMs: number;
  /** How often a container of a new pod may restart during that time. */
  readonly maxRestarts: number;
}

/** The same for one workload. */
export interface VerifyPolicy extends Verify {
  /** Whether the workload with this key is a peer, whose failures hold this one: same namespace or same config. */
  readonly isPeer: (key: string) => boolean;
}

/** Reaction to a failed verified reload, in addition to holding its peers. */
export const ON_FAILURE = ['hold', 'restore'] as const;
export type OnFailure = (typeof ON_FAILURE)[number];

export const DEFAULT_VERIFY: Verify = { timeoutMs: 900_000, stableForMs: 30_000, maxRestarts: 0 };
export const MOST_RESTARTS = 1000;

/** `superseded`: another client changed the template, or another reload followed, before the outcome was known. */
export const OUTCOMES = ['open', 'ok', 'failed', 'timeout', 'superseded'] as const;
export type OutcomeResult = (typeof OUTCOMES)[number];

/** Outcome of one reload, bound to its number and to the content that it rolled out. */
export interface ReloadOutcome {
  readonly seq: number;
  readonly result: OutcomeResult;
  /** Seconds since the epoch: the time of the reload while the outcome is open, then the time of the outcome. */
  readonly at: number;
  /** The template's digest at the reload: a different one means that another client changed the template. */
  readonly template: string;
  /** The changed sources (keys of the ledger), each with the ledger's digest of its content. */
  readonly sources: Readonly<Record<string, string>>;
  readonly message?: string;
}

/** A reload replaces no pods of a Job or CronJob, so there is nothing to verify. */
export function isVerified(kind: WorkloadKind): boolean {
  return kind !== 'Job' && kind !== 'CronJob';
}

export function isFailure({ result }: Pick<ReloadOutcome, 'result'>): boolean {
  return result === 'failed' || result === 'timeout';
}
