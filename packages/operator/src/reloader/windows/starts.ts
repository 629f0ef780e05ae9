/**
 * The starts of a schedule by arithmetic. Pure; caches only save work.
 *
 * In: a schedule in the grammar of `cron.ts`, a zone, a moment. Out: the first start after it, or undefined where
 * arithmetic is not enough: close to a change of the zone's clocks. There the library is used. It takes a hundred
 * times as long, and windows that never overlap are searched for weeks.
 */
import { isOrdinary, type LocalDay, localDay, type Meter, momentOf } from './local-day.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** No date of the calendar is further away: around the turn of a century, 29 February comes after eight years. */
const MOST_DAYS = 9 * 366;

export interface Timetable {
  /** Milliseconds from midnight, sorted. */
  readonly times: readonly number[];
  /** The first day from this one on, both in days since the epoch, on which it starts; undefined: there is none. */
  readonly dayFrom: (day: number) => number | undefined;
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
  const lastDate = Math.max(...dates);
  const dayFrom = (from: number): number | undefined => {
    for (let day = from; day < from + MOST_DAYS; ) {
      const date = new Date(day * DAY_MS);
      const isDate = dates.has(date.getUTCDate());
      const isWeekday = weekdays.has(date.getUTCDay());
      // If both are given, either is enough, as in every cron.
      const isDay = anyWeekday ? isDate : anyDate ? isWeekday : isDate || isWeekday;
      const isMonth = months.has(date.getUTCMonth() + 1);
      if (isMonth && isDay) return day;
      const isMonthOver = !isMonth || (anyWeekday && date.getUTCDate() > lastDate);
      day = isMonthOver ? Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / DAY_MS : day + 1;
    }
    return undefined;
  };
  return { times, dayFrom };
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
  { times, dayFrom }: Timetable,
  timeZone: string,
  moment: number,
  meter: Meter,
): number | undefined {
  // In its zone it may be the day before or after.
  const first = Math.floor(moment / DAY_MS) - 1;
  for (let day = dayFrom(first); day !== undefined; day = dayFrom(day + 1)) {
    const local = localDay(day, timeZone, meter);
    if (local === undefined) {
      // The day is over: its clocks do not matter.
      if ((day + 2) * DAY_MS < moment) continue;
      return undefined;
    }
    const start = firstAfter(times, local, moment);
    if (!isOrdinary(local, moment) || (start !== undefined && !isOrdinary(local, start))) return undefined;
    if (start !== undefined) return start;
  }
  return undefined;
}

/** Later times of the day are never earlier moments, so half of the rest is left out at each look. */
function firstAfter(times: readonly number[], local: LocalDay, limit: number): number | undefined {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (momentOf(local, times[middle] ?? 0) > limit) high = middle;
    else low = middle + 1;
  }
  const time = times[low];
  return time === undefined ? undefined : momentOf(local, time);
}
