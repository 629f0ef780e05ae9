/** What goes into a decision about one workload, and what comes out. */
import type { Cause, Finding } from '../model/plan.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import type { Want } from '../model/want.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import type { Ledger, LedgerEntry } from './ledger.ts';

/** What this process has seen of one workload (by uid); empty after a restart. Values are replaced, never changed. */
export interface Memory {
  readonly uid: string;
  /** The newest ledger we know: seen on the workload, written by us, or the baseline that was not written yet. */
  readonly ledger?: Ledger;
  /** That ledger has stood on the workload. False: it is a baseline of ours that waits to be written, or may not be. */
  readonly stored: boolean;
  readonly highestSeq: number;
  /** The revert of the reload with this number was looked into, and no pod needed another rollout. */
  readonly revertSettled?: number;
  /** How often the reload with the current number was repeated because somebody reverted it. */
  readonly revertRetries: number;
  /** Seconds since the epoch, by the server's clock: the newest time at which we saw a source of it change. */
  readonly changeSeen?: number;
  /**
   * The same, of what is dealt with: a ledger was written with knowledge of it, or the pods were asked. Not by our clock,
   * as the ledger's own time is: one that goes wrong must not bring a change back.
   */
  readonly returnsSettled?: number;
  readonly pending?: PendingChange;
  /** The workload's resourceVersion in the last pass, and the one that our last accepted write replaced. */
  readonly seenVersion?: string;
  readonly writtenOver?: string;
  /**
   * The workload's resourceVersion when it had just been created, if we saw that: it orders its creation and a write to
   * a source within one second, which no clock of the API can.
   */
  readonly bornVersion?: string;
  /** `ledger` could not be written: it counts instead of what stands on the workload, as long as that is older. */
  readonly refused?: true;
}

/** Changes that wait to be rolled out. */
export interface PendingChange {
  /** Of what differs: another fingerprint is another change. */
  readonly fingerprint: string;
  /** The template's digest when this fingerprint was first seen: a later one was made by somebody who saw the change. */
  readonly template: string;
  /** Milliseconds since the epoch: when the first of these changes, and when the latest, was seen. */
  readonly firstSeen: number;
  readonly lastSeen: number;
  /**
   * The pods were asked about these changes, and one is too old to have them: not asked again until the template is
   * written. This is `templateWrittenAt` of then.
   */
  readonly podsWereOldAt?: number;
}

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
}

export interface DecideInput {
  readonly workload: WorkloadFacts;
  readonly want: Want;
  readonly memory: Memory;
  /** Undefined: not looked at yet. */
  readonly pods: PodEvidence | undefined;
  readonly install: Install;
  readonly settings: ReloaderSettings;
  /** Milliseconds since the epoch. */
  readonly now: number;
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
