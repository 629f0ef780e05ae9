/** The plan of a reload, from the decision to its execution, and the outcome that comes back. */
import type { ReloadStrategy, RolloutStrategy } from './config.ts';
import type { Ledger } from './ledger.ts';
import type { SourceRef } from './source.ts';
import type { WorkloadFacts } from './workload.ts';

export type Finding =
  | 'unchanged'
  | 'adopted'
  | 'absent'
  | 'created'
  | 'changed'
  | 'deleted'
  | 'recreated'
  | 'restored'
  | 'rescoped'
  | 'rekeyed'
  | 'opted-out'
  | 'still-gone'
  | 'unknown';

/** A source whose change causes a reload. */
export interface Cause {
  readonly ref: SourceRef;
  readonly finding: Finding;
  /** 40 hex digits for Stakater's variables and annotations; undefined if the source is gone. */
  readonly slot: string | undefined;
  /** Seconds since the epoch: the last write of its data; undefined when the source is gone. */
  readonly writtenAt?: number | undefined;
  readonly container: string;
}

export interface ReloadPlan {
  readonly workload: WorkloadFacts;
  /** The ledger annotation as it is now (undefined: there is none), and as it becomes. */
  readonly ledgerBefore: string | undefined;
  readonly ledgerAfter: string;
  /** `ledgerAfter`, parsed. */
  readonly ledger: Ledger;
  /** The record until the reload is done: it still shows the change as pending. */
  readonly recordBefore: Ledger | undefined;
  /** The eviction in progress, as the notebook has it. */
  readonly evicting: string | undefined;
  /** The mark for the pod template. */
  readonly mark: string;
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Sorted; Stakater's single annotation names the last one. Empty for a retry after a revert. */
  readonly causes: readonly Cause[];
  /** ReloaderConfigs that asked for it; if there are any, RELOADER_TRIGGERED_AT is set. */
  readonly configs: readonly string[];
  readonly reloadStrategy: ReloadStrategy;
  readonly rolloutStrategy: RolloutStrategy;
  /** Deployments: set `spec.paused` for this long, as Stakater does, together with the reload. */
  readonly stakaterPauseMs: number | undefined;
  readonly cronJob: 'run' | 'next-run';
  /** Annotations with which a person released exactly this reload; the reload removes them. */
  readonly usedWords: Readonly<Record<string, string>>;
  /** Set if its sources are back to their content before the last reload, which failed. */
  readonly undo?: UndoPlan;
}

/** Undo of a failed reload, done instead of a reload if the old revision exists and no pod read the failed content. */
export interface UndoPlan {
  /** The reload that failed. */
  readonly seq: number;
  /** The new ledger, and the same as text. */
  readonly ledger: Ledger;
  readonly ledgerAfter: string;
  /** Digest of our own fields on the pod template before that reload: identifies the revision to go back to. */
  readonly fields: string;
  /** Seconds since the epoch: pods that started between `from` and `until` may have read the failed content. */
  readonly from: number;
  readonly until: number;
}

export type Outcome =
  | {
      readonly kind: 'done';
      /** Pods were rolled out, restarted or a Job was run; false if only the record was written. */
      readonly changed: boolean;
      /** The workload was not written, so only the notebook records this. */
      readonly noteOnly?: true;
      /** Set if a reload was undone instead. */
      readonly undone?: UndoPlan;
      /** Uid of the Job that replaces the one of the plan. */
      readonly newUid?: string;
    }
  /** A precondition of the patch failed, or the workload is gone: decide again from fresh state. */
  | { readonly kind: 'conflict'; readonly message: string }
  /** Not finished: continue with the next step after this time. */
  | {
      readonly kind: 'continue';
      readonly afterMs: number;
      readonly message: string;
      /** A PodDisruptionBudget blocks the eviction of the next pod. */
      readonly protectedBy?: { readonly pod: string; readonly budget: string; readonly message: string };
    }
  /** RBAC denies the write. */
  | { readonly kind: 'forbidden'; readonly message: string }
  /** The API server rejects the write as invalid: report it, and retry only when something changes. */
  | { readonly kind: 'rejected'; readonly message: string };

/** An eviction that a PodDisruptionBudget does not allow. */
export interface BlockedEviction {
  readonly pod: string;
  readonly budget: string;
  readonly message: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}
