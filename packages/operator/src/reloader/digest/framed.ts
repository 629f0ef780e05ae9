/**
 * Our own digests: unambiguous, bound to their object, and keyed for Secrets, so that a user who may only read
 * Deployments cannot guess a short value.
 *
 * In: the decoded values by key. Out: 128 bits as 22 characters of base64url, and for Stakater's variables and
 * annotations 160 bits as 40 hex digits. Every part is length-prefixed, so different inputs have different encodings.
 */
import { ALL_KEYS, MOST_KEYS } from '../model/source-facts.ts';
import { Message } from './message.ts';

export interface SourceIdentity {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Increased when the encoding changes. The ledger stores it; entries of an unknown version are adopted. */
export const DIGEST_VERSION = 1;

const LEDGER_BYTES = 16;
const SLOT_BYTES = 20;

export type DigestKey = Uint8Array;
export type SourceValue = readonly [key: string, value: Uint8Array];

export interface FramedDigests {
  /** For the ledger: 22 characters. */
  readonly digest: string;
  /** For Stakater's variables and annotations: 40 hex digits. */
  readonly slot: string;
  /**
   * A digest for each key. Equal values under different keys, or in different objects, have different digests. With
   * more than a thousand keys, one digest for all.
   */
  readonly keys: readonly (readonly [key: string, digest: string])[];
}

/** `values` need not be sorted. */
export function framedDigests(
  identity: SourceIdentity,
  values: readonly SourceValue[],
  key: DigestKey | undefined,
): FramedDigests {
  const parts = values.length > 1 ? sortedByKey(values) : values;
  startWith(identity, 'whole');
  for (const [name, value] of parts) message.addTextFrame(name).addFrame(value);
  const all = message.digest('sha256', key);
  const digest = all.toString('base64url', 0, LEDGER_BYTES);
  const slot = all.toString('hex', 0, SLOT_BYTES);
  if (parts.length > MOST_KEYS) {
    message.wipe();
    return { digest, slot, keys: [[ALL_KEYS, digest]] };
  }
  const start = startWith(identity, 'key');
  const keys = parts.map(([name, value]) => {
    const single = message.truncate(start).addTextFrame(name).addFrame(value).digest('sha256', key);
    return [name, single.toString('base64url', 0, LEDGER_BYTES)] as const;
  });
  message.wipe();
  return { digest, slot, keys };
}

const ASCII = /^\p{ASCII}*$/u;
const message = new Message();

/** Starts a message with the version and the identity; returns the length of that prefix. */
function startWith(identity: SourceIdentity, what: 'whole' | 'key'): number {
  return message.truncate(0).add(beginningOf(identity, what)).addTextFrame(identity.name).length;
}

interface Beginning {
  readonly namespace: string;
  readonly bytes: Buffer;
}

/** The last one of each kind: lists are sorted by namespace, and a text costs more to encode than to copy. */
const beginnings = { whole: new Map<string, Beginning>(), key: new Map<string, Beginning>() };

function beginningOf({ kind, namespace }: SourceIdentity, what: 'whole' | 'key'): Buffer {
  const last = beginnings[what].get(kind);
  if (last?.namespace === namespace) return last.bytes;
  message.truncate(0).addTextFrame(`reloader/${DIGEST_VERSION}`).addTextFrame(what);
  const bytes = message.addTextFrame(kind).addTextFrame(namespace).copy();
  message.truncate(0);
  beginnings[what].set(kind, { namespace, bytes });
  return bytes;
}

/** Sorted by bytes, as Go does. JavaScript sorts by UTF-16 units, which is the same for ASCII keys. */
export function sortedByKey(values: readonly SourceValue[]): SourceValue[] {
  if (values.length < 2) return [...values];
  if (values.every(([key]) => ASCII.test(key)))
    return [...values].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return values
    .map((pair) => ({ pair, bytes: Buffer.from(pair[0]) }))
    .sort((one, other) => Buffer.compare(one.bytes, other.bytes))
    .map(({ pair }) => pair);
}
