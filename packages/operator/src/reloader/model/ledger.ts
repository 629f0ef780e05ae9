/** What is recorded of a workload: the digests it was last rolled out with, and the reloads that led there. */
import type { ReloadOutcome } from './verify.ts';

/** Digest of the keys in `scope` (absent: of the whole object); `gone` once the source was deleted. */
export interface LedgerEntry {
  readonly digest: string;
  readonly scope?: string;
  readonly gone?: true;
}

export interface RecentReload {
  readonly seq: number;
  /** Seconds since the epoch. */
  readonly at: number;
  /** ReloaderConfigs (`namespace/name`) that asked for it. */
  readonly configs: readonly string[];
  /** Short source keys that had changed. */
  readonly sources: readonly string[];
  /** It put back what the reload of this number had replaced. */
  readonly undoes?: number;
}

/** What a reload replaced, kept for the way back in case it fails. */
export interface Replaced {
  /** What the ledger had said of each source that changed. */
  readonly sources: ReadonlyMap<string, LedgerEntry>;
  /** Digest of our own fields on the pod template as they were. */
  readonly fields: string;
  /** Seconds since the epoch: until then every one of these sources certainly had that content. */
  readonly until: number;
}

/** A content that failed and that we took back once. */
export interface RefusedContent {
  /** Key of the source in the ledger. */
  readonly key: string;
  /** What the ledger says of it. */
  readonly content: string;
}

/**
 * Contents that failed and are about to be taken back, noted before the sources are written to: a crash in between
 * neither forgets nor repeats it.
 */
export interface Restoring {
  /** The reload that failed. */
  readonly seq: number;
  readonly sources: readonly RestoringSource[];
}

export interface RestoringSource extends RefusedContent {
  /** The source's resourceVersion that the write replaces: as long as it has that one, the write was not made. */
  readonly version: string;
}

export interface Ledger {
  /** The workload's uid: a copied or re-created workload has no ledger. */
  readonly uid: string;
  /** Counts reloads. */
  readonly seq: number;
  /** Seconds since the epoch: the last write of this ledger, not counting those that only note what waits. */
  readonly writtenAt: number;
  /** Seconds since the epoch: the last reload. */
  readonly reloadedAt?: number;
  /** Seconds since the epoch: the oldest change that is still deferred. */
  readonly pendingSince?: number;
  /** Which key the digests of Secrets were made with. */
  readonly keyId?: string;
  /** How the digests were made; absent means the first way. Entries made in another way are adopted. */
  readonly digestVersion?: number;
  /** The template's digest when the ledger was written: whether somebody changed it since. */
  readonly template?: string;
  /** The last reload left no mark on the template, or somebody undid it knowingly: a missing mark is no revert. */
  readonly unmarked?: true;
  /** Who made the last reload: namespace and name of the operator. */
  readonly installation?: string;
  /** Milliseconds since the epoch: when the reloads of the last time are paid back, for the rate limit. */
  readonly rateClock?: number;
  /** Of the last reload, where it is verified. */
  readonly replaced?: Replaced;
  /** Contents that failed and that we took back: neither rolled out nor taken back again. The oldest first. */
  readonly refused?: readonly RefusedContent[];
  readonly recent: readonly RecentReload[];
  readonly sources: ReadonlyMap<string, LedgerEntry>;
}

/** What the notebook keeps of a workload: the record, and which ledger annotation it was made from. */
export interface Note {
  readonly record: Ledger;
  /** Of the ledger annotation that stood on the workload when this was noted: `baseOf` of it. */
  readonly base: string;
  /** The eviction of its pods that is under way: for which content, and which pods are old. */
  readonly evicting?: string;
  /** The rollout after the reload of this number failed. */
  readonly failed?: RolloutFailure;
  /** Of its last reloads, those that were verified, the oldest first. */
  readonly outcomes?: readonly ReloadOutcome[];
  readonly restoring?: Restoring;
  /** What waits, waits on the word of times alone. */
  readonly doubt?: NotedDoubt;
}

export interface NotedDoubt {
  /** Fingerprint of the changes: other content is a change that somebody saw. */
  readonly fingerprint: string;
  /** One of too many: it waits for a person, also after a restart. */
  readonly held: boolean;
}

export interface RolloutFailure {
  readonly seq: number;
  /** Seconds since the epoch. */
  readonly at: number;
  readonly message: string;
}
