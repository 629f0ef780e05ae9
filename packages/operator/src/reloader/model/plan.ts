/** What is handed from deciding to doing, and back. */
import type { ReloadStrategy, RolloutStrategy } from './config.ts';
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
  readonly container: string;
}

export interface ReloadPlan {
  readonly workload: WorkloadFacts;
  /** The ledger annotation as it is now (undefined: there is none), and as it becomes. */
  readonly ledgerBefore: string | undefined;
  readonly ledgerAfter: string;
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
}

export type Outcome =
  | {
      readonly kind: 'done';
      /** Something was rolled out, restarted or run; false for a mere record. */
      readonly changed: boolean;
      /** The ledger could not be written: the baseline stays in memory, and `note` says why. */
      readonly recorded?: false;
      readonly note?: string;
    }
  /** A test of the patch failed, or the workload is gone: decide again from fresh state. */
  | { readonly kind: 'conflict'; readonly message: string }
  /** Several steps, not finished: go on after this long. */
  | { readonly kind: 'continue'; readonly afterMs: number; readonly message: string }
  /** We may not: the baseline stays in memory. */
  | { readonly kind: 'forbidden'; readonly message: string }
  /** The server will never take it as it is (invalid): say so, and try again only when something changes. */
  | { readonly kind: 'rejected'; readonly message: string };
