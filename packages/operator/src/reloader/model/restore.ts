/** Restoring a ConfigMap to its content before a reload that failed. */
import type { LedgerEntry } from './ledger.ts';
import type { SourceRef } from './source.ts';

export interface RestoreSource {
  readonly ref: SourceRef;
  /** Its key in the ledger. */
  readonly key: string;
  /** Only these keys are compared and restored; undefined means the whole object. */
  readonly keys: readonly string[] | undefined;
  /** The ledger's entries for the content that failed and for the one before. */
  readonly bad: string;
  readonly good: LedgerEntry;
}

/** The result of a restore, for messages. */
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
  /** Not possible or not allowed; the message says what a person can do instead. */
  | { readonly kind: 'refused'; readonly message: string }
  /** Another client wrote at the same time, or the content is another one: decide again from fresh state. */
  | { readonly kind: 'conflict' };
