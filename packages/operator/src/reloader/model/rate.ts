/**
 * Rate limit of a workload's reloads: a number per hour, after a burst. Pure.
 *
 * The state is one number (GCRA): the time at which the full burst is available again. The ledger holds it, so the
 * PATCH that makes a reload also counts it, and a crash neither loses nor repeats a count.
 */
export interface RateLimit {
  readonly perHour: number;
  /** Reloads that are allowed at once after a long time without any. */
  readonly burst: number;
}

const HOUR_MS = 3_600_000;
export const LARGEST_RATE = 3600;

/** `60/60`: sixty an hour after a burst of sixty; `0`: no limit. Undefined: the text is neither. */
export function parseRate(text: string): RateLimit | 'off' | undefined {
  if (text.trim() === '0') return 'off';
  const [, perHour, burst] = /^\s*(\d{1,4})\/(\d{1,4})\s*$/.exec(text) ?? [];
  return perHour === undefined ? undefined : rateOf(Number(perHour), Number(burst));
}

export function rateOf(perHour: number, burst: number): RateLimit | undefined {
  const fits = [perHour, burst].every((n) => Number.isInteger(n) && n >= 1 && n <= LARGEST_RATE);
  return fits ? { perHour, burst } : undefined;
}

/** When a reload is allowed, in milliseconds since the epoch; `clock` is the ledger's `rateClock`. */
export function allowedAt(rate: RateLimit, clock: number | undefined, now: number): number {
  return spent(rate, clock, now) - rate.burst * intervalOf(rate);
}

/** The `rateClock` that the ledger records after a reload. Reloads that a person forced with `now` count, too. */
export function clockAfter(rate: RateLimit, clock: number | undefined, now: number): number {
  return Math.min(spent(rate, clock, now), now + rate.burst * intervalOf(rate));
}

/** Bounded: after a clock jump or a changed rate no workload waits longer than for one burst. */
function spent(rate: RateLimit, clock: number | undefined, now: number): number {
  const interval = intervalOf(rate);
  const latest = now + rate.burst * interval;
  return Math.max(now, Math.min(clock ?? now, latest)) + interval;
}

function intervalOf({ perHour }: RateLimit): number {
  return Math.ceil(HOUR_MS / perHour);
}
