/**
 * Our own digests: unambiguous, bound to the object they are of, and for Secrets keyed, so that nobody who may only
 * read Deployments can guess a short value.
 *
 * In: the decoded values by key. Out: 128 bits as 22 characters of base64url. Every part is length-prefixed, so no two
 * different inputs share an encoding.
 */
import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';

export interface SourceIdentity {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Bumped when the encoding changes; the ledger stores it, and an unknown one is adopted, never reloaded. */
export const DIGEST_VERSION = 1;

const BYTES = 16;

export type DigestKey = Uint8Array;

/** All keys together. `values` need not be sorted. */
export function wholeDigest(
  identity: SourceIdentity,
  values: Iterable<readonly [key: string, value: Uint8Array]>,
  key: DigestKey | undefined,
): string {
  const sorted = [...values].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const digest = begin(identity, 'whole', key);
  for (const [name, value] of sorted) {
    frame(digest, Buffer.from(name));
    frame(digest, value);
  }
  return finish(digest);
}

/** One key. Equal values under different names, or in different objects, have different digests. */
export function keyDigest(
  identity: SourceIdentity,
  name: string,
  value: Uint8Array,
  key: DigestKey | undefined,
): string {
  const digest = begin(identity, 'key', key);
  frame(digest, Buffer.from(name));
  frame(digest, value);
  return finish(digest);
}

function begin(identity: SourceIdentity, what: string, key: DigestKey | undefined): Hash | Hmac {
  const digest = key ? createHmac('sha256', key) : createHash('sha256');
  for (const part of [`reloader/${DIGEST_VERSION}`, what, identity.kind, identity.namespace, identity.name]) {
    frame(digest, Buffer.from(part));
  }
  return digest;
}

function frame(digest: Hash | Hmac, bytes: Uint8Array): void {
  const length = Buffer.allocUnsafe(4);
  length.writeUInt32BE(bytes.length);
  digest.update(length).update(bytes);
}

function finish(digest: Hash | Hmac): string {
  return digest.digest().subarray(0, BYTES).toString('base64url');
}
