/** The digest of the part of a source that counts: the whole object, or the keys that the workload uses. */
import { hashed } from '../model/hashed.ts';
import type { LedgerEntry } from '../model/ledger.ts';
import { ALL_KEYS, keyDigestsOf, type SourceFacts } from '../model/source-facts.ts';

/**
 * Means "never rolled out". With `gone`: the source was wanted and absent, so its creation is detected without clocks.
 * Without: its reload is deferred, and it must not look adopted if the ledger is written meanwhile.
 */
export const NEVER_ROLLED = '-';

const DIGEST_LENGTH = 22;
const SCOPE_LENGTH = 8;

/** The ledger entry of this source with its current content. A key that is absent is part of the digest, as absent. */
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

/** Keys of Secrets and ConfigMaps never contain a NUL, so joining by it is unambiguous. */
function hash(parts: readonly string[]): string {
  return hashed('sha256', parts.join('\0'), 'base64url');
}

/**
 * The ledger entry while the reload for this difference is deferred: the old state, so that the change stays pending.
 * A source that was absent is noted as one to roll out, or its content would look newly created after a restart.
 */
export function deferredEntry(recorded: LedgerEntry | undefined): LedgerEntry {
  const wasAbsent = !recorded || (recorded.digest === NEVER_ROLLED && recorded.gone);
  return wasAbsent ? { digest: NEVER_ROLLED } : recorded;
}
