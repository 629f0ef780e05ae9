/** How Go's fmt prints values with %v, in `print`, and as the result of an action. */
import { isList, keysOf, type Value } from './values.ts';

/** As the text of an action: nil says that there is no value. */
export function printAction(value: Value): string {
  return value === undefined ? '<no value>' : formatValue(value);
}

/** `%v`. */
export function formatValue(value: Value): string {
  if (value === undefined) return '<nil>';
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return formatFloat(value);
  if (isList(value)) return `[${value.map(formatValue).join(' ')}]`;
  return `map[${keysOf(value)
    .map((key) => `${key}:${formatValue(value[key])}`)
    .join(' ')}]`;
}

/** `%v` of a float64: the shortest digits, with an exponent from 1e21 on and below 1e-4. */
export function formatFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (Object.is(value, -0)) return '-0';
  if (value === 0) return '0';
  const exponent = Math.floor(Math.log10(Math.abs(value)));
  const [digits = '', power = '0'] = value.toExponential().split('e');
  const decimal = Number(power);
  if (decimal >= 21 || decimal < -4) return `${digits}e${twoDigits(decimal)}`;
  return exponent >= -7 ? plain(value) : plain(value);
}

export function twoDigits(exponent: number): string {
  const digits = String(Math.abs(exponent)).padStart(2, '0');
  return `${exponent < 0 ? '-' : '+'}${digits}`;
}

/** Without an exponent, however small. */
function plain(value: number): string {
  const text = String(value);
  if (!text.includes('e')) return text;
  const [digits = '', power = '0'] = text.split('e');
  const decimal = Number(power);
  const bare = digits.replace('-', '').replace('.', '');
  const sign = value < 0 ? '-' : '';
  if (decimal < 0) return `${sign}0.${'0'.repeat(-decimal - 1)}${bare}`;
  return `${sign}${bare.padEnd(decimal + 1, '0')}`;
}

/** Go's fmt.Sprint: a space between operands when neither is a string. */
export function sprint(values: readonly Value[]): string {
  let text = '';
  values.forEach((value, index) => {
    const before = values[index - 1];
    const bothPlain = index > 0 && typeof value !== 'string' && typeof before !== 'string';
    text += `${bothPlain ? ' ' : ''}${formatValue(value)}`;
  });
  return text;
}

/** Go's strconv.Quote. */
export function quote(text: string): string {
  let out = '"';
  for (const char of text) {
    const point = char.codePointAt(0) ?? 0;
    const short = SHORT[char];
    if (short !== undefined) out += short;
    else if (point < 0x20 || point === 0x7f) out += `\\x${point.toString(16).padStart(2, '0')}`;
    else if (isPrintable(char)) out += char;
    else if (point > 0xffff) out += `\\U${point.toString(16).padStart(8, '0')}`;
    else out += `\\u${point.toString(16).padStart(4, '0')}`;
  }
  return `${out}"`;
}

const SHORT: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

/** Letters, marks, numbers, punctuation, symbols, and the ASCII space. */
function isPrintable(char: string): boolean {
  return char === ' ' || /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(char);
}
