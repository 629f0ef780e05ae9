/**
 * The moments of a day in a time zone. Pure; caches only save work.
 *
 * Near a change of clocks a time may be skipped or come twice, which means something else for each schedule: those
 * hours are left to the library.
 */
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

export interface LocalDay {
  /** The day's midnight as if the zone were UTC. */
  readonly midnight: number;
  /** The zone's offset from UTC before the change of clocks, and after it. */
  readonly before: number;
  readonly after: number;
  /** The moment of the change; `Infinity` if there is none. */
  readonly changesAt: number;
  /** Moments that are not closer to the change than this are ordinary. */
  readonly marginMs: number;
}

export function isOrdinary({ changesAt, marginMs }: LocalDay, moment: number): boolean {
  return Math.abs(moment - changesAt) >= marginMs;
}

/** `time`: milliseconds since midnight by the clock of the zone. */
export function momentOf({ midnight, before, after, changesAt }: LocalDay, time: number): number {
  const local = midnight + time;
  return local - before < changesAt ? local - before : Math.max(local - after, changesAt);
}

/** Counts work, for callers with a limit. */
export interface Meter {
  spent: number;
}

/** In units of `Meter`: a new format, and a time written by one. Days of many zones cost more than all else. */
const COST = { format: 1000, time: 30 } as const;

/** By zone and day; null if the day has to be left to the library. */
const days = new Map<string, Map<number, LocalDay | null>>();
/** More than there are: if some had to be dropped, windows in all zones would need them again and again. */
const MOST_ZONES = 700;
/** More than a search for a common opening looks at. */
const MOST_DAYS = 100;

/** `day`: days since the epoch. Undefined if the clocks change more than once around it, or skip a day. */
export function localDay(day: number, timeZone: string, meter: Meter): LocalDay | undefined {
  const zone = timeZone.toLowerCase();
  let known = days.get(zone);
  if (!known || known.size >= MOST_DAYS) {
    if (days.size >= MOST_ZONES) days.clear();
    known = new Map();
    days.set(zone, known);
  }
  let found = known.get(day);
  if (found === undefined) {
    found = compute(day, zone, meter) ?? null;
    known.set(day, found);
  }
  return found ?? undefined;
}

/** Offsets are between -12 and +14 hours: the whole day is within these hours around its midnight in UTC. */
const FIRST_HOUR = -15;
const LAST_HOUR = 37;
/** No zone changes its clocks twice within so many hours, unless it skips a day. */
const SAMPLE_HOURS = 13;
const LARGEST_CHANGE_MS = 3 * HOUR_MS;

function compute(day: number, timeZone: string, meter: Meter): LocalDay | undefined {
  const midnight = day * DAY_MS;
  const format = formatOf(timeZone, meter);
  const at = (moment: number): number | undefined => {
    meter.spent += COST.time;
    return offsetAt(moment, format);
  };
  const [first, last] = [midnight + FIRST_HOUR * HOUR_MS, midnight + LAST_HOUR * HOUR_MS];
  const [before, after] = [at(first), at(last)];
  if (before === undefined || after === undefined) return undefined;
  if (Math.abs(after - before) > LARGEST_CHANGE_MS) return undefined;
  const changesAt = before === after ? Number.POSITIVE_INFINITY : changeBetween(first, last, before, at);
  for (let moment = first + SAMPLE_HOURS * HOUR_MS; moment < last; moment += SAMPLE_HOURS * HOUR_MS) {
    if (at(moment) !== (moment < changesAt ? before : after)) return undefined;
  }
  return { midnight, before, after, changesAt, marginMs: Math.abs(after - before) + HOUR_MS };
}

/** The first minute at which the offset is another one. */
function changeBetween(
  from: number,
  to: number,
  before: number,
  at: (moment: number) => number | undefined,
): number {
  let [low, high] = [from / MINUTE_MS, to / MINUTE_MS];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (at(middle * MINUTE_MS) === before) low = middle;
    else high = middle;
  }
  return high * MINUTE_MS;
}

/** By zone, in lower case: zones have no case. */
const formats = new Map<string, Intl.DateTimeFormat>();
const OFFSET = /GMT(?:([+-])(\d\d):(\d\d))?$/;

/** Throws a RangeError if there is no such zone. */
export function formatOf(timeZone: string, meter?: Meter): Intl.DateTimeFormat {
  const zone = timeZone.toLowerCase();
  let format = formats.get(zone);
  if (!format) {
    if (formats.size >= MOST_ZONES) formats.clear();
    format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
    formats.set(zone, format);
    if (meter) meter.spent += COST.format;
  }
  return format;
}

/** The zone's offset from UTC in milliseconds. */
function offsetAt(moment: number, format: Intl.DateTimeFormat): number | undefined {
  const match = OFFSET.exec(format.format(moment));
  if (!match) return undefined;
  const [, sign, hours = '0', minutes = '0'] = match;
  const ms = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
  return sign === '-' ? -ms : ms;
}
