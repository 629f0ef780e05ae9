import fc from 'fast-check';
import { expect, test } from 'vitest';
import { scheduleProblem } from './cron.ts';

test.each([
  '* * * * *',
  '*/5 0-23/2 1,15 jan-mar MON',
  '? ? ? ? ?',
  '  0  0 * *   0 ',
  '@daily',
  '@every 1h30m',
  'TZ=UTC 0 0 * * *',
  'CRON_TZ=Europe/Berlin @hourly',
])('%j is a schedule', (schedule) => {
  expect(scheduleProblem(schedule)).toBeUndefined();
});

// The expected messages are those of the server's cron package.
test.each([
  ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
  ['60 * * * *', 'end of range (60) above maximum (59): 60'],
  ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
  ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
  ['*/0 * * * *', 'step of range should be a positive number: */0'],
  ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
  ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
  ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
  ['@noon', 'unrecognized descriptor: @noon'],
  ['@every soon', 'failed to parse duration @every soon: time: invalid duration "soon"'],
])('%j is none: %s', (schedule, problem) => {
  expect(scheduleProblem(schedule)).toBe(problem);
});

test('any numbers within bounds are a schedule', () => {
  const field = (low: number, high: number) =>
    fc.oneof(
      fc.constant('*'),
      fc.integer({ min: low, max: high }).map(String),
      fc
        .tuple(fc.integer({ min: low, max: high }), fc.integer({ min: 1, max: 9 }))
        .map(([a, step]) => `${a}/${step}`),
    );
  fc.assert(
    fc.property(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 6), (...fields) => {
      expect(scheduleProblem(fields.join(' '))).toBeUndefined();
    }),
  );
});

test('no text makes the parser throw', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      scheduleProblem(text);
    }),
  );
});
