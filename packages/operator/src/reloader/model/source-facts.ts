/**
 * The cached part of a source: its identity, its digests and the few fields that decisions read. The payload was hashed
 * while it was decoded and is not kept.
 */
import type { SourceKind } from './source.ts';

/** Stands for all keys of a source that has too many to track one by one. No Secret or ConfigMap has a key named so. */
export const ALL_KEYS = '*';
/** Sources with more keys are tracked as a whole: a digest per key would take too much time and memory. */
export const MOST_KEYS = 1_000;

export interface SourceFacts {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
  readonly kind: SourceKind;
  readonly labels: Readonly<Record<string, string>>;
  /** Only the annotations that we read. */
  readonly annotations: Readonly<Record<string, string>>;
  /** Seconds since the epoch. */
  readonly createdAt: number;
  /**
   * Seconds since the epoch: the last write of its data according to managedFields; its creation if they do not tell.
   */
  readonly writtenAt: number;
  /** The time in managedFields, if `writtenAt` is one that we observed, by our own clock. */
  readonly storedAt?: number;
  /** The field manager of that write; empty if several wrote in the same second. */
  readonly writtenBy: string;
  /** Digest of all keys, as the ledger records it: 22 characters. */
  readonly digest: string;
  /** Key, digest, key, digest … joined by NUL: an array per source would cost more memory than its content. */
  readonly keyDigests: string;
  /** Hash for Stakater's own variables and annotations: 40 hex digits. */
  readonly slot: string;
  /** Stakater's own SHA-1, kept if `slot` is another hash, to recognise a value that Stakater wrote. */
  readonly sha1: string;
  /** The earlier operator's SHA-256; set only if a takeover has to check whether it is of the present content. */
  readonly legacyHash?: string;
  /** A Secret's digests with the key before the last rotation, to compare with records made with that key. */
  readonly previous?: Pick<SourceFacts, 'digest' | 'keyDigests'>;
  /** Its earlier contents, as far as this process saw them: each until the next one, the last until now. */
  readonly past?: readonly PastContent[];
  /** This process saw it appear. */
  readonly appeared?: true;
  /** Made by a PodConfigMapConfig: excluded from reloads unless a setting says otherwise. */
  readonly generated: boolean;
}

/** Times are seconds since the epoch: written at `from`, and replaced at `until`. */
export interface PastContent extends Pick<SourceFacts, 'digest' | 'keyDigests'> {
  readonly from: number;
  readonly until: number;
  /** The field manager that wrote it. */
  readonly by?: string;
  /** The first content that this process saw: the one before it is unknown. */
  readonly first?: true;
}

/** Seconds since the epoch, by the API server's clock: the last write of its data that managedFields show. */
export function storedWriteOf({ storedAt, writtenAt }: SourceFacts): number {
  return storedAt ?? writtenAt;
}

export function keyDigestsOf(facts: Pick<SourceFacts, 'keyDigests'>): Map<string, string> {
  const parts = facts.keyDigests === '' ? [] : facts.keyDigests.split('\0');
  const digests = new Map<string, string>();
  for (let index = 0; index + 1 < parts.length; index += 2)
    digests.set(parts[index] ?? '', parts[index + 1] ?? '');
  return digests;
}

export function packKeyDigests(digests: Iterable<readonly [key: string, digest: string]>): string {
  const parts: string[] = [];
  for (const [key, digest] of digests) parts.push(key, digest);
  return parts.join('\0');
}

/**
 * The current state of a source. `gone` only if a synced cache that covers its namespace does not have it. `last` is
 * its last metadata, if this process saw it: the annotations of a deleted source still count.
 */
export type SourceState =
  | { readonly kind: 'present'; readonly facts: SourceFacts }
  | { readonly kind: 'gone'; readonly last?: Pick<SourceFacts, 'labels' | 'annotations'> }
  /** Reading is forbidden, the cache is not in sync, or the namespace is out of scope or being deleted. */
  | {
      readonly kind: 'unknown';
      readonly why: string;
      /** Its cache is not yet synced: no decision is made until then about workloads that want this source. */
      readonly syncing?: true;
    };
