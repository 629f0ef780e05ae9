/** What is handed from deciding to doing, and back. */
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

/** A source because of which a workload is reloaded. */
export interface Cause {
  readonly ref: SourceRef;
  readonly finding: Finding;
  /** 40 hex digits for Stakater's places; undefined when the source is gone. */
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
  /** The same, not as text. */
  readonly ledger: Ledger;
  /** What is recorded until it is done: what is rolled out by this still waits in it. */
  readonly recordBefore: Ledger | undefined;
  /** The eviction that is under way, as the notebook has it. */
  readonly evicting: string | undefined;
  /** The mark for the pod template. */
  readonly mark: string;
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Sorted; the last one is what Stakater's single annotation names. Empty for a retry after a revert. */
  readonly causes: readonly Cause[];
  /** ReloaderConfigs that asked: non-empty adds RELOADER_TRIGGERED_AT. */
  readonly configs: readonly string[];
  readonly reloadStrategy: ReloadStrategy;
  readonly rolloutStrategy: RolloutStrategy;
  /** Deployments: pause the Stakater way together with the reload. */
  readonly stakaterPauseMs: number | undefined;
  readonly cronJob: 'run' | 'next-run';
  /** Annotations by which people let exactly this reload through: used up by it. */
  readonly usedWords: Readonly<Record<string, string>>;
  /** Its sources are again what they were before the last reload, which failed. */
  readonly undo?: UndoPlan;
}

/** The way back, taken instead of a reload where the server shows that it is open. */
export interface UndoPlan {
  /** The reload that failed. */
  readonly seq: number;
  /** The ledger as it becomes, and the same as text. */
  readonly ledger: Ledger;
  readonly ledgerAfter: string;
  /** Digest of our own fields on the pod template before that reload: names the revision to go back to. */
  readonly fields: string;
  /** Seconds since the epoch: pods that started from then until then may have read what failed. */
  readonly from: number;
  readonly until: number;
}

export type Outcome =
  | {
      readonly kind: 'done';
      /** Something was rolled out, restarted or run; false for a mere record. */
      readonly changed: boolean;
      /** The workload was not written to, so the record of this stands in the notebook only. */
      readonly noteOnly?: true;
      /** Instead of a reload, this one was undone. */
      readonly undone?: UndoPlan;
      /** The Job that was created anew, in place of the one of the plan. */
      readonly newUid?: string;
    }
  /** A test of the patch failed, or the workload is gone: decide again from fresh state. */
  | { readonly kind: 'conflict'; readonly message: string }
  /** Several steps, not finished: go on after this long. */
  | {
      readonly kind: 'continue';
      readonly afterMs: number;
      readonly message: string;
      /** A disruption budget protects the pod that should go next. */
      readonly protectedBy?: { readonly pod: string; readonly budget: string; readonly message: string };
    }
  /** We may not. */
  | { readonly kind: 'forbidden'; readonly message: string }
  /** The server will never take it as it is (invalid): say so, and try again only when something changes. */
  | { readonly kind: 'rejected'; readonly message: string };

/** An eviction that a disruption budget does not allow. */
export interface BlockedEviction {
  readonly pod: string;
  readonly budget: string;
  readonly message: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}
