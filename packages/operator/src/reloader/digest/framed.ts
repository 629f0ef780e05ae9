/**
 * Our own digests: unambiguous, bound to the object they are of, and for Secrets keyed, so that nobody who may only
 * read Deployments can guess a short value.
 *
 * In: the decoded values by key. Out: 128 bits as 22 characters of base64url, and for Stakater's places 160 bits as 40
 * hex digits. Every part is length-prefixed, so no two different inputs share an encoding.
 */
import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';

export interface SourceIdentity {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Bumped when the encoding changes; the ledger stores it, and an unknown one is adopted, never reloaded. */
export const DIGEST_VERSION = 1;

const LEDGER_BYTES = 16;
const SLOT_BYTES = 20;

export type DigestKey = Uint8Array;
export type SourceValue = readonly [key: string, value: Uint8Array];

export interface FramedDigests {
  /** For the ledger: 22 characters. */
  readonly digest: string;
  /** For Stakater's places: 40 hex digits. */
  readonly slot: string;
  /** Of each key by itself. Equal values under different names, or in different objects, have different digests. */
  readonly keys: readonly (readonly [key: string, digest: string])[];
}

/** `values` need not be sorted. */
export function framedDigests(
  identity: SourceIdentity,
  values: readonly SourceValue[],
  key: DigestKey | undefined,
): FramedDigests {
  const parts = values
    .map(([name, value]) => ({ name, value, frame: frameOf(Buffer.from(name)), size: sizeOf(value) }))
    .sort((a, b) => Buffer.compare(a.frame.subarray(4), b.frame.subarray(4)));
  const ofKey = headerOf(identity, 'key');
  const whole = begin(key).update(headerOf(identity, 'whole'));
  const keys = parts.map(({ name, value, frame, size }) => {
    whole.update(frame).update(size).update(value);
    const single = begin(key).update(ofKey).update(frame).update(size).update(value).digest();
    return [name, single.toString('base64url', 0, LEDGER_BYTES)] as const;
  });
  const all = whole.digest();
  return {
    digest: all.toString('base64url', 0, LEDGER_BYTES),
    slot: all.toString('hex', 0, SLOT_BYTES),
    keys,
  };
}

function begin(key: DigestKey | undefined): Hash | Hmac {
  return key ? createHmac('sha256', key) : createHash('sha256');
}

function headerOf({ kind, namespace, name }: SourceIdentity, what: 'whole' | 'key'): Buffer {
  const parts = [`reloader/${DIGEST_VERSION}`, what, kind, namespace, name];
  return Buffer.concat(parts.map((part) => frameOf(Buffer.from(part))));
}

function frameOf(bytes: Uint8Array): Buffer {
  return Buffer.concat([sizeOf(bytes), bytes]);
}

function sizeOf(bytes: Uint8Array): Buffer {
  const size = Buffer.allocUnsafe(4);
  size.writeUInt32BE(bytes.length);
  return size;
}
