/**
 * Whether windows are open, and when they open. Pure: a function of windows and moment; caches only save work.
 *
 * Every set must be open. A set is open when no denying window is active and, if it has allowing ones, one of them is.
 * A window is active from its start and no longer at its end, measured in elapsed time.
 */
import type { Window, WindowSet } from '../model/window.ts';
import { startAfter } from './cron.ts';
import type { Meter } from './local-day.ts';

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
/** Bounds the search for many or short windows that just miss each other to a few milliseconds of work. */
const MOST_WORK = 25_000;
/** In units of `Meter`: to look at an occurrence that is already known. */
const LOOK_COST = 0.2;
/** Windows of a quarter or a year that have not overlapped after so many starts count as never open. */
const MOST_LEAPS = 32;
/** How long the answer "never" is cached. */
const NEVER_FOR_MS = 24 * 3_600_000;

/** Undefined while open. */
export function closedBy(sets: readonly WindowSet[], now: number): Closed | undefined {
  const [first] = closures(sets.map(withOccurrences), now, { spent: 0 });
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
    .map((set) => ({ ...set, windows: denyingOf(set.windows) }))
    .filter(({ windows }) => windows.length > 0);
}

/** Cached, so that the same windows lead to the same list: answers are known by their lists. */
const denying = new WeakMap<readonly Window[], readonly Window[]>();

function denyingOf(windows: readonly Window[]): readonly Window[] {
  let own = denying.get(windows);
  if (!own) {
    own = windows.filter(({ kind }) => kind === 'deny');
    denying.set(windows, own);
  }
  return own;
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

/** The number of a list of windows: shorter and faster to compare than the windows. */
const numbers = new WeakMap<readonly Window[], number>();
let last = 0;

function numberOf(windows: readonly Window[]): number {
  let number = numbers.get(windows);
  if (number === undefined) {
    last += 1;
    number = last;
    numbers.set(windows, number);
  }
  return number;
}

function openingOf(sets: readonly WindowSet[], now: number): Known['opening'] {
  const key = sets.map(({ windows }) => numberOf(windows)).join(' ');
  const answers = known.get(key) ?? [];
  const fitting = answers.find(({ from, until }) => from <= now && now < until);
  if (fitting) return fitting.opening;
  const opening = search(sets, now);
  if (known.size >= MOST_KNOWN) known.clear();
  const answer = { from: now, until: opening.opensAt ?? now + NEVER_FOR_MS, opening };
  known.set(key, [answer, ...answers].slice(0, MOST_ANSWERS));
  return opening;
}

function search(given: readonly WindowSet[], now: number): Known['opening'] {
  const sets = given.map(withOccurrences);
  let moment = now;
  let limit = now + LONGEST_SEARCH_MS;
  let leaps = MOST_LEAPS;
  const meter: Meter = { spent: 0 };
  while (meter.spent < MOST_WORK) {
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

interface Occurrences {
  readonly where: string;
  readonly denying: readonly Occurrence[];
  readonly allowing: readonly Occurrence[];
}

function withOccurrences({ where, windows }: WindowSet): Occurrences {
  const of = (kind: Window['kind']): Occurrence[] =>
    windows.filter((window) => window.kind === kind).map((window) => new Occurrence(window));
  return { where, denying: of('deny'), allowing: of('allow') };
}

/**
 * The first occurrence of a window that has not ended at a moment. Moments must not go back: most of them are within
 * the same occurrence as the last, and then nothing is computed.
 */
class Occurrence {
  readonly #window: Window;
  #start = Number.NEGATIVE_INFINITY;
  #end = Number.NEGATIVE_INFINITY;

  constructor(window: Window) {
    this.#window = window;
  }

  /** It does not recur. */
  get single(): boolean {
    return 'from' in this.#window;
  }

  /** Infinity: it never comes again. */
  start(moment: number, meter: Meter): number {
    meter.spent += LOOK_COST;
    if (moment >= this.#end) this.#advance(moment, meter);
    return this.#start;
  }

  get end(): number {
    return this.#end;
  }

  #advance(moment: number, meter: Meter): void {
    const window = this.#window;
    if ('from' in window) {
      [this.#start, this.#end] = moment < window.to ? [window.from, window.to] : [Infinity, Infinity];
      return;
    }
    const start = startAfter(window, moment - window.durationMs, meter) ?? Infinity;
    [this.#start, this.#end] = [start, start + window.durationMs];
  }
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
function closures(sets: readonly Occurrences[], moment: number, meter: Meter): Closure[] {
  const closed: Closure[] = [];
  for (const { where, denying } of sets) {
    const active = denying.find((each) => each.start(moment, meter) <= moment);
    if (active) closed.push({ where, denied: true, next: active.end, single: active.single });
  }
  for (const { where, allowing } of sets) {
    let first: Occurrence | undefined;
    let next = Infinity;
    for (const each of allowing) {
      const start = each.start(moment, meter);
      if (start < next) [first, next] = [each, start];
      if (start <= moment) break;
    }
    if (allowing.length === 0 || next <= moment) continue;
    closed.push({ where, denied: false, next: first && next, single: first?.single === true });
  }
  return closed;
}
