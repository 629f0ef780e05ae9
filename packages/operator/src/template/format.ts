/** Formats one value with one verb of Go's fmt, with flags, width and precision. */
import { binary, exponential, fixed, general, hexadecimal } from './float.ts';
import { formatFloat } from './print.ts';
import { canBackquote, isPrintable, quote, quoteChar } from './quoting.ts';
import { isList, keysOf, typeName, type Value, type ValueMap } from './values.ts';

export interface Spec {
  readonly minus: boolean;
  readonly plus: boolean;
  readonly sharp: boolean;
  readonly space: boolean;
  readonly zero: boolean;
  /** `%#v`: in Go's syntax. */
  readonly syntax: boolean;
  readonly width: number | undefined;
  readonly precision: number | undefined;
}

export const PLAIN: Spec = {
  ...{ minus: false, plus: false, sharp: false, space: false, zero: false, syntax: false },
  ...{ width: undefined, precision: undefined },
};

export function format(value: Value, verb: string, spec: Spec): string {
  if (verb === 'T') return formatString(typeName(value), 's', spec) ?? '';
  if (value === undefined) return verb === 'v' ? pad('<nil>', spec) : `%!${verb}(<nil>)`;
  // Only errors can be wrapped, and no value is one.
  if (verb === 'w') return `%!w(${typeName(value)}=${nested(value, 'v', spec)})`;
  return nested(value, verb, spec);
}

function nested(value: Exclude<Value, undefined>, verb: string, spec: Spec): string {
  if (typeof value === 'object') {
    return isList(value) ? formatList(value, verb, spec) : formatMap(value, verb, spec);
  }
  return formatScalar(value, verb, spec) ?? bad(value, verb, spec);
}

/** Undefined if the verb does not apply to the value. */
function formatScalar(
  value: string | boolean | bigint | number,
  verb: string,
  spec: Spec,
): string | undefined {
  if (typeof value === 'string') return formatString(value, verb, spec);
  if (typeof value === 'bigint') return formatInt(value, verb, spec);
  if (typeof value === 'number') return formatFloating(value, verb, spec);
  return verb === 't' || verb === 'v' ? pad(String(value), spec) : undefined;
}

/** Like Go, names the type and prints the value with the flags. */
function bad(value: string | boolean | bigint | number, verb: string, spec: Spec): string {
  return `%!${verb}(${typeName(value)}=${formatScalar(value, 'v', spec) ?? ''})`;
}

function inside(value: Value, verb: string, spec: Spec): string {
  if (value === undefined) return spec.syntax ? 'interface {}(nil)' : '<nil>';
  return nested(value, verb, spec);
}

function formatList(value: readonly Value[], verb: string, spec: Spec): string {
  const items = value.map((each) => inside(each, verb, spec));
  return spec.syntax ? `${typeName(value)}{${items.join(', ')}}` : `[${items.join(' ')}]`;
}

function formatMap(value: ValueMap, verb: string, spec: Spec): string {
  const items = keysOf(value).map((key) => `${inside(key, verb, spec)}:${inside(value[key], verb, spec)}`);
  return spec.syntax ? `${typeName(value)}{${items.join(', ')}}` : `map[${items.join(' ')}]`;
}

function formatString(value: string, verb: string, spec: Spec): string | undefined {
  const { precision, sharp, plus } = spec;
  const cut = precision === undefined ? value : [...value].slice(0, precision).join('');
  if (verb === 's' || (verb === 'v' && !spec.syntax)) return pad(cut, spec);
  if (verb === 'q' || verb === 'v')
    return pad(sharp && canBackquote(cut) ? `\`${cut}\`` : quote(cut, plus), spec);
  return verb === 'x' || verb === 'X' ? formatBytes(value, verb, spec) : undefined;
}

function formatBytes(value: string, verb: 'x' | 'X', spec: Spec): string {
  const bytes = Buffer.from(value).subarray(0, spec.precision);
  const prefix = spec.sharp && bytes.length > 0 ? '0x' : '';
  const hex = spec.space
    ? [...bytes].map((byte) => `${prefix}${byte.toString(16).padStart(2, '0')}`).join(' ')
    : `${prefix}${bytes.toString('hex')}`;
  return pad(verb === 'X' ? hex.toUpperCase() : hex, spec);
}

const BASES: Readonly<Record<string, number>> = { b: 2, o: 8, O: 8, d: 10, v: 10, x: 16, X: 16 };
const PREFIXES: Readonly<Record<string, string>> = { b: '0b', x: '0x', X: '0X' };

