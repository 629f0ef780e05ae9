/**
 * The contents that a reload replaces, kept to undo it should it fail. Pure.
 *
 * Only where the earlier state is known exactly: each source had a content that can still be compared, and was changed,
 * neither deleted nor re-created. Any other change is rolled out again like a new one when it is taken back.
 */
import { DIGEST_VERSION } from '../digest/framed.ts';
import { entryOf, NEVER_ROLLED } from '../ledger/entry.ts';
import { sameEntry } from '../ledger/ledger.ts';
import type { Difference } from '../model/decision.ts';
import type { Ledger, LedgerEntry, Replaced } from '../model/ledger.ts';
import { ownFieldsDigest, ownFieldsOf } from '../model/own-fields.ts';
import type { WantedSource } from '../model/want.ts';
import type { DecideInput } from './input.ts';

const MOST_REPLACED = 8;

export interface Replacing {
  readonly input: Pick<DecideInput, 'workload' | 'want' | 'install'>;
  readonly recorded: Ledger | undefined;
}

export function replacedBy(
  { input, recorded }: Replacing,
  changed: readonly Difference[],
): Replaced | undefined {
  const { workload, want, install } = input;
  if (!recorded || changed.length === 0 || changed.length > MOST_REPLACED) return undefined;
  if ((recorded.digestVersion ?? 1) !== DIGEST_VERSION) return undefined;
  const byKey = new Map(want.sources.map((source) => [source.key, source]));
  const sources = new Map<string, LedgerEntry>();
  let until = Number.POSITIVE_INFINITY;
  for (const { key, finding } of changed) {
    const entry = recorded.sources.get(key);
    const source = byKey.get(key);
    const isOtherKey = recorded.keyId !== install.keyId && key.startsWith('secret/');
    if (finding !== 'changed' || !entry || entry.digest === NEVER_ROLLED || !source || isOtherKey) {
      return undefined;
    }
    sources.set(key, entry);
    until = Math.min(until, lastSeenAs(entry, source) ?? recorded.writtenAt);
  }
  return { sources, fields: ownFieldsDigest(ownFieldsOf(workload)), until };
}

/** Seconds since the epoch: when this process saw that content being replaced; undefined if it did not. */
function lastSeenAs(entry: LedgerEntry, { state, keys }: WantedSource): number | undefined {
  const past = state.kind === 'present' ? (state.facts.past ?? []) : [];
  return past.findLast((content) => sameEntry(entryOf(content, keys), entry))?.until;
}
