/** Remembers writes that changed nothing, for each client: a write that is sure to change nothing again is not sent. */
import { createHash } from 'node:crypto';
import type { Client } from '../client/client.ts';

const REMEMBERED = 4096;
const answers = new WeakMap<Client, Map<string, string>>();

/** The last answers of one client, by what was written. */
export function answersOf(client: Client): Map<string, string> {
  const known = answers.get(client);
  if (known) return known;
  const made = new Map<string, string>();
  answers.set(client, made);
  return made;
}

/** The oldest entry is dropped first. */
export function remember(known: Map<string, string>, slot: string, value: string): void {
  known.delete(slot);
  known.set(slot, value);
  const oldest = known.keys().next();
  if (known.size > REMEMBERED && !oldest.done) known.delete(oldest.value);
}

export function fingerprintOf(...parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}
