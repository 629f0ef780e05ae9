/** Amounts of resources (`500m`, `1.5Gi`, `2`): the API server stores each in one of many spellings of the same number. */

const SHAPE = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,3})|([KMGTPE]i|[numkMGTPE])?)$/;
/** Far longer than any amount; a hostile text costs no time. */
const LONGEST = 64;
const POWERS: Readonly<Record<string, number>> = {
  ...{ n: -9, u: -6, m: -3, k: 3 },
  ...{ M: 6, G: 9, T: 12, P: 15, E: 18 },
};

/** Whether both are quantities of the same number. */
export function sameAmount(one: unknown, other: unknown): boolean {
  const amount = canonical(one);
  return amount !== undefined && amount === canonical(other);
}

/** One text for each number; undefined if it is no quantity. */
function canonical(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  const match = typeof text === 'string' && text.length <= LONGEST ? SHAPE.exec(text) : null;
  if (!match) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0', suffix = ''] = match;
  if (whole + fraction === '') return undefined;
  const binary = suffix.endsWith('i') ? 10n * BigInt('KMGTPE'.indexOf(suffix.slice(0, 1)) + 1) : 0n;
  let digits = BigInt(whole + fraction) << binary;
  let power = Number(exponent) - fraction.length + (POWERS[suffix] ?? 0);
  if (digits === 0n) return '0';
  for (; digits % 10n === 0n; digits /= 10n) power += 1;
  return `${sign === '-' ? '-' : ''}${digits}e${power}`;
}
