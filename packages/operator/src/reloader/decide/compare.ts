/**
 * Compares recorded with wanted, source by source. Pure; it uses only the two states, neither pods nor template
 * changes.
 */
import { DIGEST_VERSION } from '../digest/framed.ts';
import { entryOf, NEVER_ROLLED } from '../ledger/entry.ts';
import { sameEntry } from '../ledger/ledger.ts';
import type { Difference } from '../model/decision.ts';
import { coversWritesUntil, type Ledger, type LedgerEntry } from '../model/ledger.ts';
import type { Finding } from '../model/plan.ts';
import { storedWriteOf } from '../model/source-facts.ts';
import type { WantedSource } from '../model/want.ts';

export interface CompareSettings {
  /** `--recreate=ignore`: deleted and re-created with other content is recorded only. */
  readonly ignoreRecreated: boolean;
  /** The current digest key; entries of Secrets made with another one cannot be compared. */
  readonly keyId: string | undefined;
  /** The key before the last rotation; entries made with it are compared with digests made with it. */
  readonly previousKeyId?: string | undefined;
  /**
   * Whether the last write to a source that is not in the record came after the opt-in to it. Opting in to a source
   * that was there before is no reason to reload.
   */
  readonly isAfterOptIn: (source: WantedSource) => boolean;
}

/** Sorted by key, whatever the order of the sources. */
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
  return differences.sort((a, b) => (a.key < b.key ? -1 : 1));
}

function compareSource(
  source: WantedSource,
  entry: LedgerEntry | undefined,
  ledger: Ledger | undefined,
  { ignoreRecreated, keyId, previousKeyId, isAfterOptIn }: CompareSettings,
): Difference {
  const { key, state, keys, reloadOnCreate, reloadOnDelete } = source;
  const found = (finding: Finding, next: LedgerEntry | undefined, reload = false): Difference => ({
    key,
    finding,
    reload,
    next,
  });
  /** The entry was made with a lost key. A Secret that was written since then may have changed. */
  const rekeyed = (next: LedgerEntry): Difference => {
    const writtenAt = state.kind === 'present' ? storedWriteOf(state.facts) : 0;
    // A change that was pending when the key was lost may have been of this Secret.
    const mayWait = ledger?.pendingSince !== undefined;
    // Not within the same second: that is mostly the write that the record was made for.
    return mayWait || writtenAt > (ledger ? coversWritesUntil(ledger) : 0)
      ? { ...found('rekeyed', next), incomparable: true }
      : found('rekeyed', next);
  };
  const comparable = ledger === undefined || isComparable(key, ledger, keyId);
  if (state.kind === 'unknown') {
    // A digest of the old key, recorded under the id of the new one, would look like a change later.
    return found('unknown', comparable || entry?.digest === NEVER_ROLLED ? entry : undefined);
  }
  if (state.kind === 'gone') {
    const absent: LedgerEntry = { digest: NEVER_ROLLED, gone: true };
    if (!entry) return found('absent', absent);
    if (entry.digest === NEVER_ROLLED) return found(entry.gone ? 'still-gone' : 'absent', absent);
    if (!comparable) return found('rekeyed', absent);
    return entry.gone
      ? found('still-gone', entry)
      : found('deleted', { ...entry, gone: true }, reloadOnDelete);
  }
  const now = entryOf(state.facts, keys);
  const [first] = state.facts.past ?? [];
  /** If its creation and a change were observed between two passes, pods may have the first content. */
  const created = (): Difference =>
    first && !sameEntry(entryOf(first, keys), now)
      ? found('changed', now, true)
      : found('created', now, reloadOnCreate);
  if (!entry) {
    const isNew = ledger !== undefined && state.facts.createdAt >= ledger.writtenAt;
    return isNew && isAfterOptIn(source) ? created() : found('adopted', now);
  }
  if (entry.digest === NEVER_ROLLED) return entry.gone ? created() : found('created', now, true);
  // An entry made with the key before the last rotation is compared with a digest made with that key.
  const isPrevious = previousKeyId !== undefined && ledger?.keyId === previousKeyId;
  const same = comparable ? now : isPrevious && state.facts.previous && entryOf(state.facts.previous, keys);
  if (!same) return rekeyed(now);
  if (entry.scope !== same.scope) return found('rescoped', now);
  if (entry.digest !== same.digest)
    return entry.gone ? found('recreated', now, !ignoreRecreated) : found('changed', now, true);
  if (!comparable) return found('rekeyed', now);
  if (!entry.gone) return found('unchanged', entry);
  // With reload-on-delete the pods restarted without it: the same content is new to them.
  return reloadOnDelete && reloadOnCreate ? found('created', now, true) : found('restored', now);
}

function isComparable(key: string, ledger: Ledger, keyId: string | undefined): boolean {
  if ((ledger.digestVersion ?? 1) !== DIGEST_VERSION) return false;
  return ledger.keyId === keyId || !key.startsWith('secret/');
}
