/** What the engine tells the world. Every method returns at once; nothing here may delay a reload. */
import type { RolloutStatus } from '@reloader/runtime';
import type { Verdict } from '../model/decision.ts';
import type { Ledger } from '../model/ledger.ts';
import type { BlockedEviction, ReloadPlan } from '../model/plan.ts';
import type { RestoreReport } from '../model/restore.ts';
import type { SourceKind } from '../model/source.ts';
import type { Problem, Want } from '../model/want.ts';
import type { WorkloadFacts, WorkloadRef } from '../model/workload.ts';
import type { Schedule } from '../schedule/types.ts';

export interface ReloadReport {
  readonly plan: ReloadPlan;
  readonly want: Want;
  /** Milliseconds since the epoch: when the oldest of its changes was seen. */
  readonly seenAt: number;
  /** Not a rollout of something new: the reload of this number had failed and was undone. */
  readonly undoes?: number;
}

/** `timeout` and `superseded` (nobody can tell any more) only where reloads are verified. */
export type RolloutResult = 'succeeded' | 'failed' | 'timeout' | 'superseded';

export interface Reporter {
  /** The PATCH was accepted (or the eviction, Job … ended). */
  reloaded(report: ReloadReport): void;
  /** One attempt failed and will be repeated, or (`final`) only when something changes. */
  failed(report: ReloadReport, error: Error, final: boolean): void;
  /** Held back; called whenever the reason or the time changes. */
  deferred(workload: WorkloadFacts, want: Want, schedule: Extract<Schedule, { kind: 'later' }>): void;
  /** Something was noted without a reload. */
  recorded(workload: WorkloadFacts, verdict: Verdict): void;
  /** Observe mode: this would have been reloaded. */
  wouldReload(workload: WorkloadFacts, verdict: Verdict): void;
  /** Annotations of this workload that do not work. Called with the whole list on every pass; deduplicates itself. */
  problems(workload: WorkloadFacts, problems: readonly Problem[]): void;
  /** The rollout after a reload ended; `verifiedMs` after the reload where it had to prove itself. */
  rolledOut(
    workload: WorkloadFacts,
    seq: number,
    result: RolloutResult,
    message: string,
    verifiedMs?: number,
  ): void;
  /** A disruption budget protects a pod that should be evicted. Called when it begins, and for each further pod. */
  evictionBlocked(workload: WorkloadFacts, configs: readonly string[], blocked: BlockedEviction): void;
  /** After a reload that failed: its sources were put back, or why not. Called when that changes. */
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
  /** A reload was decided, whether or not it was made at once. */
  readonly matched: boolean;
}

/** What the parts around the engine tell, beyond what happens to single workloads. */
export interface PipelineReporter extends Reporter {
  /**
   * A source was created (no old digest), changed, deleted (no new one), or written without a change of its data
   * (equal digests). `workloads`: how many ask for it. `ownMaking`: we made it, and nothing reloads for it. Not for the
   * objects of the first list.
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
  /** Times alone would reload more workloads at one start than is done without a person's word. */
  manyDoubts(): void;
  /** The server took a reload that changed nothing. */
  unchangedByReload(ref: WorkloadRef): void;
}

/** What the engine knows of one workload now, for statuses, `explain` and the dashboard. */
export interface WorkloadView {
  readonly ref: WorkloadRef;
  readonly facts: WorkloadFacts;
  readonly want: Want;
  readonly verdict: Verdict | undefined;
  /** What it was last rolled out with. */
  readonly recorded: Ledger | undefined;
  readonly deferred: Extract<Schedule, { kind: 'later' }> | undefined;
  readonly lastError: string | undefined;
  /** `lastError` says that the operator is not allowed to reload it. */
  readonly forbidden: boolean;
  /** Of its last reload: how far it is, by everything that is known. */
  readonly rollout: RolloutStatus;
  /** Why the rollout of our last reload failed. */
  readonly rolloutFailed: string | undefined;
  /** Its pods are being evicted; `blocked` by a disruption budget. */
  readonly eviction: { readonly blocked: BlockedEviction | undefined } | undefined;
  /**
   * Conditions of the record itself: NotebookContended, NotebookUnavailable, Reverted, TooManySources,
   * WaitingForWorkload, EvictionBlocked, RestoreRefused, RestoreFought.
   */
  readonly notes: readonly { readonly reason: string; readonly message: string }[];
}

/** Where statuses read from. */
export interface EngineView {
  workload(ref: WorkloadRef): WorkloadView | undefined;
  /** Called whenever the view of a workload may have changed. */
  onChange(listener: (ref: WorkloadRef) => void): void;
}
