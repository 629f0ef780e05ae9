import { expect, test } from 'vitest';
import { LruMap } from './lru.ts';

test('what was not asked for longest is forgotten first', () => {
  const map = new LruMap<number>(2);
  map.getOrCreate('a', () => 1);
  map.getOrCreate('b', () => 2);
  map.getOrCreate('a', () => 0);
  map.getOrCreate('c', () => 3);
  expect(map.size).toBe(2);
  expect(map.getOrCreate('a', () => -1)).toBe(1);
  expect(map.getOrCreate('b', () => -1)).toBe(-1);
});

test('what is over is forgotten, from the least recently used on, but not what is asked for', () => {
  const over = new Set([1, 3, 4]);
  const map = new LruMap<number>(9, (value) => over.has(value));
  for (const value of [1, 2, 3]) map.getOrCreate(`${value}`, () => value);
  expect(map.size).toBe(2);
  // 3 is over and stays until 2 goes.
  expect(map.getOrCreate('3', () => -1)).toBe(3);
  over.add(2);
  expect(map.getOrCreate('4', () => 4)).toBe(4);
  expect(map.size).toBe(1);
  expect(map.getOrCreate('4', () => -1)).toBe(4);
});
