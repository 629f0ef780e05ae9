/**
 * A buffer that collects bytes and hashes them in one call. Feeding a hash piece by piece costs more per piece than per
 * byte, and every source of a cluster is hashed at the start.
 *
 * In: texts and bytes, in sequence. Out: digests of all of them. Guarantees: the memory is reused for the next message,
 * and `wipe` leaves no bytes of this one in it, because they may be those of a Secret.
 */
import * as crypto from 'node:crypto';

const FIRST_BYTES = 16 * 1024;
/** A larger buffer, needed for one large source, is released. */
const LARGEST_KEPT_BYTES = 64 * 1024;
const SIZE_BYTES = 4;

export class Message {
  #bytes = Buffer.alloc(FIRST_BYTES);
  #length = 0;
  #used = 0;

  get length(): number {
    return this.#length;
  }

  /** Discards all but the first `length` bytes. */
  truncate(length: number): this {
    this.#length = length;
    return this;
  }

  add(bytes: Uint8Array): this {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    return this.#grown(bytes.length);
  }

  addText(text: string): this {
    // Upper bound: three bytes per UTF-16 unit.
    this.#reserve(text.length * 3);
    return this.#grown(this.#bytes.write(text, this.#length, 'utf8'));
  }

  /** With a length prefix, so that different sequences of frames have different bytes. */
  addFrame(bytes: Uint8Array): this {
    return this.#addSize(bytes.length).add(bytes);
  }

  addTextFrame(text: string): this {
    const start = this.#length;
    this.#addSize(0).addText(text);
    this.#bytes.writeUInt32BE(this.#length - start - SIZE_BYTES, start);
    return this;
  }

  digest(algorithm: 'sha1' | 'sha256', key?: Uint8Array): Buffer {
    const bytes = this.#bytes.subarray(0, this.#length);
    return key ? crypto.createHmac(algorithm, key).update(bytes).digest() : hashed(algorithm, bytes);
  }

  wipe(): void {
    if (this.#bytes.length > LARGEST_KEPT_BYTES) this.#bytes = Buffer.alloc(FIRST_BYTES);
    else this.#bytes.fill(0, 0, this.#used);
    this.#length = 0;
    this.#used = 0;
  }

  #addSize(size: number): this {
    this.#reserve(SIZE_BYTES);
    this.#bytes.writeUInt32BE(size, this.#length);
    return this.#grown(SIZE_BYTES);
  }

  #grown(by: number): this {
    this.#length += by;
    if (this.#length > this.#used) this.#used = this.#length;
    return this;
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.alloc(Math.max(needed, this.#bytes.length * 2));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes.fill(0, 0, this.#used);
    this.#bytes = larger;
  }
}

/** `crypto.hash` (since Node 20.12) needs no hash object that must be garbage-collected. */
function hashed(algorithm: 'sha1' | 'sha256', bytes: Uint8Array): Buffer {
  return crypto.hash
    ? crypto.hash(algorithm, bytes, 'buffer')
    : crypto.createHash(algorithm).update(bytes).digest();
}
