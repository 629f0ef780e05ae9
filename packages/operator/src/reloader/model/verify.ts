/** Whether a reload worked: what is looked at, and what can come of it. */
import type { WorkloadKind } from './workload.ts';

export interface Verify {
  /** From the reload until its rollout has ended. */
  readonly timeoutMs: number;
  /** From then on all new pods have to stay ready. */
  readonly stableForMs: number;
  /** How often a container of a new pod may restart meanwhile. */
  readonly maxRestarts: number;
}

/** The same for one workload. */
export interface VerifyPolicy extends Verify {
  /** Whether what fails on the workload of this key holds this one: of its namespace, or of the config that asks. */
  readonly isPeer: (key: string) => boolean;
}

/** What is done when a reload that is verified fails, beyond holding its peers. */
export const ON_FAILURE = ['hold', 'restore'] as const;
export type OnFailure = (typeof ON_FAILURE)[number];

export const DEFAULT_VERIFY: Verify = { timeoutMs: 900_000, stableForMs: 30_000, maxRestarts: 0 };
export const MOST_RESTARTS = 1000;

/** `superseded`: somebody else changed the template, or a further reload came, before anybody could tell. */
export const OUTCOMES = ['open', 'ok', 'failed', 'timeout', 'superseded'] as const;
export type OutcomeResult = (typeof OUTCOMES)[number];

/** What became of one reload, bound to its number and to the content that it rolled out. */
export interface ReloadOutcome {
  readonly seq: number;
  readonly result: OutcomeResult;
  /** Seconds since the epoch: of the reload while it is open, then of the outcome. */
  readonly at: number;
  /** The template's digest: another one was made by somebody else. */
  readonly template: string;
  /** The sources that had changed (keys of the ledger), each with what the ledger says of its content. */
  readonly sources: Readonly<Record<string, string>>;
  readonly message?: string;
}

/** Nothing is replaced in a Job or CronJob, so there is nothing to verify. */
export function isVerified(kind: WorkloadKind): boolean {
  return kind !== 'Job' && kind !== 'CronJob';
}

export function isFailure({ result }: Pick<ReloadOutcome, 'result'>): boolean {
  return result === 'failed' || result === 'timeout';
}
