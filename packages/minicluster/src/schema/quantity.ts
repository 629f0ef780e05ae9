/**
 * Quantities (`100m`, `1.5Gi`, `1e3`) in the server's canonical form: no fraction, the largest possible suffix, at
 * most nine decimals. A text that is nearly canonical is kept.
 */
const SHAPE = '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$';
/** The accepted syntax: the number may be empty. */
const QUANTITY = /^([+-]?)0*(\d*)(\.?)(\d*)([eEinumkKMGTP]*[-+]?\d*)$/;
const DECIMAL = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);
const DECIMAL_SUFFIX = new Map([...DECIMAL].map(([suffix, exponent]) => [exponent, suffix]));
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const NANO = 9;
const LARGEST_SI_EXPONENT = 18;
/** Larger numbers would only fill memory. */
const MAX_DIGITS = 1000;
/** Digits that surely fit 64 bits, decimal and binary: longer texts are always rewritten. */
const SURE_DECIMAL_DIGITS = 18;
const SURE_BINARY_DIGITS = 14;

export class QuantityError extends Error {
  override name = 'QuantityError';
}

type Format = 'decimal' | 'exponent' | 'binary';

interface Parsed {
  readonly isNegative: boolean;
  /** Without leading zeros. */
  readonly whole: string;
  readonly fraction: string;
  /** A power of two for binary quantities, else of ten. */
  readonly exponent: number;
  readonly format: Format;
}

/** The canonical text. Throws `QuantityError` in the server's words. */
export function canonicalQuantity(text: string): string {
  const parsed = parse(text);
  if (isNearlyCanonical(parsed)) return text;
  const nano = inNano(parsed);
  if (nano === 0n) return '0';
  const one = 10n ** BigInt(NANO);
  const isSmall = nano > -1024n * one && nano < 1024n * one;
  if (parsed.format === 'binary' && !isSmall && nano % one === 0n) return binaryText(nano / one);
  return decimalText(nano, parsed.format === 'exponent');
}

/** The value in billionths, rounded away from zero. Throws `QuantityError`. */
export function nanoValue(text: string): bigint {
  return inNano(parse(text));
}

function parse(text: string): Parsed {
  const found = text === '' || text.length > MAX_DIGITS ? null : QUANTITY.exec(text);
  const [, sign = '', whole = '', point = '', fraction = '', suffix = ''] = found ?? [];
  if (!found || (point === '' && fraction !== '')) {
    throw new QuantityError(`quantities must match the regular expression '${SHAPE}'`);
  }
  return { isNegative: sign === '-', whole: whole || '0', fraction, ...parseSuffix(suffix) };
}

function parseSuffix(suffix: string): { exponent: number; format: Format } {
  const decimal = DECIMAL.get(suffix);
  if (decimal !== undefined) return { exponent: decimal, format: 'decimal' };
  const binary = BINARY.indexOf(suffix);
  if (binary > 0) return { exponent: binary * 10, format: 'binary' };
  const exponent = Number(/^[eE]([+-]?\d+)$/.exec(suffix)?.[1] ?? Number.NaN);
  if (Math.abs(exponent) <= MAX_DIGITS) return { exponent, format: 'exponent' };
  throw new QuantityError("unable to parse quantity's suffix");
}

/** The server's shortcut: a number whose digits need no change keeps its text, including sign and zeros. */
function isNearlyCanonical({ whole, fraction, exponent, format }: Parsed): boolean {
  const digits = whole + fraction;
  if (format === 'binary') {
    const isSure = fraction === '' && whole.length + Math.floor((exponent * 3) / 10) <= SURE_BINARY_DIGITS;
    return isSure && (BigInt(whole) & 7n) !== 0n;
  }
  const scale = exponent - fraction.length;
  const isSure = digits.length <= SURE_DECIMAL_DIGITS && scale >= -NANO;
  return isSure && scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0');
}

function inNano({ isNegative, whole, fraction, exponent, format }: Parsed): bigint {
  let numerator = BigInt(whole + fraction);
  let denominator = 10n ** BigInt(fraction.length);
  if (format === 'binary') numerator <<= BigInt(exponent);
  const power = format === 'binary' ? NANO : exponent + NANO;
  if (power >= 0) numerator *= 10n ** BigInt(power);
  else denominator *= 10n ** BigInt(-power);
  const rounded = (numerator + denominator - 1n) / denominator;
  return isNegative ? -rounded : rounded;
}

function decimalText(nano: bigint, scientific: boolean): string {
  let amount = nano;
  let exponent = -NANO;
  while ((scientific || exponent < LARGEST_SI_EXPONENT) && amount % 1000n === 0n) {
    amount /= 1000n;
    exponent += 3;
  }
  if (scientific) return exponent === 0 ? `${amount}` : `${amount}e${exponent}`;
  return `${amount}${DECIMAL_SUFFIX.get(exponent)}`;
}

function binaryText(value: bigint): string {
  let amount = value;
  let power = 0;
  while (power < BINARY.length - 1 && amount % 1024n === 0n) {
    amount /= 1024n;
    power++;
  }
  return `${amount}${BINARY[power]}`;
}
