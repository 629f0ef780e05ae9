/** Go's constants: interpreted and raw strings, characters, numbers. Undefined if Go would not accept it. */
import type { Value } from './values.ts';

const SIMPLE: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
};

const ESCAPE = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(.))/gs;

export function stringLiteral(text: string): string | undefined {
  const inner = text.slice(1, -1);
  if (text.startsWith('`')) return inner.replaceAll('\r', '');
  return unescaped(inner, '"');
}

export function charLiteral(text: string): bigint | undefined {
  const value = unescaped(text.slice(1, -1), "'");
  const points = [...(value ?? '')];
  return points.length === 1 ? BigInt(points[0]?.codePointAt(0) ?? 0) : undefined;
}

/** Bytes above 0x7f, written as `\x` or octal, form UTF-8 characters together with their neighbours. */
function unescaped(inner: string, quote: string): string | undefined {
  let valid = true;
  const parts: Buffer[] = [];
  let last = 0;
  for (const found of inner.matchAll(ESCAPE)) {
    const [all, hex, short, long, octal, simple] = found;
    parts.push(Buffer.from(inner.slice(last, found.index)));
    last = found.index + all.length;
    if (hex !== undefined) parts.push(Buffer.from([Number.parseInt(hex, 16)]));
    else if (octal !== undefined) {
      const byte = Number.parseInt(octal, 8);
      if (byte > 255) valid = false;
      parts.push(Buffer.from([byte & 255]));
    } else if (short !== undefined || long !== undefined) {
      const point = Number.parseInt(short ?? long ?? '', 16);
      if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) valid = false;
      else parts.push(Buffer.from(String.fromCodePoint(point)));
    } else if (simple === quote) parts.push(Buffer.from(quote));
    else if (simple !== undefined && Object.hasOwn(SIMPLE, simple))
      parts.push(Buffer.from(SIMPLE[simple] ?? ''));
    else valid = false;
  }
  parts.push(Buffer.from(inner.slice(last)));
  return valid ? Buffer.concat(parts).toString() : undefined;
}

const LARGEST_INT = 2n ** 63n - 1n;

export function numberLiteral(text: string): Value {
  const clean = text.replaceAll('_', '');
  const negative = clean.startsWith('-');
  const digits = clean.replace(/^[+-]/, '');
  const hex = /^0x([0-9a-f]*)\.?([0-9a-f]*)p([+-]?[0-9]+)$/i.exec(digits);
  if (hex) return hexFloat(hex, negative);
  const based = /^0[xXoObB]/.test(digits);
  if (based || /^[0-9]+$/.test(digits)) {
    // Go still reads a leading zero as octal.
    const octal = !based && digits.length > 1 && digits.startsWith('0');
    if (octal && !/^[0-7]+$/.test(digits)) return undefined;
    const value = BigInt(octal ? `0o${digits}` : digits.toLowerCase());
    const signed = negative ? -value : value;
    return signed > LARGEST_INT || signed < -LARGEST_INT - 1n ? undefined : signed;
  }
  const value = Number(clean);
  if (!Number.isFinite(value)) return undefined;
  return value;
}

function hexFloat([, whole = '', part = '', power = '0']: RegExpExecArray, negative: boolean): Value {
  if (whole === '' && part === '') return undefined;
  const value = Number.parseInt(`${whole}${part}`, 16) * 2 ** (Number(power) - 4 * part.length);
  return Number.isFinite(value) ? (negative ? -value : value) : undefined;
}
