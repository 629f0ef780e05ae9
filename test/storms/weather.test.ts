/** Random changes, random faults, operators that die: nothing is lost, and nothing is done twice. */
import { test } from 'vitest';
import { roughWeather } from './weather.ts';

test('in rough weather nothing is lost and nothing is done twice', { timeout: 240_000 }, () =>
  roughWeather({ count: 30 }),
);

test('with a notebook that is deleted, put back and contended for, as well', { timeout: 240_000 }, () =>
  roughWeather({ count: 10 }, { notes: true }),
);

test(
  'with several ReloaderConfigs, whoever watches what changed decides how and when',
  { timeout: 240_000 },
  () => roughWeather({ count: 3 }, { speakers: true }),
);

// Each of them was once lost: behind a stream that was late, because nobody woke for it, in the first content that was read.
test.each([119, 433, 826])('weather %i, which once broke something', { timeout: 60_000 }, (first) =>
  roughWeather({ first, count: 1 }),
);
