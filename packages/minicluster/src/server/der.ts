/** Just enough DER to write a certificate. */

const SEQUENCE = 0x30;
const SET = 0x31;

export function der(tag: number, ...content: Uint8Array[]): Uint8Array {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag]), length(body.length), body]);
}

function length(size: number): Buffer {
  if (size < 0x80) return Buffer.from([size]);
  const bytes: number[] = [];
  for (let rest = size; rest > 0; rest >>>= 8) bytes.unshift(rest & 0xff);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

export const sequence = (...content: Uint8Array[]): Uint8Array => der(SEQUENCE, ...content);
export const set = (...content: Uint8Array[]): Uint8Array => der(SET, ...content);
export const octets = (content: Uint8Array): Uint8Array => der(0x04, content);
export const bits = (content: Uint8Array, unused = 0): Uint8Array =>
  der(0x03, Buffer.from([unused]), content);
export const boolean = (value: boolean): Uint8Array => der(0x01, Buffer.from([value ? 0xff : 0]));
export const utf8 = (text: string): Uint8Array => der(0x0c, Buffer.from(text));
/** `[tag]` around content that keeps its own tag. */
export const explicit = (tag: number, ...content: Uint8Array[]): Uint8Array => der(0xa0 | tag, ...content);
/** `[tag]` instead of the content's own tag. */
export const implicit = (tag: number, content: Uint8Array): Uint8Array => der(0x80 | tag, content);

/** A positive number. */
export function integer(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte !== 0);
  const trimmed = first < 0 ? Uint8Array.of(0) : bytes.subarray(first);
  const positive = (trimmed[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.from([0]), trimmed]) : trimmed;
  return der(0x02, positive);
}

/** `1.2.840.10045.4.3.2` */
export function oid(text: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const part of rest) {
    const groups = [part & 0x7f];
    for (let left = part >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return der(0x06, Buffer.from(bytes));
}

/** Certificates write years before 2050 with two digits. */
export function time(moment: Date): Uint8Array {
  const digits = moment.toISOString().replace(/[-:T]/g, '').slice(0, 14);
  const short = moment.getUTCFullYear() < 2050;
  return der(short ? 0x17 : 0x18, Buffer.from(`${short ? digits.slice(2) : digits}Z`));
}

export function pem(label: string, content: Uint8Array): string {
  const lines =
    Buffer.from(content)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
