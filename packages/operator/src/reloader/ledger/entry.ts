/** The digest of the part of a source that counts: all of it, or the keys that the workload uses. */
import { createHash } from 'node:crypto';
import type { LedgerEntry } from '../model/ledger.ts';
import { ALL_KEYS, keyDigestsOf, type SourceFacts } from '../model/source-facts.ts';

/**
 * Stands for "never rolled out". With `gone`: it was wanted and absent, so its creation shows without any clock.
 * Without: its reload is deferred, and it must not look adopted when the ledger is written meanwhile.
 */
export const NEVER_ROLLED = '-';

const DIGEST_LENGTH = 22;
const SCOPE_LENGTH = 8;

/** What the ledger says of this source, rolled out as it is now. A key that is missing counts as one that is missing. */
export function entryOf(
  facts: Pick<SourceFacts, 'digest' | 'keyDigests'>,
  keys: readonly string[] | undefined,
): LedgerEntry {
  if (!keys) return { digest: facts.digest };
  const sorted = [...new Set(keys)].sort();
  const digests = keyDigestsOf(facts);
  const otherwise = digests.get(ALL_KEYS) ?? '';
  return {
    digest: hash(sorted.flatMap((key) => [key, digests.get(key) ?? otherwise])).slice(0, DIGEST_LENGTH),
    scope: hash(sorted).slice(0, SCOPE_LENGTH),
  };
}

/** Keys of Secrets and ConfigMaps never hold a NUL, so joining by it is unambiguous. */
function hash(parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('base64url');
}

/** What the ledger says while the reload for this difference is deferred: the old state, so that it stays pending. */
export function deferredEntry(recorded: LedgerEntry | undefined): LedgerEntry {
  return recorded ?? { digest: NEVER_ROLLED };
}
