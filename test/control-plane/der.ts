/** The few ASN.1 types that a certificate is made of, in distinguished encoding (DER). */

const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

export function encode(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag]), lengthOf(body), body]);
}

export const sequence = (...items: readonly Uint8Array[]): Buffer => encode(tags.sequence, ...items);
export const set = (...items: readonly Uint8Array[]): Buffer => encode(tags.set, ...items);
export const octetString = (content: Uint8Array): Buffer => encode(tags.octetString, content);
export const utf8String = (value: string): Buffer => encode(tags.utf8String, Buffer.from(value));
export const boolean = (value: boolean): Buffer => encode(tags.boolean, Buffer.from([value ? 0xff : 0]));

/** `[number]` around a whole encoded value. */
export const explicit = (number: number, content: Uint8Array): Buffer => encode(0xa0 | number, content);

/** `[number]` in place of the tag of a primitive value. */
export const implicit = (number: number, content: Uint8Array): Buffer => encode(0x80 | number, content);

export function bitString(content: Uint8Array, unusedBits = 0): Buffer {
  return encode(tags.bitString, Buffer.from([unusedBits]), content);
}

/** A non-negative integer of any size, most significant byte first. */
export function integer(magnitude: Uint8Array): Buffer {
  let start = 0;
  while (start < magnitude.length - 1 && magnitude[start] === 0) start += 1;
  const digits = magnitude.subarray(start);
  const needsSign = ((digits[0] ?? 0) & 0x80) !== 0;
  return encode(tags.integer, needsSign ? Buffer.concat([Buffer.from([0]), digits]) : digits);
}

export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return encode(tags.objectIdentifier, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** As certificates want it: with a year of two digits up to 2049, of four digits from then on. */
export function time(moment: Date): Buffer {
  const digits = moment
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(/[-:T]/g, '');
  if (moment.getUTCFullYear() < 2050) return encode(tags.utcTime, Buffer.from(digits.slice(2)));
  return encode(tags.generalizedTime, Buffer.from(digits));
}

function lengthOf(body: Uint8Array): Buffer {
  if (body.length < 0x80) return Buffer.from([body.length]);
  const bytes: number[] = [];
  for (let rest = body.length; rest > 0; rest >>>= 8) bytes.unshift(rest & 0xff);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}
