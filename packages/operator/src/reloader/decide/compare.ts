/**
 * Recorded against wanted, source by source: the table of the design. Pure; it knows neither pods nor time zones nor
 * what somebody did to the template, only the two states.
 */
import type { Ledger, LedgerEntry } from './ledger.ts';

/** Stands for "never rolled out": a deferred creation must not look adopted when the ledger is written meanwhile. */
export const NEVER_ROLLED = '-';

/** A source that the workload is opted in to, as it is now. */
export interface WantedSource {
  /** Its key in the ledger. */
  readonly key: string;
  readonly state:
    | {
        readonly kind: 'present';
        readonly digest: string;
        readonly scope?: string;
        readonly createdAt: number;
      }
    /** Proven: a synced cache does not have it. */
    | { readonly kind: 'gone' }
    /** Forbidden, not in sync, out of scope, or its namespace is going: no statement is possible. */
    | { readonly kind: 'unknown'; readonly why: string };
  readonly reloadOnCreate: boolean;
  readonly reloadOnDelete: boolean;
}

export interface CompareSettings {
  /** `--recreate=ignore`: deleted and re-created with other content is recorded only. */
  readonly ignoreRecreated: boolean;
  /** The digest key in use; entries of Secrets made with another one are adopted. */
  readonly keyId: string | undefined;
}

export type Finding =
  | 'unchanged'
  | 'adopted'
  | 'created'
  | 'changed'
  | 'deleted'
  | 'recreated'
  | 'restored'
  | 'rescoped'
  | 'rekeyed'
  | 'opted-out'
  | 'still-gone'
  | 'unknown';

export interface Difference {
  readonly key: string;
  readonly finding: Finding;
  /** This alone would be a reason to reload. */
  readonly reload: boolean;
  /** What the ledger should say from now on; undefined for no entry. */
  readonly next: LedgerEntry | undefined;
}

export function compare(
  recorded: Ledger | undefined,
  wanted: readonly WantedSource[],
  settings: CompareSettings,
): Difference[] {
  const known = recorded?.sources ?? new Map<string, LedgerEntry>();
  const differences = wanted.map((source) =>
    compareSource(source, known.get(source.key), recorded, settings),
  );
  const wantedKeys = new Set(wanted.map(({ key }) => key));
  for (const key of known.keys()) {
    if (!wantedKeys.has(key)) differences.push({ key, finding: 'opted-out', reload: false, next: undefined });
  }
  return differences;
}

function compareSource(
  { key, state, reloadOnCreate, reloadOnDelete }: WantedSource,
  entry: LedgerEntry | undefined,
  ledger: Ledger | undefined,
  { ignoreRecreated, keyId }: CompareSettings,
): Difference {
  const found = (finding: Finding, next: LedgerEntry | undefined, reload = false): Difference => ({
    key,
    finding,
    reload,
    next,
  });
  if (state.kind === 'unknown') return found('unknown', entry);
  if (state.kind === 'gone') {
    if (!entry) return found('still-gone', undefined);
    if (entry.gone) return found('still-gone', entry);
    return found('deleted', { ...entry, gone: true }, reloadOnDelete);
  }
  const now: LedgerEntry = { digest: state.digest, ...(state.scope && { scope: state.scope }) };
  if (!entry) {
    const isNew = ledger !== undefined && state.createdAt > ledger.writtenAt;
    return isNew ? found('created', now, reloadOnCreate) : found('adopted', now);
  }
  if (key.startsWith('secret/') && ledger?.keyId !== keyId) return found('rekeyed', now);
  if (entry.scope !== now.scope) return found('rescoped', now);
  if (entry.digest === now.digest) return entry.gone ? found('restored', now) : found('unchanged', entry);
  if (entry.digest === NEVER_ROLLED) return found('created', now, true);
  return entry.gone ? found('recreated', now, !ignoreRecreated) : found('changed', now, true);
}

/** What the ledger says while a reload for this difference is deferred: the old state, so that it stays pending. */
export function deferredEntry(
  { finding, next }: Difference,
  recorded: LedgerEntry | undefined,
): LedgerEntry | undefined {
  if (finding === 'created' && next) return { ...next, digest: NEVER_ROLLED };
  return recorded;
}
