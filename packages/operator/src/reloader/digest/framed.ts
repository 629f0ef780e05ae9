/**
 * Our own digests: unambiguous, bound to the object they are of, and for Secrets keyed, so that nobody who may only
 * read Deployments can guess a short value.
 *
 * In: the decoded values by key. Out: 128 bits as 22 characters of base64url, and for Stakater's places 160 bits as 40
 * hex digits. Every part is length-prefixed, so no two different inputs share an encoding.
 */
import { ALL_KEYS } from '../model/source-facts.ts';
import { Message } from './message.ts';

export interface SourceIdentity {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Bumped when the encoding changes; the ledger stores it, and an unknown one is adopted, never reloaded. */
export const DIGEST_VERSION = 1;

/** Of more keys, digests of their own would take longer, and more memory, than anybody has for one object. */
const MOST_KEYS = 1_000;
const LEDGER_BYTES = 16;
const SLOT_BYTES = 20;

export type DigestKey = Uint8Array;
export type SourceValue = readonly [key: string, value: Uint8Array];

export interface FramedDigests {
  /** For the ledger: 22 characters. */
  readonly digest: string;
  /** For Stakater's places: 40 hex digits. */
  readonly slot: string;
  /**
   * Of each key by itself. Equal values under different names, or in different objects, have different digests. Of more
   * than a thousand keys, one for all.
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

/** How long the beginning is. */
function startWith({ kind, namespace, name }: SourceIdentity, what: 'whole' | 'key'): number {
  message.truncate(0).addTextFrame(`reloader/${DIGEST_VERSION}`).addTextFrame(what);
  return message.addTextFrame(kind).addTextFrame(namespace).addTextFrame(name).length;
}

/** By bytes, as Go sorts strings; JavaScript sorts by UTF-16 units, which is the same for letters that keys are made of. */
export function sortedByKey(values: readonly SourceValue[]): SourceValue[] {
  if (values.every(([key]) => ASCII.test(key)))
    return [...values].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return values
    .map((pair) => ({ pair, bytes: Buffer.from(pair[0]) }))
    .sort((one, other) => Buffer.compare(one.bytes, other.bytes))
    .map(({ pair }) => pair);
}
