/**
 * ASN.1 DER, writing only, as far as an X.509 certificate needs it (ADR 0004). Every function returns one complete
 * element: tag, length, content.
 */

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

export function element(tag: number, content: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

/** Up to 127 in one byte; else the number of bytes, then the bytes. */
function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes = bigEndian(length);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

function bigEndian(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return bytes;
}

export function sequence(...items: readonly Uint8Array[]): Buffer {
  return element(TAG.sequence, Buffer.concat(items));
}

/** For sets of one element, which names use: larger ones would have to be sorted. */
export function setOfOne(item: Uint8Array): Buffer {
  return element(TAG.set, item);
}

export function boolean(value: boolean): Buffer {
  return element(TAG.boolean, Buffer.from([value ? 0xff : 0x00]));
}

/** A non-negative integer, given as its bytes: shortest form, with a zero in front where the sign bit is set. */
export function integer(bytes: Uint8Array): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const shortest = bytes.subarray(start);
  const padded = (shortest[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.from([0]), shortest]) : shortest;
  return element(TAG.integer, padded.length > 0 ? padded : Buffer.from([0]));
}

/** `unusedBits` at the end of the last byte are not part of the string. */
export function bitString(bytes: Uint8Array, unusedBits = 0): Buffer {
  return element(TAG.bitString, Buffer.concat([Buffer.from([unusedBits]), bytes]));
}

/** A bit string that names its set bits: bit 0 is the highest of the first byte, trailing zeros are cut. */
export function namedBits(...bits: readonly number[]): Buffer {
  const highest = Math.max(...bits);
  const bytes = Buffer.alloc(Math.floor(highest / 8) + 1);
  for (const bit of bits) bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (0x80 >> (bit & 7));
  return bitString(bytes, 7 - (highest & 7));
}

export function octetString(bytes: Uint8Array): Buffer {
  return element(TAG.octetString, bytes);
}

export function utf8(text: string): Buffer {
  return element(TAG.utf8String, Buffer.from(text));
}

/** Dotted form. The first two numbers share a byte; the others are written in base 128, highest part first. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const number of rest) {
    const groups = [number & 0x7f];
    for (let high = Math.floor(number / 128); high > 0; high = Math.floor(high / 128))
      groups.unshift((high & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return element(TAG.oid, Buffer.from(bytes));
}

/** Whole seconds, UTC. X.509 wants two-digit years until 2049 and four digits after. */
export function time(milliseconds: number): Buffer {
  const digits = `${new Date(milliseconds).toISOString().replace(/\D/g, '').slice(0, 14)}Z`;
  const year = Number(digits.slice(0, 4));
  return year < 2050
    ? element(TAG.utcTime, Buffer.from(digits.slice(2)))
    : element(TAG.generalizedTime, Buffer.from(digits));
}

/** A context-specific tag around complete elements. */
export function explicit(number: number, content: Uint8Array): Buffer {
  return element(0xa0 | number, content);
}

/** A context-specific tag in place of the element's own, for primitive content. */
export function implicit(number: number, content: Uint8Array): Buffer {
  return element(0x80 | number, content);
}
