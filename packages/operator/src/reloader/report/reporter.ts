/** The reports of the engine. Every method returns at once, because a report must not delay a reload. */
import type { RolloutStatus } from '@reloader/runtime';
import type { Verdict } from '../model/decision.ts';
import type { Ledger } from '../model/ledger.ts';
import type { BlockedEviction, ReloadPlan } from '../model/plan.ts';
import type { RestoreReport } from '../model/restore.ts';
import type { SourceKind } from '../model/source.ts';
import type { Problem, Want } from '../model/want.ts';
import type { WorkloadFacts, WorkloadRef } from '../model/workload.ts';
import type { Later, Schedule } from '../schedule/types.ts';

export interface ReloadReport {
  readonly plan: ReloadPlan;
  readonly want: Want;
  /** When the oldest of its changes was first seen, in milliseconds since the epoch. */
  readonly seenAt: number;
  /** This reload is an undo of the reload of this number, which had failed. */
  readonly undoes?: number;
}

/** `timeout` and `superseded` (the outcome can no longer be known) only with `verify`. */
export type RolloutResult = 'succeeded' | 'failed' | 'timeout' | 'superseded';

export interface Reporter {
  /** The PATCH was accepted (or the eviction, Job … ended). */
  reloaded(report: ReloadReport): void;
  /** One attempt failed. It is retried with backoff; if `final`, it fails until something changes. */
  failed(report: ReloadReport, error: Error, final: boolean): void;
  /** The reload is held back; called whenever the reason or the time changes. */
  deferred(workload: WorkloadFacts, want: Want, schedule: Extract<Schedule, { kind: 'later' }>): void;
  /** The record was changed without a reload. */
  recorded(workload: WorkloadFacts, verdict: Verdict): void;
  /** Observe mode: without it, this workload would have been reloaded. */
  wouldReload(workload: WorkloadFacts, verdict: Verdict): void;
  /** Invalid annotations of this workload. Called with the whole list on every pass; the reporter deduplicates. */
  problems(workload: WorkloadFacts, problems: readonly Problem[]): void;
  /** The rollout after a reload ended; with `verify`, `verifiedMs` after the reload. */
  rolledOut(
    workload: WorkloadFacts,
    seq: number,
    result: RolloutResult,
    message: string,
    verifiedMs?: number,
  ): void;
  /** A PodDisruptionBudget blocks the eviction of a pod. Called once for each pod. */
  evictionBlocked(workload: WorkloadFacts, configs: readonly string[], blocked: BlockedEviction): void;
  /** After a reload that failed: its sources were restored, or why not. Called when that changes. */
  restored(workload: WorkloadFacts, report: RestoreReport): void;
  /** The workload was deleted. */
  forget(ref: WorkloadRef): void;
}

/** One pass over one workload. */
export interface PassReport {
  readonly workload: WorkloadRef;
  /** `skipped`: there was nothing to do. */
  readonly result: 'success' | 'error' | 'skipped';
  readonly seconds: number;
  /** A reload was decided, made now or deferred. */
  readonly matched: boolean;
}

/** Adds the reports of the parts around the engine, which are not about a single workload's reload. */
export interface PipelineReporter extends Reporter {
  /**
   * A source was created (no old digest), changed, deleted (no new digest), or written without a change of its data
   * (equal digests). `workloads`: how many are opted in to it. `ownMaking`: we made it, and it causes no reload. Not
   * called for the objects of the first list.
   */
  sourceChanged(
    kind: SourceKind,
    ref: { readonly namespace: string; readonly name: string },
    oldDigest: string | undefined,
    newDigest: string | undefined,
    workloads: number,
    ownMaking?: boolean,
  ): void;
  reconciled(pass: PassReport): void;
  /** At one start, only timestamps justify more reloads than the limit without a person's approval. */
  manyDoubts(): void;
  /** The executor finished a reload that changed nothing. */
  unchangedByReload(ref: WorkloadRef): void;
}

/** The engine's current knowledge of one workload, for statuses, `explain` and the dashboard. */
/** The part of a view that takes no decision. */
export interface WorkloadSummary {
  readonly ref: WorkloadRef;
  readonly facts: WorkloadFacts;
  readonly want: Want;
  /** The content that it was last rolled out with. */
  readonly recorded: Ledger | undefined;
  readonly deferred: Extract<Schedule, { kind: 'later' }> | undefined;
  readonly lastError: string | undefined;
  /** The state of the rollout of its last reload, by all evidence. */
  readonly rollout: RolloutStatus;
  /** Why the rollout of our last reload failed. */
  readonly rolloutFailed: string | undefined;
}

export interface WorkloadView extends WorkloadSummary {
  readonly verdict: Verdict | undefined;
  /** `lastError` says that the operator is not allowed to reload it. */
  readonly forbidden: boolean;
  /** Its pods are being evicted; `blocked` by a PodDisruptionBudget. */
  readonly eviction: { readonly blocked: BlockedEviction | undefined } | undefined;
  /**
   * Conditions of the record itself: NotebookContended, NotebookUnavailable, Reverted, TooManySources,
   * WaitingForWorkload, EvictionBlocked, RestoreRefused, RestoreFought.
   */
  readonly notes: readonly { readonly reason: string; readonly message: string }[];
}

/** The source of the statuses. */
export interface EngineView {
  workload(ref: WorkloadRef): WorkloadView | undefined;
  /** The same without a decision, at a part of its cost: for lists of many workloads. */
  summary(ref: WorkloadRef): WorkloadSummary | undefined;
  /** Its record alone, at a small part of the cost. */
  recorded(ref: WorkloadRef): Ledger | undefined;
  /** The change that it waits with, by its last pass: the same as in its view, which costs a decision. */
  deferred(ref: WorkloadRef): Later | undefined;
  /** Called whenever the view of a workload may have changed. */
  onChange(listener: (ref: WorkloadRef) => void): void;
}
