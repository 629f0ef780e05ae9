/** Go's strconv.FormatFloat: exact, with ties to even. JavaScript's own functions round ties up. */

/** More digits than any double has; the digits beyond are zeros. */
const MOST_DIGITS = 1_100;

interface Parts {
  readonly negative: boolean;
  /** The value is mantissa times two to the exponent. */
  readonly mantissa: bigint;
  readonly exponent: number;
}

function partsOf(value: number): Parts {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xf_ffff_ffff_ffffn;
  return {
    negative: bits >> 63n === 1n,
    mantissa: biased === 0 ? fraction : fraction | (1n << 52n),
    exponent: (biased === 0 ? 1 : biased) - 1075,
  };
}

/** numerator / denominator, rounded to the nearest integer, ties to even. */
function divided(numerator: bigint, denominator: bigint): bigint {
  const [whole, twice] = [numerator / denominator, (numerator % denominator) * 2n];
  const up = twice > denominator || (twice === denominator && whole % 2n === 1n);
  return up ? whole + 1n : whole;
}

/** The mantissa times 2^exponent times 10^shift, rounded. */
function scaled({ mantissa, exponent }: Parts, shift: number): bigint {
  let [numerator, denominator] = [mantissa, 1n];
  if (exponent > 0) numerator <<= BigInt(exponent);
  else denominator <<= BigInt(-exponent);
  if (shift > 0) numerator *= 10n ** BigInt(shift);
  else denominator *= 10n ** BigInt(-shift);
  return divided(numerator, denominator);
}

/** `%.Nf`, without the sign. */
export function fixed(value: number, precision: number): string {
  const exact = Math.min(precision, MOST_DIGITS);
  const digits = scaled(partsOf(value), exact)
    .toString()
    .padStart(exact + 1, '0');
  const whole = digits.slice(0, digits.length - exact);
  const part = digits.slice(digits.length - exact).padEnd(precision, '0');
  return precision > 0 ? `${whole}.${part}` : whole;
}

/** The digits, of which one is before the point, and the power of ten. */
function rounded(value: number, precision: number): { digits: string; power: number } {
  if (value === 0) return { digits: '0'.repeat(precision + 1), power: 0 };
  const exact = Math.min(precision, MOST_DIGITS);
  let power = Number(value.toExponential().split('e')[1]);
  let digits = scaled(partsOf(value), exact - power).toString();
  if (digits.length > exact + 1) {
    power += 1;
    digits = digits.slice(0, -1);
  }
  return { digits: digits.padEnd(precision + 1, '0'), power };
}

/** `%.Ne`, without the sign. */
export function exponential(value: number, precision: number): string {
  const { digits, power } = rounded(value, precision);
  return scientific(digits, power);
}

function scientific(digits: string, power: number): string {
  const part = digits.length > 1 ? `.${digits.slice(1)}` : '';
  return `${digits.slice(0, 1)}${part}e${signedPower(power)}`;
}

export function signedPower(power: number): string {
  return `${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

/** `%g`, without the sign; without a precision, the shortest digits that identify this value. */
export function general(value: number, precision: number | undefined): string {
  const [digits, power, most] = shortest(value, precision);
  if (power < -4 || power >= most) return scientific(digits, power);
  if (power < 0) return `0.${'0'.repeat(-power - 1)}${digits}`;
  const whole = digits.slice(0, power + 1).padEnd(power + 1, '0');
  return digits.length > power + 1 ? `${whole}.${digits.slice(power + 1)}` : whole;
}

/** Digits without trailing zeros, the power, and the power from which on an exponent is printed. */
function shortest(value: number, precision: number | undefined): [string, number, number] {
  const trimmed = (digits: string): string => digits.replace(/0+$/, '') || '0';
  if (precision !== undefined) {
    const count = Math.max(1, precision);
    const { digits, power } = rounded(value, count - 1);
    return [trimmed(digits), power, count];
  }
  const [digits = '', power = '0'] = Math.abs(value).toExponential().split('e');
  return [trimmed(digits.replace('.', '')), Number(power), 6];
}

/** `%x`, without the sign: hexadecimal digits and a power of two. */
export function hexadecimal(value: number, precision: number | undefined): string {
  const parts = partsOf(value);
  if (parts.mantissa === 0n) return `0x0${precision ? `.${'0'.repeat(precision)}` : ''}p+00`;
  const lead = parts.mantissa.toString(2).length - 1;
  let power = parts.exponent + lead;
  // One bit before the point, 52 behind it.
  let bits = parts.mantissa << BigInt(52 - lead);
  if (precision !== undefined && precision < 13) {
    const drop = BigInt(52 - 4 * precision);
    bits = divided(bits, 1n << drop) << drop;
    if (bits >> 53n === 1n) {
      bits >>= 1n;
      power += 1;
    }
  }
  const all = (bits & 0xf_ffff_ffff_ffffn).toString(16).padStart(13, '0');
  const part =
    precision === undefined ? all.replace(/0+$/, '') : all.slice(0, precision).padEnd(precision, '0');
  return `0x1${part === '' ? '' : `.${part}`}p${signedPower(power)}`;
}

/** `%b`, without the sign: the mantissa as it is stored, and its power of two. */
export function binary(value: number): string {
  const { mantissa, exponent } = partsOf(value);
  return `${mantissa}p${exponent < 0 ? '-' : '+'}${Math.abs(exponent)}`;
}
