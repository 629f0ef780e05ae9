/**
 * A buffer that collects bytes and hashes them in one call. Feeding a hash piece by piece costs more per piece than per
 * byte, and every source of a cluster is hashed at the start.
 *
 * In: texts and bytes, in sequence. Out: digests of all of them. Guarantees: the memory is reused for the next message,
 * and `wipe` leaves no bytes of this one in it, because they may be those of a Secret.
 */
import { hashed } from '../model/hashed.ts';

const FIRST_BYTES = 16 * 1024;
/** A larger buffer, needed for one large source, is released. */
const LARGEST_KEPT_BYTES = 64 * 1024;
const SIZE_BYTES = 4;
/** Kept free before the message, for the block that an HMAC begins with. SHA-1 and SHA-256 have blocks of this size. */
const BLOCK_BYTES = 64;

export class Message {
  #bytes = Buffer.alloc(FIRST_BYTES);
  /** Where the message ends in the buffer. */
  #end = BLOCK_BYTES;
  #used = BLOCK_BYTES;

  get length(): number {
    return this.#end - BLOCK_BYTES;
  }

  /** Discards all but the first `length` bytes. */
  truncate(length: number): this {
    this.#end = BLOCK_BYTES + length;
    return this;
  }

  add(bytes: Uint8Array): this {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#end);
    return this.#grown(bytes.length);
  }

  addText(text: string): this {
    // Upper bound: three bytes per UTF-16 unit.
    this.#reserve(text.length * 3);
    return this.#grown(this.#bytes.write(text, this.#end, 'utf8'));
  }

  /** With a length prefix, so that different sequences of frames have different bytes. */
  addFrame(bytes: Uint8Array): this {
    return this.#addSize(bytes.length).add(bytes);
  }

  addTextFrame(text: string): this {
    const start = this.#end;
    this.#addSize(0).addText(text);
    this.#bytes.writeUInt32BE(this.#end - start - SIZE_BYTES, start);
    return this;
  }

  /** A copy of the message so far. */
  copy(): Buffer {
    return Buffer.from(this.#bytes.subarray(BLOCK_BYTES, this.#end));
  }

  digest(algorithm: 'sha1' | 'sha256', key?: Uint8Array): Buffer {
    return key
      ? this.#hmac(algorithm, key)
      : hashed(algorithm, this.#bytes.subarray(BLOCK_BYTES, this.#end), 'buffer');
  }

  /**
   * As RFC 2104 defines it, from two plain hashes. `createHmac` gives the same, for three times the processor time: it
   * makes an object for each message that must be garbage-collected.
   */
  #hmac(algorithm: 'sha1' | 'sha256', key: Uint8Array): Buffer {
    const { inner, outer } = blocksOf(algorithm, key);
    this.#bytes.set(inner, 0);
    const first = hashed(algorithm, this.#bytes.subarray(0, this.#end), 'buffer');
    outer.set(first, BLOCK_BYTES);
    return hashed(algorithm, outer, 'buffer');
  }

  wipe(): void {
    if (this.#bytes.length > LARGEST_KEPT_BYTES) this.#bytes = Buffer.alloc(FIRST_BYTES);
    else this.#bytes.fill(0, 0, this.#used);
    this.#end = BLOCK_BYTES;
    this.#used = BLOCK_BYTES;
  }

  #addSize(size: number): this {
    this.#reserve(SIZE_BYTES);
    this.#bytes.writeUInt32BE(size, this.#end);
    return this.#grown(SIZE_BYTES);
  }

  #grown(by: number): this {
    this.#end += by;
    if (this.#end > this.#used) this.#used = this.#end;
    return this;
  }

  #reserve(more: number): void {
    const needed = this.#end + more;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.alloc(Math.max(needed, this.#bytes.length * 2));
    larger.set(this.#bytes.subarray(0, this.#end));
    this.#bytes.fill(0, 0, this.#used);
    this.#bytes = larger;
  }
}

/** The key with the two paddings of RFC 2104; after the outer one, room for the inner hash. */
interface KeyBlocks {
  readonly inner: Uint8Array;
  readonly outer: Uint8Array;
}

const HASH_BYTES = { sha1: 20, sha256: 32 } as const;
const INNER_PADDING = 0x36;
const OUTER_PADDING = 0x5c;
const blocks = { sha1: new WeakMap<Uint8Array, KeyBlocks>(), sha256: new WeakMap<Uint8Array, KeyBlocks>() };

function blocksOf(algorithm: 'sha1' | 'sha256', key: Uint8Array): KeyBlocks {
  const known = blocks[algorithm].get(key);
  if (known) return known;
  const short = key.length > BLOCK_BYTES ? hashed(algorithm, key, 'buffer') : key;
  const inner = new Uint8Array(BLOCK_BYTES).fill(INNER_PADDING);
  const outer = new Uint8Array(BLOCK_BYTES + HASH_BYTES[algorithm]).fill(OUTER_PADDING);
  for (const [index, byte] of short.entries()) {
    inner[index] = byte ^ INNER_PADDING;
    outer[index] = byte ^ OUTER_PADDING;
  }
  const made = { inner, outer };
  blocks[algorithm].set(key, made);
  return made;
}
