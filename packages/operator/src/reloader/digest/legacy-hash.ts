/** The hash of the earlier ReloaderConfig operator: SHA-256, hex, over sorted `key:value;`; empty without data. */
import { createHash } from 'node:crypto';
import { type SourceValue, sortedByKey } from './framed.ts';

/** For duplicate keys the last value counts. */
export function legacyHashOf(values: readonly SourceValue[]): string {
  const byKey = new Map(values);
  if (byKey.size === 0) return '';
  const hash = createHash('sha256');
  for (const [key, value] of sortedByKey([...byKey])) hash.update(`${key}:`).update(value).update(';');
  return hash.digest('hex');
}
