/** A name for a set of changes that wait to be rolled out: equal for the same sources with the same content. */
import { createHash } from 'node:crypto';
import { formatEntry } from './ledger.ts';
import type { Difference } from './types.ts';

const LENGTH = 16;

export function fingerprintOf(changed: readonly Difference[]): string {
  const parts = changed.map(({ key, next }) => `${key}=${next ? formatEntry(next) : ''}`).sort();
  return createHash('sha256').update(parts.join('\n')).digest('base64url').slice(0, LENGTH);
}
