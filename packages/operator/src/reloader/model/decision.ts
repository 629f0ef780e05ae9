/** What is decided about one workload, and by which evidence. */

import type { Ledger, LedgerEntry } from './ledger.ts';
import type { Cause, Finding } from './plan.ts';
import type { Policy } from './want.ts';

export interface PodEvidence {
  /** Of each living pod: the second, since the epoch, before which it has read none of its sources. */
  readonly readSince: readonly number[];
}

/** The installation that decides. */
export interface Install {
  /** Seconds since the epoch. */
  readonly at: number;
  /** Names the digest key in use; undefined without one. */
  readonly keyId: string | undefined;
  /** Of the digest key before the last rotation. */
  readonly previousKeyId?: string | undefined;
  /** Seconds since the epoch: since when this process decides; undefined for those who only look. */
  readonly decidesSince?: number | undefined;
}

export interface Difference {
  readonly key: string;
  readonly finding: Finding;
  /** This alone would be a reason to reload. */
  readonly reload: boolean;
  /** Its content cannot be compared and was written since it was recorded: a reason to ask the pods. */
  readonly incomparable?: true;
  /** What the ledger should say from now on; undefined for no entry. */
  readonly next: LedgerEntry | undefined;
}

export type Situation =
  /** The workload has no ledger, and nothing remembers one. */
  | 'first-sight'
  /** The ledger belongs to another workload of that name. */
  | 'copied'
  | 'recorded'
  /** The ledger is gone from the workload; the notebook or our memory has it. */
  | 'vanished'
  /** Nothing but the mark on the template is left of the record. */
  | 'restored-from-mark'
  /** Noted is a workload of this name with another uid: it was created anew, perhaps over pods that stayed. */
  | 'recreated'
  /** An older ledger came back: somebody undid a rollout. */
  | 'undone';

/** What only the pods can tell. */
export type Doubt =
  | 'away'
  | 'template-changed'
  | 'reverted'
  | 'there-and-back'
  | 'recreated'
  /** What is recorded was made with a digest key that nobody has any more. */
  | 'other-key';

/** Look at the pods and decide again. `waitForRollout`: only once the rollout that runs has ended. */
export interface AskPods {
  readonly action: 'ask-pods';
  readonly why: Doubt;
  readonly waitForRollout: boolean;
}

export type Decision = AskPods | Verdict;

export interface Verdict {
  readonly action: 'nothing' | 'record' | 'reload';
  readonly situation: Situation;
  /** Of the ledger annotation that stands on the workload: what a note of this decision is made from. */
  readonly base: string;
  readonly differences: readonly Difference[];
  /** What the comparison started from. */
  readonly recorded: Ledger | undefined;
  /** Why differences do not lead to a reload although they could. */
  readonly because?:
    | 'adopted'
    | 'undone'
    | 'template-changed'
    | 'pods-are-new'
    /** A pod was created while a source had other content than now: noted as never rolled out, the reload follows. */
    | 'returned'
    /** Nothing is decided: a source's cache is still being filled. */
    | 'not-in-sync'
    /** Nothing is decided: this is the workload from before our last write, whose event is still to come. */
    | 'write-not-seen';
  /**
   * The template no longer carries our last rollout, and old pods live. With `reload` it is rolled out again; with
   * anything else the retries are used up, and only the next change of a source is rolled out.
   */
  readonly reverted?: true;
  /** The reload with this number is missing from the template, and no pod needs it any more. */
  readonly revertSettled?: number;
  /** Ledger and mark are gone and old pods live: only told, because it may be an undo. Of this version of the workload. */
  readonly revertHeldAt?: string;
  /** Seconds since the epoch, by the server's clock: the newest time at which we saw a source of it change. */
  readonly changeSeen?: number;
  /** Sources came back to what is recorded, the last at this second, and no living pod has what was between. */
  readonly returnsSettled?: number;
  /** The ledger for `record`, and for the time in which a reload is deferred. Undefined: what stands there is right. */
  readonly record: Ledger | undefined;
  /**
   * `record` holds more than the time since which a reload waits: written even when the reload follows within a
   * second. Otherwise it is worth a request only if the reload waits for long.
   */
  readonly recordUrgent: boolean;
  /** Names the changes that lead to this reload; present if and only if `reload` is. */
  readonly fingerprint?: string;
  /** The reload was decided by the ages of the pods. */
  readonly podsAreOld?: true;
  /** Nothing comparable is recorded and nobody saw a change: times alone say that a pod is older than its source. */
  readonly byTimesAlone?: true;
  /** The ledger for the reload, and the mark for the pod template. */
  readonly reload?: {
    readonly ledger: Ledger;
    readonly mark: string;
    readonly causes: readonly Cause[];
    readonly configs: readonly string[];
    /** How the configs that watch these sources, the annotations and the flags want it done. */
    readonly policy: Policy;
  };
  /** The ledger would be larger than 8 KiB: sources beyond that are not followed. */
  readonly tooManySources?: readonly string[];
  /** A Stakater slot on the template that is neither of the current content nor of ours: a Warning at takeover. */
  readonly foreignSlots?: readonly string[];
}
