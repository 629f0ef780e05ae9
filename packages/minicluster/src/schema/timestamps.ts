/** Timestamps as the server parses (RFC 3339) and stores them: in UTC, to the second or microsecond. */

export class TimeError extends Error {
  override name = 'TimeError';
}

const SECONDS_LAYOUT = '2006-01-02T15:04:05Z07:00';
const MICRO_LAYOUT = '2006-01-02T15:04:05.000000Z07:00';
const FRACTION = /^[.,]\d+/;
const CANONICAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** The parts of the layout in order, with their names in messages. */
const STEPS: readonly [pattern: RegExp, layout: string][] = [
  [/^\d{4}/, '2006'],
  [/^-/, '-'],
  [/^\d\d/, '01'],
  [/^-/, '-'],
  [/^\d\d/, '02'],
  [/^T/, 'T'],
  [/^\d\d?/, '15'],
  [/^:/, ':'],
  [/^\d\d/, '04'],
  [/^:/, ':'],
  [/^\d\d/, '05'],
];
const ZONE: [RegExp, string] = [/^(Z|[+-]\d\d:\d\d)/, 'Z07:00'];

/** Throws `TimeError` in the words of Go's parser. */
export function canonicalTime(text: string, precision: 'seconds' | 'microseconds' = 'seconds'): string {
  const layout = precision === 'seconds' ? SECONDS_LAYOUT : MICRO_LAYOUT;
  const { parts, fraction, zone } = split(text, layout);
  if (precision === 'microseconds' && fraction === '') {
    throw cannotParse(text, layout, zone, '.000000');
  }
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts;
  if (month < 1 || month > 12) throw outOfRange(text, 'month');
  if (day < 1 || day > new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate())
    throw outOfRange(text, 'day');
  if (hour > 23) throw outOfRange(text, 'hour');
  if (minute > 59) throw outOfRange(text, 'minute');
  if (second > 59) throw outOfRange(text, 'second');
  if (precision === 'seconds' && CANONICAL.test(text)) return text;

  const instant = new Date(0);
  instant.setUTCFullYear(year, month - 1, day);
  instant.setUTCHours(hour, minute, second);
  const utc = new Date(instant.getTime() - offsetMinutes(zone) * 60_000).toISOString().slice(0, 19);
  return precision === 'seconds' ? `${utc}Z` : `${utc}.${fraction.slice(1).padEnd(6, '0').slice(0, 6)}Z`;
}

function split(text: string, layout: string): { parts: number[]; fraction: string; zone: string } {
  const parts: number[] = [];
  let rest = text;
  const take = ([pattern, name]: readonly [RegExp, string]): string => {
    const found = pattern.exec(rest)?.[0];
    if (found === undefined) throw cannotParse(text, layout, rest, name);
    rest = rest.slice(found.length);
    return found;
  };
  for (const step of STEPS) {
    const found = take(step);
    if (/^\d/.test(found)) parts.push(Number(found));
  }
  const fraction = FRACTION.exec(rest)?.[0] ?? '';
  rest = rest.slice(fraction.length);
  const zone = take(ZONE);
  if (rest !== '')
    throw new TimeError(`parsing time ${JSON.stringify(text)}: extra text: ${JSON.stringify(rest)}`);
  return { parts, fraction, zone };
}

function offsetMinutes(zone: string): number {
  if (zone === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6));
  return zone.startsWith('-') ? -minutes : minutes;
}

function cannotParse(text: string, layout: string, rest: string, part: string): TimeError {
  const quote = JSON.stringify;
  return new TimeError(
    `parsing time ${quote(text)} as ${quote(layout)}: cannot parse ${quote(rest)} as ${quote(part)}`,
  );
}

function outOfRange(text: string, part: string): TimeError {
  return new TimeError(`parsing time ${JSON.stringify(text)}: ${part} out of range`);
}
