/** Encodes the protobuf wire format. */

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;

/** Collects the fields of one message. */
export class MessageWriter {
  readonly #parts: Buffer[] = [];
  #size = 0;

  bytes(number: number, value: Uint8Array | undefined): this {
    if (value === undefined) return this;
    this.#push(varint(number * 8 + BYTES), varint(value.length), Buffer.from(value));
    return this;
  }

  text(number: number, value: string | undefined): this {
    return value === undefined ? this : this.bytes(number, Buffer.from(value));
  }

  integer(number: number, value: number | undefined): this {
    if (value !== undefined) this.#push(varint(number * 8 + VARINT), varint(value));
    return this;
  }

  flag(number: number, value: boolean | undefined): this {
    return value ? this.integer(number, 1) : this;
  }

  double(number: number, value: number | undefined): this {
    if (value === undefined) return this;
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(value);
    this.#push(varint(number * 8 + FIXED64), bytes);
    return this;
  }

  message(number: number, value: MessageWriter | undefined): this {
    return value === undefined ? this : this.bytes(number, value.finish());
  }

  finish(): Buffer {
    return Buffer.concat(this.#parts, this.#size);
  }

  #push(...parts: Buffer[]): void {
    for (const part of parts) {
      this.#parts.push(part);
      this.#size += part.length;
    }
  }
}

/** Negative numbers are written in two's complement of 64 bits. */
function varint(value: number): Buffer {
  if (value < 0) return longVarint(BigInt.asUintN(64, BigInt(value)));
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}

function longVarint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) + 0x80);
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}
