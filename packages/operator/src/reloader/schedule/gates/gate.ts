/** A gate: a pure function that answers "now", by nothing, or "later, until then, because". */
import type { Held, ScheduleInput, Why } from '../types.ts';

export interface Gate {
  readonly why: Why;
  /** A person's `now` passes it: it only spares restarts, orders them or asks for a person. */
  readonly yieldsToNow?: true;
  /** A reload that has begun waits for it all the same. */
  readonly stopsWhatBegan?: true;
  check(input: ScheduleInput): Omit<Held, 'why'> | undefined;
}

/** The ledger remembers it across restarts, but only the second: what we saw ourselves is more exact. */
export function firstChange({ pending, recorded }: Pick<ScheduleInput, 'pending' | 'recorded'>): number {
  const stored = recorded?.pendingSince;
  if (stored === undefined || (stored + 1) * 1000 > pending.firstSeen) return pending.firstSeen;
  return stored * 1000;
}

export function seconds(ms: number): string {
  return `${ms / 1000}s`;
}
