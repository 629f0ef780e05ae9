/**
 * How often a workload may be reloaded: so many in an hour, after a burst. Pure.
 *
 * One number is enough to remember (GCRA): the time at which all that was spent is paid back. It stands in the ledger, so
 * the PATCH that is a reload also counts it, and a crash neither loses nor repeats one.
 */
export interface RateLimit {
  readonly perHour: number;
  /** At once, after a long rest. */
  readonly burst: number;
}

const HOUR_MS = 3_600_000;
export const LARGEST_RATE = 3600;

/** `60/60`: sixty an hour after a burst of sixty; `0`: no limit. Undefined: neither. */
export function parseRate(text: string): RateLimit | 'off' | undefined {
  if (text.trim() === '0') return 'off';
  const [, perHour, burst] = /^\s*(\d{1,4})\/(\d{1,4})\s*$/.exec(text) ?? [];
  return perHour === undefined ? undefined : rateOf(Number(perHour), Number(burst));
}

export function rateOf(perHour: number, burst: number): RateLimit | undefined {
  const fits = [perHour, burst].every((n) => Number.isInteger(n) && n >= 1 && n <= LARGEST_RATE);
  return fits ? { perHour, burst } : undefined;
}

/** When a reload is allowed, in milliseconds since the epoch; `clock` is what the ledger says. */
export function allowedAt(rate: RateLimit, clock: number | undefined, now: number): number {
  return spent(rate, clock, now) - rate.burst * intervalOf(rate);
}

/** The rate that the ledger records after a reload. Reloads that a person let through with `now` count, too. */
export function clockAfter(rate: RateLimit, clock: number | undefined, now: number): number {
  return Math.min(spent(rate, clock, now), now + rate.burst * intervalOf(rate));
}

/** A clock that jumped, or another rate than before, must not hold anybody for longer than a burst. */
function spent(rate: RateLimit, clock: number | undefined, now: number): number {
  const interval = intervalOf(rate);
  const latest = now + rate.burst * interval;
  return Math.max(now, Math.min(clock ?? now, latest)) + interval;
}

function intervalOf({ perHour }: RateLimit): number {
  return Math.ceil(HOUR_MS / perHour);
}
