/**
 * Quantities (`500m`, `1.5Gi`, `2e3`) as exact numbers of billionths. The input is text or a JSON number; only
 * comparison and validation are supported. The decoder writes the canonical text.
 */
const DECIMAL: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const BINARY: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };
const SHAPE = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(?:([eE][+-]?\d+)|(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E|))$/;

/** In billionths, rounded away from zero; undefined if it is no quantity. */
export function quantity(value: unknown): bigint | undefined {
  const match = SHAPE.exec(
    typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '',
  );
  if (!match) return undefined;
  const [, sign, digits = '', exponent, suffix = ''] = match;
  const [whole = '', fraction = ''] = digits.split('.');
  let power = 9 - fraction.length;
  let factor = 1n;
  if (exponent) power += Number(exponent.slice(1));
  else if (suffix in BINARY) factor = 1n << BigInt(BINARY[suffix] ?? 0);
  else power += DECIMAL[suffix] ?? 0;
  if (Math.abs(power) > 60) return undefined;
  const scaled = BigInt(`${whole}${fraction}` || '0') * factor;
  const magnitude = power >= 0 ? scaled * 10n ** BigInt(power) : divideUp(scaled, 10n ** BigInt(-power));
  return sign === '-' ? -magnitude : magnitude;
}

const divideUp = (value: bigint, by: bigint): bigint => (value + by - 1n) / by;

/** True when the amount has no fraction. */
export const isWhole = (billionths: bigint): boolean => billionths % 1_000_000_000n === 0n;
