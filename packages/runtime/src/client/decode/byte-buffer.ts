/**
 * Collects one value that arrives in pieces.
 *
 * In: ranges of received chunks. Out: their text. Guarantees: bytes are copied, so a value that stays incomplete for
 * minutes (half a watch line) keeps no network buffer alive; `clear` frees an unusually large buffer.
 */
import { isUtf8 } from 'node:buffer';
import { DecodeError } from '../errors.ts';

const INITIAL_BYTES = 4 * 1024;
/** Larger buffers are freed after use instead of kept for the next value. */
const LARGEST_KEPT_BYTES = 128 * 1024;

export class ByteBuffer {
  #bytes: Buffer | undefined;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(chunk: Buffer, start: number, end: number): void {
    const needed = this.#length + end - start;
    if (!this.#bytes || this.#bytes.length < needed) this.#grow(needed);
    if (this.#bytes) chunk.copy(this.#bytes, this.#length, start, end);
    this.#length = needed;
  }

  text(what: string): string {
    return this.#bytes ? textOf(this.#bytes, 0, this.#length, what) : '';
  }

  /** The bytes from `start` on, valid until the next change. */
  tail(start: number): Buffer {
    return this.#bytes ? this.#bytes.subarray(start, this.#length) : Buffer.alloc(0);
  }

  /** The bytes may have been a Secret: overwrite them. */
  clear(): void {
    this.#bytes?.fill(0, 0, this.#length);
    this.#length = 0;
    if (this.#bytes && this.#bytes.length > LARGEST_KEPT_BYTES) this.#bytes = undefined;
  }

  #grow(needed: number): void {
    const size = Math.max(INITIAL_BYTES, needed, 2 * (this.#bytes?.length ?? 0));
    const bytes = Buffer.allocUnsafeSlow(size);
    this.#bytes?.copy(bytes, 0, 0, this.#length);
    this.#bytes = bytes;
  }
}

/** Decodes strictly: an invalid UTF-8 sequence is an error, not something to replace. */
export function textOf(bytes: Buffer, start: number, end: number, what: string): string {
  if (!isUtf8(bytes.subarray(start, end))) {
    throw new DecodeError(
      `${what} is not valid UTF-8: what the server sent was damaged on the way, look for a proxy in between`,
    );
  }
  return bytes.toString('utf8', start, end);
}

/** The same memory as a Buffer, without a copy. */
export function asBuffer(chunk: Uint8Array): Buffer {
  return Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}
