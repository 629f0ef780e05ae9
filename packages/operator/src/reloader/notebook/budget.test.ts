import { expect, it } from 'vitest';
import { WriteBudget } from './budget.ts';

const KB = 1024;

it('a burst of 2 MB is free, then 64 KB a second', () => {
  const budget = new WriteBudget();
  for (let piece = 0; piece < 64; piece++) expect(budget.take(32 * KB, 0)).toBe(0);
  expect(budget.take(32 * KB, 0)).toBe(500);
  expect(budget.take(32 * KB, 0)).toBe(1000);
  expect(budget.take(32 * KB, 1000)).toBe(500);
});

it('in five minutes of storm no more is written than the burst and the rate allow', () => {
  const budget = new WriteBudget();
  let now = 0;
  let bytes = 0;
  while (now < 300_000) {
    now += budget.take(32 * KB, now);
    bytes += 32 * KB;
  }
  expect(bytes).toBeLessThanOrEqual(2 * KB * KB + 300 * 64 * KB + 32 * KB);
});

it('the budget refills while nothing is written', () => {
  const budget = new WriteBudget();
  for (let piece = 0; piece < 64; piece++) budget.take(32 * KB, 0);
  expect(budget.take(32 * KB, 40_000)).toBe(0);
});
