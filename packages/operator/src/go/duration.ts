/** Go's time.ParseDuration, in milliseconds: `300ms`, `-1.5h`, `2h45m`, and a bare `0`. */

export class DurationError extends Error {
  override name = 'DurationError';
  /** A valid duration that is longer than Go can represent. */
  readonly tooLong: boolean;

  constructor(message: string, tooLong = false) {
    super(message);
    this.tooLong = tooLong;
  }
}

/** The longest duration, as messages show it. */
export const LONGEST_DURATION = '2562047h47m';

const NANOSECONDS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3, // U+00B5
  μs: 1e3, // U+03BC
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};

/** Go counts nanoseconds in 63 bits: about 292 years. */
const LONGEST_NS = 2 ** 63;
const PART = /^([0-9]*)(?:\.([0-9]*))?([^0-9.]*)/;

/** Milliseconds. Throws `DurationError` with Go's own wording. */
export function parseGoDuration(text: string): number {
  const quoted = JSON.stringify(text);
  const negative = text.startsWith('-');
  let rest = negative || text.startsWith('+') ? text.slice(1) : text;
  if (rest === '0') return 0;
  if (rest === '') throw new DurationError(`time: invalid duration ${quoted}`);
  let total = 0;
  while (rest !== '') {
    const [part = '', whole = '', fraction, unit = ''] = PART.exec(rest) ?? [];
    if (whole === '' && !fraction) throw new DurationError(`time: invalid duration ${quoted}`);
    if (unit === '') throw new DurationError(`time: missing unit in duration ${quoted}`);
    const scale = Object.hasOwn(NANOSECONDS, unit) ? NANOSECONDS[unit] : undefined;
    if (scale === undefined) {
      throw new DurationError(`time: unknown unit ${JSON.stringify(unit)} in duration ${quoted}`);
    }
    total += Number(whole) * scale + nanoseconds(fraction ?? '', scale);
    if (total > LONGEST_NS) throw new DurationError(`time: invalid duration ${quoted}`, true);
    rest = rest.slice(part.length);
  }
  return (negative ? -total : total) / 1e6;
}

/** Whole nanoseconds: Go truncates smaller fractions. */
function nanoseconds(fraction: string, scale: number): number {
  return Math.trunc(Number(fraction) * (scale / 10 ** fraction.length));
}

/** Formatted as Go does: `1h30m0s`, `1.5s`, `300ms`. */
export function formatGoDuration(ms: number): string {
  if (ms === 0) return '0s';
  const sign = ms < 0 ? '-' : '';
  const left = Math.abs(ms);
  if (left < 0.001) return `${sign}${trim(left * 1e6)}ns`;
  if (left < 1) return `${sign}${trim(left * 1000)}µs`;
  if (left < 1000) return `${sign}${trim(left)}ms`;
  const hours = Math.floor(left / 3_600_000);
  const minutes = Math.floor(left / 60_000) % 60;
  const seconds = trim((left % 60_000) / 1000);
  const head = hours > 0 ? `${hours}h${minutes}m` : minutes > 0 ? `${minutes}m` : '';
  return `${sign}${head}${seconds}s`;
}

function trim(value: number): string {
  return value.toFixed(9).replace(/\.?0+$/, '');
}
