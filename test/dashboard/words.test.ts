/** The page has its own copy of a few facts of the operator, because it is loaded without it. */
import { expect, test } from 'vitest';
import { HELD_BY_PEOPLE } from '../../packages/dashboard/src/data/words.ts';
import { DEAF_TO_NOW } from '../../packages/operator/src/reloader/schedule/schedule.ts';

test('the page offers its buttons for one change unless a gate holds it that they do not open', () => {
  expect([...HELD_BY_PEOPLE].sort()).toEqual([...DEAF_TO_NOW].sort());
});
