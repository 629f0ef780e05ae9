/**
 * Reads the fields of a protobuf message, one after the other.
 *
 * In: a range of a buffer. Out: number, range and value of each field; unknown fields are for the caller to skip.
 * Guarantees: reads nothing outside its range; a message that is cut or malformed is a `DecodeError`, which does not
 * quote it, because it may be a Secret.
 */
import { DecodeError } from '../errors.ts';

const VARINT = 0;
const FIXED_64 = 1;
const BYTES = 2;
const FIXED_32 = 5;
/** Of a number of 64 bits. */
const LONGEST_VARINT = 10;

export class MessageReader {
  readonly #bytes: Buffer;
  readonly #end: number;
  #at: number;
  /** The number of the current field. */
  field = 0;
  /** The value of the current field, if it is a number. Exact up to 2^53. */
  number = 0;
  /** The range of the current field, if it is a text, bytes or a message. */
  start = 0;
  end = 0;

  constructor(bytes: Buffer, start: number, end: number) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  /** Moves to the next field; false at the end of the message. */
  next(): boolean {
    if (this.#at >= this.#end) return false;
    const tag = this.#varint();
    this.field = Math.floor(tag / 8);
    const wireType = tag % 8;
    if (wireType === VARINT) {
      this.number = this.#varint();
      this.start = this.end = this.#at;
      return true;
    }
    const length =
      wireType === BYTES ? this.#varint() : wireType === FIXED_64 ? 8 : wireType === FIXED_32 ? 4 : Infinity;
    this.start = this.#at;
    this.end = this.#at + length;
    if (this.end > this.#end) throw cut();
    this.#at = this.end;
    return true;
  }

  text(): string {
    return this.#bytes.toString('utf8', this.start, this.end);
  }

  /** A view: valid as long as the buffer. */
  bytes(): Buffer {
    return this.#bytes.subarray(this.start, this.end);
  }

  message(): MessageReader {
    return new MessageReader(this.#bytes, this.start, this.end);
  }

  #varint(): number {
    let value = 0;
    let factor = 1;
    const limit = Math.min(this.#end, this.#at + LONGEST_VARINT);
    while (this.#at < limit) {
      const byte = this.#bytes[this.#at++] ?? 0;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 128;
    }
    throw cut();
  }
}

function cut(): DecodeError {
  return new DecodeError(
    'A protobuf message is cut or malformed: look for a proxy that changes or cuts answers',
  );
}
