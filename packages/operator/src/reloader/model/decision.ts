/** The decision about one workload, and its evidence. */

import type { Ledger, LedgerEntry } from './ledger.ts';
import type { Cause, Finding } from './plan.ts';
import type { Policy } from './want.ts';

export interface PodEvidence {
  /** For each living pod: the second, since the epoch, before which it cannot have read any of its sources. */
  readonly readSince: readonly number[];
}

/** The installation that makes the decision. */
export interface Install {
  /** Seconds since the epoch. */
  readonly at: number;
  /** Id of the digest key in use; undefined without one. */
  readonly keyId: string | undefined;
  /** Id of the digest key before the last rotation. */
  readonly previousKeyId?: string | undefined;
  /** Seconds since the epoch: since when this process makes decisions; undefined for read-only use. */
  readonly decidesSince?: number | undefined;
}

export interface Difference {
  readonly key: string;
  readonly finding: Finding;
  /** This difference alone is a reason to reload. */
  readonly reload: boolean;
  /** Its content cannot be compared and was written after it was recorded: a reason to check the pods. */
  readonly incomparable?: true;
  /** The new entry of the ledger; undefined for none. */
  readonly next: LedgerEntry | undefined;
}

export type Situation =
  /** The workload has no ledger, and neither the notebook nor the memory has a record. */
  | 'first-sight'
  /** The ledger was copied from another workload (its uid differs). */
  | 'copied'
  | 'recorded'
  /** The ledger annotation was removed; the notebook or our memory still has the record. */
  | 'vanished'
  /** Only the mark on the template is left of the record. */
  | 'restored-from-mark'
  /** The note is of a workload with this name and another uid: it was re-created, perhaps with its old pods kept. */
  | 'recreated'
  /** An older ledger came back: a user undid a rollout. */
  | 'undone';

/** Questions that only the pods can answer. */
export type Doubt =
  | 'away'
  | 'template-changed'
  | 'reverted'
  | 'there-and-back'
  | 'recreated'
  /** The record was made with a digest key that is lost. */
  | 'other-key';

/** List the pods and decide again. `waitForRollout`: only after the running rollout has ended. */
export interface AskPods {
  readonly action: 'ask-pods';
  readonly why: Doubt;
  readonly waitForRollout: boolean;
}

export type Decision = AskPods | Verdict;

export interface Verdict {
  readonly action: 'nothing' | 'record' | 'reload';
  readonly situation: Situation;
  /** `baseOf` the workload's ledger annotation: a note of this decision is based on it. */
  readonly base: string;
  readonly differences: readonly Difference[];
  /** The record that the sources were compared with. */
  readonly recorded: Ledger | undefined;
  /** Why differences do not lead to a reload. */
  readonly because?:
    | 'adopted'
    | 'undone'
    | 'template-changed'
    | 'pods-are-new'
    /** A pod was created while a source had another content: recorded as never rolled out, and a reload follows. */
    | 'returned'
    /** No decision yet: a source's cache is not synced. */
    | 'not-in-sync'
    /** No decision yet: the cache still shows the workload from before our last write. */
    | 'write-not-seen';
  /**
   * The template no longer has the mark of our last rollout, and old pods are alive. With `reload` it is rolled out
   * again; otherwise the retries are used up, and only the next change of a source is rolled out.
   */
  readonly reverted?: true;
  /** The template lacks the reload with this number, and no pod needs it any more. */
  readonly revertSettled?: number;
  /** resourceVersion at which ledger and mark are gone and old pods live: only reported, as it may be an undo. */
  readonly revertHeldAt?: string;
  /** Seconds since the epoch, by the API server's clock: the newest change of one of its sources that we saw. */
  readonly changeSeen?: number;
  /** Sources returned to the recorded content, the last at this second, and no living pod has the one in between. */
  readonly returnsSettled?: number;
  /** The ledger for `record`, and for as long as a reload is deferred. Undefined: the present one is correct. */
  readonly record: Ledger | undefined;
  /**
   * `record` holds more than the time since when a reload is pending: it is written even if the reload follows within a
   * second. Otherwise it is written only if the reload is deferred for long.
   */
  readonly recordUrgent: boolean;
  /** Identifies the changes that lead to this reload; present if and only if `reload` is. */
  readonly fingerprint?: string;
  /** The reload was decided by the ages of the pods. */
  readonly podsAreOld?: true;
  /** There is no comparable record and no observed change: only timestamps show that a pod is older than its source. */
  readonly byTimesAlone?: true;
  /** The ledger for the reload, and the mark for the pod template. */
  readonly reload?: {
    readonly ledger: Ledger;
    readonly mark: string;
    readonly causes: readonly Cause[];
    readonly configs: readonly string[];
    /** Merged from the ReloaderConfigs that watch these sources, the annotations and the flags. */
    readonly policy: Policy;
  };
  /** Sources that are not tracked because the ledger would exceed 8 KiB. */
  readonly tooManySources?: readonly string[];
  /** Stakater slots on the template that match neither the current content nor our hashes: a Warning at takeover. */
  readonly foreignSlots?: readonly string[];
}
