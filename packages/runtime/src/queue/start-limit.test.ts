import { expect, test } from 'vitest';
import { StartLimit } from './start-limit.ts';

test('allows the next start when the oldest of the last n is out of the window', () => {
  const limit = new StartLimit({ count: 2, withinMs: 100 });
  expect(limit.allowedAt('a')).toBe(-Infinity);
  limit.started('a', 10);
  expect(limit.allowedAt('a')).toBe(-Infinity);
  limit.started('a', 30);
  expect(limit.allowedAt('a')).toBe(110);
  limit.started('a', 110);
  expect(limit.allowedAt('a')).toBe(130);
  expect(limit.allowedAt('b')).toBe(-Infinity);
});

test('forgets keys that have not started for a while', () => {
  const limit = new StartLimit({ count: 1, withinMs: 100 });
  for (let index = 0; index < 1000; index++) limit.started(`key-${index}`, index);
  expect(limit.size).toBeLessThanOrEqual(200);
  expect(limit.allowedAt('key-999')).toBe(1099);
});

test.each([
  { count: 0, withinMs: 1 },
  { count: 1.5, withinMs: 1 },
  { count: 1, withinMs: 0 },
])('refuses %j', (options) => {
  expect(() => new StartLimit(options)).toThrow(RangeError);
});
