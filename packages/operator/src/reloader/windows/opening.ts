/**
 * Whether windows are open, and when they open. Pure: a function of windows and moment; caches only save work.
 *
 * Every set must be open. A set is open when no denying window is active and, if it has allowing ones, one of them is.
 * A window is active from its start and no longer at its end, measured in elapsed time.
 */
import type { Window, WindowSet } from '../model/window.ts';
import { type Meter, startAfter } from './cron.ts';

export interface Closed {
  /** The place of the set that is closed now. */
  readonly where: string;
  /** True: a denying window is active; false: no allowing window is. */
  readonly denied: boolean;
  /** Milliseconds since the epoch: when all are open; undefined: never. */
  readonly opensAt: number | undefined;
  /** The search was ended early: they open at `opensAt` or later. */
  readonly orLater?: true;
}

/** Windows without a common moment in this time count as never open. */
const LONGEST_SEARCH_MS = 35 * 24 * 3_600_000;
/**
 * Bounds the search for short windows that just miss each other: starts that are computed within a few milliseconds.
 */
const MOST_COMPUTED = 2_000;
/** Windows of a quarter or a year that have not overlapped after so many starts count as never open. */
const MOST_LEAPS = 32;
/** How long the answer "never" is cached. */
const NEVER_FOR_MS = 24 * 3_600_000;

/** Undefined while open. */
export function closedBy(sets: readonly WindowSet[], now: number): Closed | undefined {
  const [first] = closures(sets, now);
  return first && { where: first.where, denied: first.denied, ...openingOf(sets, now) };
}

/** True if these windows alone would hold every reload for ever. */
export function neverOpen(windows: readonly Window[], now: number): boolean {
  const closed = closedBy([{ where: '', windows }], now);
  return closed !== undefined && closed.opensAt === undefined;
}

/** The denying windows alone, for changes that have waited longer than `maxWait`. */
export function onlyDenying(sets: readonly WindowSet[]): WindowSet[] {
  return sets
    .map((set) => ({ ...set, windows: set.windows.filter(({ kind }) => kind === 'deny') }))
    .filter(({ windows }) => windows.length > 0);
}

interface Known {
  /** The answer is valid from the first moment on and before the second. */
  readonly from: number;
  readonly until: number;
  readonly opening: Pick<Closed, 'opensAt' | 'orLater'>;
}

/**
 * The last answers for each combination of windows: callers ask about the present, and about times that they predict.
 */
const known = new Map<string, readonly Known[]>();
const MOST_KNOWN = 1000;
const MOST_ANSWERS = 3;

function openingOf(sets: readonly WindowSet[], now: number): Known['opening'] {
  const key = JSON.stringify(sets.map(({ windows }) => windows));
  const last = known.get(key) ?? [];
  const fitting = last.find(({ from, until }) => from <= now && now < until);
  if (fitting) return fitting.opening;
  const opening = search(sets, now);
  if (known.size >= MOST_KNOWN) known.clear();
  const answer = { from: now, until: opening.opensAt ?? now + NEVER_FOR_MS, opening };
  known.set(key, [answer, ...last].slice(0, MOST_ANSWERS));
  return opening;
}

function search(sets: readonly WindowSet[], now: number): Known['opening'] {
  let moment = now;
  let limit = now + LONGEST_SEARCH_MS;
  let leaps = MOST_LEAPS;
  const meter: Meter = { spent: 0 };
  while (meter.spent < MOST_COMPUTED) {
    const closed = closures(sets, moment, meter);
    if (closed.length === 0) return { opensAt: moment };
    // All must be open, so continue at the latest of their next moments.
    const closure = closed.reduce((a, b) => ((b.next ?? Infinity) > (a.next ?? Infinity) ? b : a));
    if (closure.next === undefined) return { opensAt: undefined };
    // A single window may be far in the future: the search continues around its time.
    const isLeap = closure.single || closure.next - moment > LONGEST_SEARCH_MS;
    moment = closure.next;
    if (isLeap && leaps-- > 0) limit = moment + LONGEST_SEARCH_MS;
    if (moment > limit) return { opensAt: undefined };
  }
  return { opensAt: moment, orLater: true };
}

interface Closure {
  readonly where: string;
  readonly denied: boolean;
  /** The next moment at which this closure may end. */
  readonly next: number | undefined;
  /** That moment comes from a window that does not recur. */
  readonly single: boolean;
}

/** Denying ones first: `maxWait` does not override them. */
function closures(sets: readonly WindowSet[], moment: number, meter?: Meter): Closure[] {
  const denied = sets.flatMap(({ where, windows }): Closure[] => {
    const active = windows.find(
      (window) => window.kind === 'deny' && endOf(window, moment, meter) !== undefined,
    );
    if (!active) return [];
    return [{ where, denied: true, next: endOf(active, moment, meter), single: 'from' in active }];
  });
  const without = sets.flatMap(({ where, windows }): Closure[] => {
    const allowing = windows.filter(({ kind }) => kind === 'allow');
    if (allowing.length === 0 || allowing.some((window) => endOf(window, moment, meter) !== undefined))
      return [];
    const starts = allowing.flatMap((window) => {
      const start = nextStart(window, moment, meter);
      return start === undefined ? [] : [{ start, single: 'from' in window }];
    });
    const [first] = starts.sort((a, b) => a.start - b.start);
    return [{ where, denied: false, next: first?.start, single: first?.single === true }];
  });
  return [...denied, ...without];
}

/** When the window ends that is active at this moment; undefined if it is not active. */
function endOf(window: Window, moment: number, meter?: Meter): number | undefined {
  if ('from' in window) return window.from <= moment && moment < window.to ? window.to : undefined;
  const start = startAfter(window, moment - window.durationMs, meter);
  return start !== undefined && start <= moment ? start + window.durationMs : undefined;
}

function nextStart(window: Window, moment: number, meter?: Meter): number | undefined {
  if ('from' in window) return window.from > moment ? window.from : undefined;
  return startAfter(window, moment, meter);
}
