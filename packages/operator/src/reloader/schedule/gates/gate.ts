/** A gate: a pure function that returns undefined for "now", or "later, until then, because". */
import type { Held, ScheduleInput, Why } from '../types.ts';

export interface Gate {
  readonly why: Why;
  /** A user's `now` overrides it: the gate only saves restarts, orders them or asks for a user. */
  readonly yieldsToNow?: true;
  /** It also holds a reload that has begun. */
  readonly stopsWhatBegan?: true;
  check(input: ScheduleInput): Omit<Held, 'why'> | undefined;
}

/** The ledger keeps this time across restarts, but only to the second: the time in memory is more exact. */
export function firstChange({ pending, recorded }: Pick<ScheduleInput, 'pending' | 'recorded'>): number {
  const stored = recorded?.pendingSince;
  if (stored === undefined || (stored + 1) * 1000 > pending.firstSeen) return pending.firstSeen;
  return stored * 1000;
}

/** As people write it: `90s`, `15m`, `2h`. */
export function timeText(ms: number): string {
  const units = [
    [3_600_000, 'h'],
    [60_000, 'm'],
  ] as const;
  for (const [size, unit] of units) if (ms >= size && ms % size === 0) return `${ms / size}${unit}`;
  return `${ms / 1000}s`;
}
