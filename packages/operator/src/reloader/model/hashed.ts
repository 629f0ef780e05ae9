/**
 * SHA-1 and SHA-256 of a whole text or of bytes. `crypto.hash` (since Node 20.12) needs no hash object, which takes
 * several times as long to make as a short text takes to hash, and has to be garbage-collected.
 */
import crypto from 'node:crypto';

type Algorithm = 'sha1' | 'sha256';
type Data = string | Uint8Array;

export function hashed(algorithm: Algorithm, data: Data, encoding: 'hex' | 'base64url'): string;
export function hashed(algorithm: Algorithm, data: Data, encoding: 'buffer'): Buffer;
export function hashed(
  algorithm: Algorithm,
  data: Data,
  encoding: 'hex' | 'base64url' | 'buffer',
): string | Buffer {
  if (crypto.hash) return crypto.hash(algorithm, data, encoding);
  const hash = crypto.createHash(algorithm).update(data);
  return encoding === 'buffer' ? hash.digest() : hash.digest(encoding);
}
