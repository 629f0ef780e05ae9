/** A ConfigMap that is put back to what it was before a reload that failed. */
import type { LedgerEntry } from './ledger.ts';
import type { SourceRef } from './source.ts';

export interface RestoreSource {
  readonly ref: SourceRef;
  /** Its key in the ledger. */
  readonly key: string;
  /** Only these keys count and are put back; undefined means the whole object. */
  readonly keys: readonly string[] | undefined;
  /** What the ledger says of the content that failed, and of the one before. */
  readonly bad: string;
  readonly good: LedgerEntry;
}

/** What became of it, for people. */
export interface RestoreReport {
  readonly result: 'restored' | 'refused' | 'fought';
  /** The reload that failed. */
  readonly seq: number;
  readonly sources: readonly SourceRef[];
  /** ReloaderConfigs (`namespace/name`) that asked for that reload. */
  readonly configs: readonly string[];
  readonly message: string;
}

export type RestoreOutcome =
  | { readonly kind: 'restored' }
  /** Not to be done, or not allowed: what a person does instead. */
  | { readonly kind: 'refused'; readonly message: string }
  /** Somebody wrote at the same time, or another content is there: decide again from fresh state. */
  | { readonly kind: 'conflict' };
