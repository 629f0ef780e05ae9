/** Decodes the protobuf wire format: numbered fields, each a number or bytes. */

/** The bytes are no valid message. */
export class WireError extends Error {
  override name = 'WireError';
}

export type WireValue = bigint | Uint8Array;

export interface WireField {
  readonly number: number;
  /** Numbers of fixed size come as their bytes, little-endian. */
  readonly value: WireValue;
}

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

/** The fields of a message in order. Throws `WireError`. */
export function* wireFields(bytes: Uint8Array): Generator<WireField> {
  const reader = new Reader(bytes);
  while (!reader.atEnd) {
    const tag = Number(reader.varint());
    const number = Math.floor(tag / 8);
    if (number < 1) throw new WireError('illegal tag');
    yield { number, value: reader.value(tag % 8) };
  }
}

class Reader {
  readonly #bytes: Uint8Array;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get atEnd(): boolean {
    return this.#offset >= this.#bytes.length;
  }

  value(wireType: number): WireValue {
    switch (wireType) {
      case VARINT:
        return this.varint();
      case FIXED64:
        return this.take(8);
      case FIXED32:
        return this.take(4);
      case BYTES:
        return this.take(Number(this.varint()));
      default:
        throw new WireError(`unknown wire type ${wireType}`);
    }
  }

  varint(): bigint {
    let result = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#offset++];
      if (byte === undefined) throw new WireError('unexpected EOF');
      result |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return result;
    }
    throw new WireError('integer overflow');
  }

  take(length: number): Uint8Array {
    const end = this.#offset + length;
    if (end > this.#bytes.length) throw new WireError('unexpected EOF');
    const taken = this.#bytes.subarray(this.#offset, end);
    this.#offset = end;
    return taken;
  }
}

export function asBytes(value: WireValue): Uint8Array {
  if (typeof value === 'bigint') throw new WireError('expected bytes, got a number');
  return value;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

export function asText(value: WireValue): string {
  try {
    return decoder.decode(asBytes(value));
  } catch (error) {
    if (error instanceof WireError) throw error;
    throw new WireError('string is not UTF-8');
  }
}

/** Negative numbers are written in two's complement of 64 bits. */
export function asInteger(value: WireValue): number {
  if (typeof value !== 'bigint') throw new WireError('expected a number, got bytes');
  return Number(BigInt.asIntN(64, value));
}

export function asDouble(value: WireValue): number {
  const bytes = asBytes(value);
  if (bytes.length !== 8) throw new WireError('expected eight bytes');
  return new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0, true);
}
