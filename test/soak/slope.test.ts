import { createRandom } from '@reloader/runtime/testing';
import { describe, expect, test } from 'vitest';
import { certainGrowth, trendOf } from './slope.ts';

const series = (values: readonly number[]) => values.map((y, x) => ({ x, y }));

describe('a trend', () => {
  test.each([
    ['a line', [0, 2, 4, 6], 2],
    ['a level', [5, 5, 5, 5], 0],
    ['noise around a level', [5, 7, 7, 5], 0],
    ['a fall', [9, 6, 3, 0], -3],
  ])('of %s', (_, values, slope) => {
    expect(trendOf(series(values))?.slope).toBeCloseTo(slope, 10);
  });

  test('is certain where all points are on the line, and less so the more they scatter', () => {
    expect(trendOf(series([0, 2, 4, 6]))?.error).toBeCloseTo(0, 10);
    // By hand: slope 0.58, squares of the rest 0.188, over 2 degrees of freedom and a spread of 5.
    expect(trendOf(series([1, 1, 2, 2.6]))?.error).toBeCloseTo(0.1371, 3);
  });

  test('needs three points', () => {
    expect(trendOf(series([1, 2]))).toBeUndefined();
  });
});

describe('growth', () => {
  const noisy = (growth: number, seed: number): number[] => {
    const random = createRandom(seed);
    return Array.from({ length: 20 }, (_, hour) => 100 + growth * hour + 6 * random.next());
  };
  const growthOf = (values: readonly number[]): number => {
    const trend = trendOf(series(values));
    return trend ? certainGrowth(trend) : Number.NaN;
  };

  test('is nothing where noise explains it, whatever the seed', () => {
    const found = Array.from({ length: 200 }, (_, seed) => growthOf(noisy(0, seed))).filter(
      (each) => each > 0,
    );
    expect(found.length).toBeLessThanOrEqual(2);
  });

  test('is found below the noise of a single measurement, whatever the seed', () => {
    const missed = Array.from({ length: 200 }, (_, seed) => growthOf(noisy(0.5, seed))).filter(
      (each) => each === 0,
    );
    expect(missed).toEqual([]);
  });
});
