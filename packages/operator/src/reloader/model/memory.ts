/** What one process remembers of a workload between two passes. */
import type { Ledger } from './ledger.ts';

/** What this process has seen of one workload (by uid); empty after a restart. Values are replaced, never changed. */
export interface Memory {
  /**
   * The template, and `templateWrittenAt` when it was first seen: whoever then writes other parts of the workload moves
   * that time, and changes no template.
   */
  readonly template?: { readonly digest: string; readonly since: number };
  readonly uid: string;
  /** The newest record we know: seen on the workload, rolled out or noted by us. */
  readonly ledger?: Ledger;
  /** Of the ledger annotation that it was made from; present if and only if `ledger` is. */
  readonly base?: string;
  readonly highestSeq: number;
  /** The revert of the reload with this number was looked into: no pod needed another rollout, or it is not ours to repeat. */
  readonly revertSettled?: number;
  /** The pods were asked about a revert that is only told: the workload's resourceVersion of then. */
  readonly revertHeldAt?: string;
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
  /** Milliseconds since the epoch: since when a decision waits for the end of a rollout that somebody began. */
  readonly awaitsRolloutSince?: number;
  /** The workload's resourceVersion in the last pass, and the one that our last accepted write replaced. */
  readonly seenVersion?: string;
  readonly writtenOver?: string;
  /**
   * The workload's resourceVersion when it had just been created, if we saw that: it orders its creation and a write to
   * a source within one second, which no clock of the API can.
   */
  readonly bornVersion?: string;
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
  /** Of the verdict that first named these changes: what was noted since then would look like a record. */
  readonly byTimesAlone?: true;
}
