/**
 * The starts of a schedule on ordinary days, by arithmetic. Pure; caches only save work.
 *
 * In: a schedule in the grammar of `cron.ts`, a zone, a moment. Out: the first start after it, or undefined where
 * arithmetic is not enough: on days when the zone changes its clocks, and for starts more than six weeks away. There
 * the library is used. It takes a thousand times as long, and windows that never overlap are searched for weeks.
 */
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** The number of days searched: a little more than the longest search of `opening.ts`. */
const MOST_DAYS = 42;

export interface Timetable {
  /** Milliseconds from midnight, sorted. */
  readonly times: readonly number[];
  /** Whether it starts on this day, given in days since the epoch. */
  readonly hasDay: (day: number) => boolean;
}

/** Lowest and highest value of each field. */
const RANGES = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
] as const;
const NAMES: Readonly<Record<string, number>> = Object.fromEntries([
  ...'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ').map((name, index) => [name, index + 1]),
  ...'SUN MON TUE WED THU FRI SAT'.split(' ').map((name, index) => [name, index]),
]);

/** `schedule` must have been checked. */
export function timetableOf(schedule: string): Timetable {
  const parts = schedule.trim().toUpperCase().split(/\s+/);
  const [minutes, hours, dates, months, weekdays] = RANGES.map(([lowest, highest], index) =>
    valuesOf(parts[index] ?? '', lowest, highest),
  ) as [Set<number>, Set<number>, Set<number>, Set<number>, Set<number>];
  if (weekdays.has(7)) weekdays.add(0);
  const times = [...hours]
    .flatMap((hour) => [...minutes].map((minute) => (hour * 60 + minute) * MINUTE_MS))
    .sort((a, b) => a - b);
  const [anyDate, anyWeekday] = [parts[2] === '*', parts[4] === '*'];
  const isDay = (day: number): boolean => {
    const date = new Date(day * DAY_MS);
    if (!months.has(date.getUTCMonth() + 1)) return false;
    const isDate = dates.has(date.getUTCDate());
    if (anyWeekday) return isDate;
    const isWeekday = weekdays.has(date.getUTCDay());
    // If both are given, either is enough, as in every cron.
    return anyDate ? isWeekday : isDate || isWeekday;
  };
  const days = new Map<number, boolean>();
  const hasDay = (day: number): boolean => {
    let is = days.get(day);
    if (is === undefined) {
      if (days.size >= 2 * MOST_DAYS) days.clear();
      is = isDay(day);
      days.set(day, is);
    }
    return is;
  };
  return { times, hasDay };
}

function valuesOf(field: string, lowest: number, highest: number): Set<number> {
  const values = new Set<number>();
  for (const item of field.split(',')) {
    const [range = '', step = '1'] = item.split('/');
    const [from = '', to = from] = range.split('-');
    const [first, last] = range === '*' ? [lowest, highest] : [numberOf(from), numberOf(to)];
    for (let value = first; value <= last; value += Number(step)) values.add(value);
  }
  return values;
}

const numberOf = (text: string): number => NAMES[text] ?? Number(text);

export function nextByArithmetic(
  { times, hasDay }: Timetable,
  timeZone: string,
  moment: number,
): number | undefined {
  // In its zone it may be the day before or after.
  const first = Math.floor(moment / DAY_MS) - 1;
  for (let day = first; day < first + MOST_DAYS; day += 1) {
    if (!hasDay(day)) continue;
    const midnight = midnightOf(day, timeZone);
    if (midnight === undefined) {
      // The day is over: a change of its clocks does not matter.
      if ((day + 2) * DAY_MS < moment) continue;
      return undefined;
    }
    const time = firstAfter(times, moment - midnight);
    if (time !== undefined) return midnight + time;
  }
  return undefined;
}

function firstAfter(times: readonly number[], limit: number): number | undefined {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) > limit) high = middle;
    else low = middle + 1;
  }
  return times[low];
}

/** By zone and day; null if the clocks change on this day. */
const midnights = new Map<string, Map<number, number | null>>();
const MOST_ZONES = 100;
const MOST_MIDNIGHTS = 500;

/** Milliseconds since the epoch; undefined if the clocks change on this day. */
function midnightOf(day: number, timeZone: string): number | undefined {
  let known = midnights.get(timeZone);
  if (!known || known.size >= MOST_MIDNIGHTS) {
    if (midnights.size >= MOST_ZONES) midnights.clear();
    known = new Map();
    midnights.set(timeZone, known);
  }
  const found = known.get(day);
  if (found !== undefined) return found ?? undefined;
  const offset = offsetAt(day * DAY_MS, timeZone);
  const start = offset === undefined ? Number.NaN : day * DAY_MS - offset;
  const isPlain = [start, start + DAY_MS].every((moment) => offsetAt(moment, timeZone) === offset);
  const midnight = offset !== undefined && isPlain ? start : undefined;
  known.set(day, midnight ?? null);
  return midnight;
}

const formats = new Map<string, Intl.DateTimeFormat>();
const MOST_FORMATS = 100;
const OFFSET = /GMT(?:([+-])(\d\d):(\d\d))?$/;

/** The zone's offset from UTC in milliseconds. */
function offsetAt(moment: number, timeZone: string): number | undefined {
  if (Number.isNaN(moment)) return undefined;
  let format = formats.get(timeZone);
  if (!format) {
    if (formats.size >= MOST_FORMATS) formats.clear();
    format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
    formats.set(timeZone, format);
  }
  const match = OFFSET.exec(format.format(moment));
  if (!match) return undefined;
  const [, sign, hours = '0', minutes = '0'] = match;
  const ms = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
  return sign === '-' ? -ms : ms;
}
