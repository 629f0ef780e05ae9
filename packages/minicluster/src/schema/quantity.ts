/**
 * Quantities (`100m`, `1.5Gi`, `1e3`) in the one form in which a server stores each value: no fraction, the largest
 * suffix that needs none, and nothing finer than a billionth.
 */
const SHAPE = /^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$/;
const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?$/;
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
const LARGEST_EXPONENT = 18;
/** Beyond this a number has no use but to fill memory. */
const MAX_DIGITS = 1000;

export class QuantityError extends Error {
  override name = 'QuantityError';
}

const malformed = (): QuantityError =>
  new QuantityError(`quantities must match the regular expression '${SHAPE.source}'`);

type Format = 'decimal' | 'exponent' | 'binary';

/** The canonical text of a quantity. Throws `QuantityError` in the server's words. */
export function canonicalQuantity(text: string): string {
  const { nano, format } = parse(text);
  if (nano === 0n) return '0';
  const one = 10n ** BigInt(NANO);
  const isSmall = nano > -1024n * one && nano < 1024n * one;
  if (format === 'binary' && !isSmall && nano % one === 0n) return binaryText(nano / one);
  return decimalText(nano, format === 'exponent');
}

/** The value in billionths, rounded away from zero. Throws `QuantityError`. */
export function nanoValue(text: string): bigint {
  return parse(text).nano;
}

function parse(text: string): { nano: bigint; format: Format } {
  const [, number = '', suffix = ''] = SHAPE.exec(text) ?? [];
  if (number === '' || text.length > MAX_DIGITS) throw malformed();
  const [, sign, whole = '', fraction = ''] = NUMBER.exec(number) ?? [];
  if (sign === undefined || whole + fraction === '') throw malformed();
  const digits = BigInt(whole + fraction);
  const { base, exponent, format } = parseSuffix(suffix);

  let numerator = digits;
  let denominator = 10n ** BigInt(fraction.length);
  if (base === 2) numerator <<= BigInt(exponent);
  const power = base === 10 ? exponent + NANO : NANO;
  if (power >= 0) numerator *= 10n ** BigInt(power);
  else denominator *= 10n ** BigInt(-power);
  const rounded = (numerator + denominator - 1n) / denominator;
  return { nano: sign === '-' ? -rounded : rounded, format };
}

function parseSuffix(suffix: string): { base: 2 | 10; exponent: number; format: Format } {
  const decimal = DECIMAL.get(suffix);
  if (decimal !== undefined) return { base: 10, exponent: decimal, format: 'decimal' };
  const binary = BINARY.indexOf(suffix);
  if (binary > 0) return { base: 2, exponent: binary * 10, format: 'binary' };
  const scientific = /^[eE]([+-]?\d+)$/.exec(suffix);
  const exponent = Number(scientific?.[1] ?? Number.NaN);
  if (Math.abs(exponent) <= MAX_DIGITS) return { base: 10, exponent, format: 'exponent' };
  throw new QuantityError("unable to parse quantity's suffix");
}

function decimalText(nano: bigint, scientific: boolean): string {
  let amount = nano;
  let exponent = -NANO;
  while (exponent < LARGEST_EXPONENT && amount % 1000n === 0n) {
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
