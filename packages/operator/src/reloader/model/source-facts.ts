/**
 * What is kept of a source: its identity, its digests and the few words that decisions read. The payload was hashed
 * while it was decoded and is gone.
 */
import type { SourceKind } from './source.ts';

/** No key of a Secret or ConfigMap: stands for all of them where there are too many to tell them apart. */
export const ALL_KEYS = '*';

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
   * Seconds since the epoch: when its data was last written, as far as managedFields tell; the creation where they do
   * not.
   */
  readonly writtenAt: number;
  /** The field manager of that write; empty where several wrote in that second. */
  readonly writtenBy: string;
  /** Of all keys: the ledger's digest, 22 characters. */
  readonly digest: string;
  /** Key, digest, key, digest … joined by NUL: an array per source would cost more than it holds. */
  readonly keyDigests: string;
  /** What goes into Stakater's own places: 40 hex digits. */
  readonly slot: string;
  /** Stakater's own SHA-1, kept where `slot` is something else, to recognise what Stakater wrote. */
  readonly sha1: string;
  /** The earlier operator's SHA-256; only where taking over has to tell whether it is of the present content. */
  readonly legacyHash?: string;
  /** Of a Secret, with the digest key before the last rotation: what was recorded with that one is compared with these. */
  readonly previous?: Pick<SourceFacts, 'digest' | 'keyDigests'>;
  /** What it was before, as far as this process saw it change: each content until the next, the last until now. */
  readonly past?: readonly PastContent[];
  /** Made by a PodConfigMapConfig: excluded from reloads unless a setting says otherwise. */
  readonly generated: boolean;
}

/** Times are seconds since the epoch: written at `from`, and replaced at `until`. */
export interface PastContent extends Pick<SourceFacts, 'digest' | 'keyDigests'> {
  readonly from: number;
  readonly until: number;
  /** The field manager that wrote it. */
  readonly by?: string;
  /** The first one that we saw: what was before, nobody knows. */
  readonly first?: true;
}

export function keyDigestsOf(facts: Pick<SourceFacts, 'keyDigests'>): Map<string, string> {
  const parts = facts.keyDigests === '' ? [] : facts.keyDigests.split('\0');
  const digests = new Map<string, string>();
  for (let index = 0; index + 1 < parts.length; index += 2)
    digests.set(parts[index] ?? '', parts[index + 1] ?? '');
  return digests;
}

export function packKeyDigests(digests: Iterable<readonly [key: string, digest: string]>): string {
  return [...digests].flat().join('\0');
}

/**
 * What can be said of a source right now. `gone` is proven: a synced cache that covers its namespace does not have it.
 * `last` is what it looked like before, if this process saw it: its annotations still count when it is deleted.
 */
export type SourceState =
  | { readonly kind: 'present'; readonly facts: SourceFacts }
  | { readonly kind: 'gone'; readonly last?: Pick<SourceFacts, 'labels' | 'annotations'> }
  /** Forbidden, not in sync, out of scope, or its namespace is being deleted: no statement is possible. */
  | {
      readonly kind: 'unknown';
      readonly why: string;
      /** Its cache is still being filled: nothing is decided about workloads that want it until that has ended. */
      readonly syncing?: true;
    };
