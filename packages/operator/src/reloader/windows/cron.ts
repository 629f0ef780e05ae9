/**
 * The schedules of windows: five fields, numbers and names, lists, ranges, steps.
 *
 * The library computes times on days when clocks change (it handles the gaps and repeated hours of time zones); on all
 * other days arithmetic is enough and a thousand times faster. Syntax of the library beyond this grammar (`@daily`,
 * `L`, `#`, seconds, dates) is refused here, because other tools read it differently.
 */
import { Cron } from 'croner';
import { formatOf, type Meter } from './local-day.ts';
import { nextByArithmetic, type Timetable, timetableOf } from './starts.ts';

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

interface Field {
  readonly name: string;
  readonly lowest: number;
  readonly highest: number;
  readonly words: readonly string[];
}

const FIELDS: readonly Field[] = [
  { name: 'minute', lowest: 0, highest: 59, words: [] },
  { name: 'hour', lowest: 0, highest: 23, words: [] },
  { name: 'day of the month', lowest: 1, highest: 31, words: [] },
  { name: 'month', lowest: 1, highest: 12, words: MONTHS },
  { name: 'day of the week', lowest: 0, highest: 7, words: DAYS },
];

const LONGEST_SCHEDULE = 256;

/** The mistake in a schedule, as text that follows its name; undefined if there is none. */
export function scheduleProblem(schedule: string, timeZone: string): string | undefined {
  const parts = schedule.trim().split(/\s+/);
  if (schedule.length > LONGEST_SCHEDULE) return `has more than ${LONGEST_SCHEDULE} characters`;
  if (parts.length !== FIELDS.length) {
    return `must have five fields (minute, hour, day of the month, month, day of the week), as in "0 2 * * 1-5"`;
  }
  for (const [index, field] of FIELDS.entries()) {
    const wrong = (parts[index] ?? '').split(',').find((item) => !isItem(item, field));
    if (wrong !== undefined) {
      return `has ${JSON.stringify(wrong.slice(0, 20))} as ${field.name}: write numbers from ${field.lowest} to ${field.highest}, lists, ranges and steps`;
    }
  }
  // 30 February is well-formed, and never comes.
  return compiledOf({ schedule, timeZone }).isNever ? 'never comes: there is no such date' : undefined;
}

const ITEM = /^(?:\*|([0-9]{1,2}|[A-Z]{3})(?:-([0-9]{1,2}|[A-Z]{3}))?)(?:\/([0-9]{1,2}))?$/;

function isItem(item: string, { lowest, highest, words }: Field): boolean {
  const match = ITEM.exec(item.toUpperCase());
  if (!match) return false;
  const [, from, to, step] = match;
  const numberOf = (text: string | undefined): number | undefined => {
    if (text === undefined) return undefined;
    const index = words.indexOf(text);
    if (index >= 0) return index + (words === DAYS ? 0 : 1);
    const number = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN;
    return number >= lowest && number <= highest ? number : Number.NaN;
  };
  const [first, last] = [numberOf(from), numberOf(to)];
  if (Number.isNaN(first) || Number.isNaN(last)) return false;
  if (first !== undefined && last !== undefined && last < first) return false;
  // Programs disagree about a step without a range or a star.
  if (step !== undefined && from !== undefined && to === undefined) return false;
  return step === undefined || (Number(step) >= 1 && Number(step) <= highest);
}

/** Names only: offsets such as `+01:00` have no daylight saving time. */
const ZONE = /^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/;

export function isTimeZone(timeZone: string): boolean {
  if (!ZONE.test(timeZone)) return false;
  try {
    formatOf(timeZone);
    return true;
  } catch {
    return false;
  }
}

/** In units of `Meter`: a start that is known, one by arithmetic on days that are known, one by the library. */
const COST = { known: 1, arithmetic: 10, library: 700 } as const;

interface Compiled {
  readonly timetable: Timetable;
  /** There is no such date. */
  readonly isNever: boolean;
  /** Created when needed: most schedules never start on a day when clocks change. */
  cron: Cron | undefined;
  /** Cached answers: after any moment from the first on and before the second, the second is next. */
  gaps: readonly (readonly [number, number])[];
}

/** Cleared when it is full. */
const compiled = new Map<string, Compiled>();
const MOST_COMPILED = 1000;
/** The present is asked for, and times that callers predict. */
const MOST_GAPS = 3;
/** In days since the epoch: the search for a date that never comes is the same from any day. */
const SOME_DAY = 20_000;

interface Recurring {
  readonly schedule: string;
  readonly timeZone: string;
}

/** The first start after this moment, in milliseconds since the epoch; undefined if there is none. */
export function startAfter(
  recurring: Recurring,
  moment: number,
  meter: Meter = { spent: 0 },
): number | undefined {
  const known = compiledOf(recurring);
  const { timeZone } = recurring;
  meter.spent += COST.known;
  if (known.isNever) return undefined;
  for (const [from, next] of known.gaps) if (from <= moment && moment < next) return next;
  const simply = nextByArithmetic(known.timetable, timeZone, moment, meter);
  meter.spent += simply === undefined ? COST.library : COST.arithmetic;
  const next = simply ?? byLibrary(known, recurring, moment);
  if (next !== undefined) known.gaps = [[moment, next] as const, ...known.gaps].slice(0, MOST_GAPS);
  return next;
}

function byLibrary(known: Compiled, { schedule, timeZone }: Recurring, moment: number): number | undefined {
  known.cron ??= new Cron(schedule.trim().toUpperCase(), {
    timezone: timeZone,
    mode: '5-part',
    paused: true,
  });
  return known.cron.nextRun(new Date(moment))?.getTime();
}

/** By object: a search asks for the same window thousands of times. */
const compiledBy = new WeakMap<Recurring, Compiled>();

function compiledOf(recurring: Recurring): Compiled {
  let known = compiledBy.get(recurring);
  if (!known) {
    known = compile(recurring);
    compiledBy.set(recurring, known);
  }
  return known;
}

function compile({ schedule, timeZone }: Recurring): Compiled {
  const key = `${timeZone} ${schedule}`;
  const known = compiled.get(key);
  if (known) return known;
  if (compiled.size >= MOST_COMPILED) compiled.clear();
  const timetable = timetableOf(schedule);
  const isNever = timetable.dayFrom(SOME_DAY) === undefined;
  const entry: Compiled = { timetable, isNever, cron: undefined, gaps: [] };
  compiled.set(key, entry);
  return entry;
}
