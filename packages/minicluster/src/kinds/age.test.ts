import { expect, test } from 'vitest';
import { describeAge, describeDuration } from './age.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

test.each([
  [-2 * SECOND, '<invalid>'],
  [-1 * SECOND, '0s'],
  [0, '0s'],
  [119 * SECOND, '119s'],
  [120 * SECOND, '2m'],
  [5 * MINUTE + 30 * SECOND, '5m30s'],
  [10 * MINUTE + 30 * SECOND, '10m'],
  [179 * MINUTE, '179m'],
  [3 * HOUR, '3h'],
  [7 * HOUR + 59 * MINUTE, '7h59m'],
  [47 * HOUR + 59 * MINUTE, '47h'],
  [2 * DAY, '2d'],
  [3 * DAY + 4 * HOUR, '3d4h'],
  [8 * DAY + 4 * HOUR, '8d'],
  [729 * DAY, '729d'],
  [730 * DAY, '2y'],
  [760 * DAY, '2y30d'],
  [8 * 365 * DAY + 5 * DAY, '8y'],
])('%d ms are shown as %s', (ms, shown) => {
  expect(describeDuration(ms)).toBe(shown);
});

test('an age is counted from the timestamp', () => {
  expect(describeAge('2026-01-01T00:00:00Z', Date.parse('2026-01-01T00:01:00Z'))).toBe('60s');
});

test.each([undefined, null, '', 'yesterday', 5])('no age is known of %j', (timestamp) => {
  expect(describeAge(timestamp, 0)).toBe('<unknown>');
});
