/** What is decided about one workload, and by which evidence. */

import type { Ledger, LedgerEntry } from './ledger.ts';
import type { Cause, Finding } from './plan.ts';

export interface PodEvidence {
  /** Of each living pod, in seconds since the epoch. */
  readonly createdAt: readonly number[];
}

/** The installation that decides. */
export interface Install {
  /** Seconds since the epoch. */
  readonly at: number;
  /** Names the digest key in use; undefined without one. */
  readonly keyId: string | undefined;
  /** Of the digest key before the last rotation. */
  readonly previousKeyId?: string | undefined;
}

export interface Difference {
  readonly key: string;
  readonly finding: Finding;
  /** This alone would be a reason to reload. */
  readonly reload: boolean;
  /** What the ledger should say from now on; undefined for no entry. */
  readonly next: LedgerEntry | undefined;
}

export type Situation =
  /** The workload has no ledger, and nothing remembers one. */
  | 'first-sight'
  /** The ledger belongs to another workload of that name. */
  | 'copied'
  | 'recorded'
  /** A baseline of ours that does not stand on the workload (yet). */
  | 'in-memory'
  /** Gone from the workload while we watched: written again. */
  | 'vanished'
  /** Gone while we were away, and read back from the template. */
  | 'restored-from-mark'
  /** An older ledger came back: somebody undid a rollout. */
  | 'undone';

/** What only the pods can tell. */
export type Doubt = 'away' | 'template-changed' | 'reverted' | 'there-and-back';

export type Decision =
  | { readonly action: 'leave'; readonly version: number }
  /** Look at the pods and decide again. `waitForRollout`: only once the rollout that runs has ended. */
  | {
      readonly action: 'ask-pods';
      readonly why: Doubt;
      readonly waitForRollout: boolean;
    }
  | Verdict;

/** It is decided: neither left alone nor a question. */
export function isVerdict(decision: Decision): decision is Verdict {
  return decision.action !== 'leave' && decision.action !== 'ask-pods';
}

export interface Verdict {
  readonly action: 'nothing' | 'record' | 'reload';
  readonly situation: Situation;
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
  /** The ledger for the reload, and the mark for the pod template. */
  readonly reload?: {
    readonly ledger: Ledger;
    readonly mark: string;
    readonly causes: readonly Cause[];
    readonly configs: readonly string[];
  };
  /** The ledger would be larger than 8 KiB: sources beyond that are not followed. */
  readonly tooManySources?: readonly string[];
  /** A Stakater slot on the template that is neither of the current content nor of ours: a Warning at takeover. */
  readonly foreignSlots?: readonly string[];
}
