import { describe, expect, it } from 'vitest';
import { canonicalTime, TimeError } from './timestamps.ts';

const LAYOUT = '2006-01-02T15:04:05Z07:00';

describe('canonicalTime', () => {
  it.each([
    ['2020-01-02T03:04:05Z', '2020-01-02T03:04:05Z'],
    ['2020-01-02T03:04:05.999Z', '2020-01-02T03:04:05Z'],
    ['2020-01-02T03:04:05+02:00', '2020-01-02T01:04:05Z'],
    ['2020-01-01T00:30:00+01:00', '2019-12-31T23:30:00Z'],
    ['2020-02-29T00:00:00Z', '2020-02-29T00:00:00Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
  ])('%s is stored as %s', (text, expected) => {
    expect(canonicalTime(text)).toBe(expected);
  });

  it.each([
    ['2020-01-02T03:04:05.123456Z', '2020-01-02T03:04:05.123456Z'],
    ['2020-01-02T03:04:05.1Z', '2020-01-02T03:04:05.100000Z'],
    ['2020-01-02T03:04:05.123456789-01:00', '2020-01-02T04:04:05.123456Z'],
  ])('%s is stored as %s where microseconds count', (text, expected) => {
    expect(canonicalTime(text, 'microseconds')).toBe(expected);
  });

  // The first three messages are from a real API server; the others follow Go's parser.
  it.each([
    ['x', `parsing time "x" as "${LAYOUT}": cannot parse "x" as "2006"`],
    ['2020-13-01T00:00:00Z', 'parsing time "2020-13-01T00:00:00Z": month out of range'],
    [
      '2020-01-01 00:00:00Z',
      `parsing time "2020-01-01 00:00:00Z" as "${LAYOUT}": cannot parse " 00:00:00Z" as "T"`,
    ],
    ['2021-02-29T00:00:00Z', 'parsing time "2021-02-29T00:00:00Z": day out of range'],
    ['2020-01-01T24:00:00Z', 'parsing time "2020-01-01T24:00:00Z": hour out of range'],
    ['2020-01-01T00:60:00Z', 'parsing time "2020-01-01T00:60:00Z": minute out of range'],
    ['2020-01-01T00:00:60Z', 'parsing time "2020-01-01T00:00:60Z": second out of range'],
    ['2020-01-01T00:00:00', `parsing time "2020-01-01T00:00:00" as "${LAYOUT}": cannot parse "" as "Z07:00"`],
    ['2020-01-01T00:00:00Zx', 'parsing time "2020-01-01T00:00:00Zx": extra text: "x"'],
    ['', `parsing time "" as "${LAYOUT}": cannot parse "" as "2006"`],
  ])('%s is refused', (text, message) => {
    expect(() => canonicalTime(text)).toThrow(new TimeError(message));
  });
});