function formatInt(value: bigint, verb: string, spec: Spec): string | undefined {
  if (verb === 'c') return pad(charOf(value), spec);
  if (verb === 'q') return pad(quoteChar(charOf(value), spec.plus), spec);
  if (verb === 'U') return formatPoint(value, spec);
  const base = BASES[verb];
  if (base === undefined) return undefined;
  const { precision, width = 0, plus, space, sharp } = spec;
  const plain = { ...spec, zero: false };
  if (precision === 0 && value === 0n) return ' '.repeat(width);
  const sign = value < 0n ? '-' : plus ? '+' : space ? ' ' : '';
  const fill = spec.zero && !spec.minus && spec.width !== undefined ? width - sign.length : 0;
  let digits = (value < 0n ? -value : value).toString(base).padStart(precision ?? fill, '0');
  if (verb === 'X') digits = digits.toUpperCase();
  if (sharp && base === 8 && !digits.startsWith('0')) digits = `0${digits}`;
  const prefix = verb === 'O' ? '0o' : sharp ? (PREFIXES[verb] ?? '') : '';
  return pad(`${sign}${prefix}${digits}`, plain);
}

function formatPoint(value: bigint, spec: Spec): string {
  const hex = BigInt.asUintN(64, value).toString(16).toUpperCase();
  const char = charOf(value);
  const shown = spec.sharp && value >= 0n && value <= 0x10ffffn && isPrintable(char) ? ` '${char}'` : '';
  const text = `U+${hex.padStart(Math.max(4, spec.precision ?? 0), '0')}${shown}`;
  return pad(text, { ...spec, zero: false });
}

function charOf(value: bigint): string {
  const valid = value >= 0n && value <= 0x10ffffn && !(value >= 0xd800n && value <= 0xdfffn);
  return valid ? String.fromCodePoint(Number(value)) : '\ufffd';
}

function formatFloating(value: number, verb: string, spec: Spec): string | undefined {
  const digits = floatDigits(Math.abs(value), verb, spec);
  if (digits === undefined) return undefined;
  const sign = value < 0 || Object.is(value, -0) ? '-' : spec.plus ? '+' : spec.space ? ' ' : '';
  if (!Number.isFinite(value)) {
    const signed = Number.isNaN(value) ? `${sign}NaN` : formatFloat(value);
    return pad(signed, { ...spec, zero: false });
  }
  const text = spec.sharp && verb !== 'b' ? withPoint(digits, verb, spec) : digits;
  const fill = spec.zero && !spec.minus ? (spec.width ?? 0) - sign.length : 0;
  return pad(`${sign}${text.padStart(fill, '0')}`, { ...spec, zero: false });
}

function floatDigits(value: number, verb: string, { precision }: Spec): string | undefined {
  if (!Number.isFinite(value)) return /^[vbgGxXfFeE]$/.test(verb) ? '' : undefined;
  switch (verb) {
    case 'v':
    case 'g':
      return general(value, precision);
    case 'G':
      return general(value, precision).toUpperCase();
    case 'b':
      return binary(value);
    case 'x':
      return hexadecimal(value, precision);
    case 'X':
      return hexadecimal(value, precision).toUpperCase();
    case 'f':
    case 'F':
      return fixed(value, precision ?? 6);
    case 'e':
      return exponential(value, precision ?? 6);
    case 'E':
      return exponential(value, precision ?? 6).toUpperCase();
    default:
      return undefined;
  }
}

/** `#` forces a decimal point, and for %g and %x as many digits as the precision says (6 unless given). */
function withPoint(digits: string, verb: string, { precision }: Spec): string {
  const hex = verb === 'x' || verb === 'X';
  const end = digits.search(hex ? /[pP]/ : /[eE]/);
  let head = end < 0 ? digits : digits.slice(0, end);
  const tail = end < 0 ? '' : digits.slice(end);
  const counted = head.replace('.', '').replace(/^0+/, '').length;
  let missing = /[vgGx]/.test(verb) ? (precision ?? 6) - counted : 0;
  if (!head.includes('.')) {
    // A lone zero counts as one digit.
    if (head === '0') missing -= 1;
    head += '.';
  }
  return `${head}${'0'.repeat(Math.max(0, missing))}${tail}`;
}

function pad(text: string, { width, minus, zero }: Spec): string {
  const missing = (width ?? 0) - [...text].length;
  if (missing <= 0) return text;
  if (minus) return `${text}${' '.repeat(missing)}`;
  return `${(zero ? '0' : ' ').repeat(missing)}${text}`;
}
