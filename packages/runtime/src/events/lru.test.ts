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
