import { expect, it } from 'vitest';
import { Pacing } from './pacing.ts';

it('hands out turns at a distance, none before its time', () => {
  const pacing = new Pacing(100);
  expect([pacing.turn(1000), pacing.turn(1000), pacing.turn(1000)]).toEqual([1000, 1010, 1020]);
  expect(pacing.turn(5000)).toBe(5000);
  expect(pacing.turn(1000)).toBe(5010);
});
