/**
 * The mark that every reload leaves on the pod template: the ledger's number and the digests it rolled. It is the
 * fallback when the ledger is gone, and its absence shows that somebody put an older template back.
 */
import type { Ledger, LedgerEntry } from './ledger.ts';

export interface RolledMark {
  readonly seq: number;
  readonly sources: ReadonlyMap<string, string>;
}

export function formatMark(seq: number, sources: ReadonlyMap<string, LedgerEntry>): string {
  const digests = [...sources]
    .filter(([, { gone }]) => !gone)
    .map(([key, { digest, scope }]) => [key, scope ? `${digest}#${scope}` : digest] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify({ n: seq, s: Object.fromEntries(digests) });
}

/** Undefined for none, or for one that cannot be read. */
export function parseMark(text: string | undefined): RolledMark | undefined {
  if (text === undefined) return undefined;
  try {
    const { n, s } = JSON.parse(text) as { n?: unknown; s?: unknown };
    if (typeof n !== 'number' || typeof s !== 'object' || s === null) return undefined;
    const entries = Object.entries(s).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    );
    return { seq: n, sources: new Map(entries) };
  } catch {
    return undefined;
  }
}

/** The ledger as it was when the mark was left. */
export function ledgerFromMark(
  mark: RolledMark,
  uid: string,
  writtenAt: number,
  keyId: string | undefined,
): Ledger {
  const sources = new Map<string, LedgerEntry>();
  for (const [key, text] of mark.sources) {
    const [digest = '', scope] = text.split('#');
    sources.set(key, scope ? { digest, scope } : { digest });
  }
  return { uid, seq: mark.seq, writtenAt, recent: [], sources, ...(keyId !== undefined && { keyId }) };
}
