/** State of a workload that one process keeps between two passes. */
import type { Ledger } from './ledger.ts';

/** Observations about one workload (by uid); empty after a restart. Values are replaced, never changed. */
export interface Memory {
  /**
   * The template's digest, and `templateWrittenAt` when it was first seen. A later write to other parts of the workload
   * moves `templateWrittenAt` without changing the template.
   */
  readonly template?: { readonly digest: string; readonly since: number };
  readonly uid: string;
  /** The newest record that we know: read from the workload, rolled out or noted by us. */
  readonly ledger?: Ledger;
  /** `baseOf` the ledger annotation that it was made from; present if and only if `ledger` is. */
  readonly base?: string;
  readonly highestSeq: number;
  /** The revert of this reload was examined: no pod needs another rollout, or it is not ours to repeat. */
  readonly revertSettled?: number;
  /** The workload's resourceVersion when its pods were checked for a revert that is only reported. */
  readonly revertHeldAt?: string;
  /** How often the current reload was repeated because another client reverted it. */
  readonly revertRetries: number;
  /** Seconds since the epoch, by the API server's clock: the newest change of one of its sources that we saw. */
  readonly changeSeen?: number;
  /**
   * The same for processed changes: a ledger was written with knowledge of them, or the pods were checked. Unlike the
   * ledger's own time it is not by our clock: a wrong clock must not make a processed change look new.
   */
  readonly returnsSettled?: number;
  readonly pending?: PendingChange;
  /** Milliseconds since the epoch: since when a decision waits for the end of a rollout that another client started. */
  readonly awaitsRolloutSince?: number;
  /** The workload's resourceVersion in the last pass, and the one that our last accepted write replaced. */
  readonly seenVersion?: string;
  readonly writtenOver?: string;
  /**
   * The workload's resourceVersion at its creation, if we saw that. It orders the creation and a write to a source
   * within one second; the API's timestamps cannot.
   */
  readonly bornVersion?: string;
}

/** Changes that wait to be rolled out. */
export interface PendingChange {
  /** Identifies the differences: another fingerprint is another change. */
  readonly fingerprint: string;
  /** The template's digest when this fingerprint was first seen: a later template was written after the change. */
  readonly template: string;
  /** Milliseconds since the epoch: when the first and the latest of these changes were seen. */
  readonly firstSeen: number;
  readonly lastSeen: number;
  /**
   * `templateWrittenAt` when the pods were checked and one was too old to have these changes. They are checked again
   * only after another write to the template.
   */
  readonly podsWereOldAt?: number;
  /** From the verdict that first named these changes: a later note would look like a record. */
  readonly byTimesAlone?: true;
}
