/** The record of a workload: the digests it was last rolled out with, and the reloads that led there. */
import type { ReloadOutcome } from './verify.ts';

/** Digest of the keys in `scope` (absent: of the whole object); `gone` if the source was deleted. */
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
  /** `configIdOf` each of `configs`; version 0.1.0 did not record it. */
  readonly configIds?: readonly string[];
  /** The sources that had changed, as short keys. */
  readonly sources: readonly string[];
  /** It undid the reload with this number. */
  readonly undoes?: number;
}

/** State before a reload, kept to undo it if it fails. */
export interface Replaced {
  /** The ledger's entries of the changed sources before the reload. */
  readonly sources: ReadonlyMap<string, LedgerEntry>;
  /** Digest of our own fields on the pod template before the reload. */
  readonly fields: string;
  /** Seconds since the epoch: all of these sources had that content at least until then. */
  readonly until: number;
}

/** A content that failed and that we reverted once. */
export interface RefusedContent {
  /** Key of the source in the ledger. */
  readonly key: string;
  /** The ledger's entry for it. */
  readonly content: string;
}

/**
 * Contents that failed and are about to be reverted. Noted before the sources are written, so that a crash in between
 * neither loses nor repeats the revert.
 */
export interface Restoring {
  /** The reload that failed. */
  readonly seq: number;
  readonly sources: readonly RestoringSource[];
}

export interface RestoringSource extends RefusedContent {
  /** The source's resourceVersion that the write replaces: while the source still has it, the write was not made. */
  readonly version: string;
}

export interface Ledger {
  /** The workload's uid: a copied or re-created workload has no ledger. */
  readonly uid: string;
  /** Counts reloads. */
  readonly seq: number;
  /** Seconds since the epoch: the last write of this ledger, except those that only note a pending change. */
  readonly writtenAt: number;
  /**
   * Seconds since the epoch, by the API server's clock: the newest write to the data of its sources that the ledger
   * covers. `writtenAt` is of our clock, which may be minutes ahead. Version 0.1.0 did not record it.
   */
  readonly sourcesWrittenAt?: number;
  /** Seconds since the epoch: the last reload. */
  readonly reloadedAt?: number;
  /** Seconds since the epoch: the oldest change that is still deferred. */
  readonly pendingSince?: number;
  /** Id of the key that the digests of Secrets were made with. */
  readonly keyId?: string;
  /** Version of the digest algorithm; absent means the first. Entries of another version are adopted. */
  readonly digestVersion?: number;
  /** The template's digest when the ledger was written, to detect later changes by other clients. */
  readonly template?: string;
  /** The last reload left no mark on the template, or a user undid it on purpose: a missing mark is no revert. */
  readonly unmarked?: true;
  /** Installation that made the last reload: namespace and name of the operator. */
  readonly installation?: string;
  /** State of the rate limit, milliseconds since the epoch: when the full burst is available again. */
  readonly rateClock?: number;
  /** State before the last reload, if that is verified. */
  readonly replaced?: Replaced;
  /** Contents that failed and that we reverted: neither rolled out nor reverted again. The oldest first. */
  readonly refused?: readonly RefusedContent[];
  readonly recent: readonly RecentReload[];
  readonly sources: ReadonlyMap<string, LedgerEntry>;
}

/** Seconds since the epoch: a source whose data was written later may differ from the ledger. */
export function coversWritesUntil({ sourcesWrittenAt, writtenAt }: Ledger): number {
  return sourcesWrittenAt ?? writtenAt;
}

/** The notebook's entry for a workload: the record, and which ledger annotation it was made from. */
export interface Note {
  readonly record: Ledger;
  /** `baseOf` the ledger annotation that the workload had when this was noted. */
  readonly base: string;
  /** The eviction of its pods in progress: for which content, and which pods are old. */
  readonly evicting?: string;
  /** The failed rollout, with the number of its reload. */
  readonly failed?: RolloutFailure;
  /** Outcomes of its last verified reloads, the oldest first. */
  readonly outcomes?: readonly ReloadOutcome[];
  readonly restoring?: Restoring;
  /** Set if the pending reload was decided by the ages of pods alone. */
  readonly doubt?: NotedDoubt;
}

export interface NotedDoubt {
  /** Fingerprint of the changes: other content is a change that the operator observed. */
  readonly fingerprint: string;
  /** There were too many such reloads at once: this one waits for a person, also after a restart. */
  readonly held: boolean;
}

export interface RolloutFailure {
  readonly seq: number;
  /** Seconds since the epoch. */
  readonly at: number;
  readonly message: string;
}
