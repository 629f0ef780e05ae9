import { expect, test } from 'vitest';
import { slopeOf } from './slope.ts';

test.each([
  ['a line', [0, 2, 4, 6], 2],
  ['a level', [5, 5, 5, 5], 0],
  ['noise around a level', [5, 7, 7, 5], 0],
  ['a fall', [9, 6, 3, 0], -3],
])('the slope of %s', (_, values, slope) => {
  expect(slopeOf(values.map((y, x) => ({ x, y })))).toBeCloseTo(slope, 10);
});

test('one point has no slope', () => {
  expect(slopeOf([{ x: 1, y: 1 }])).toBeUndefined();
});
