/** Random changes, random faults, operators that die: nothing is lost, and nothing is done twice. */
import { test } from 'vitest';
import { roughWeather } from './weather.ts';

test('in rough weather nothing is lost and nothing is done twice', { timeout: 240_000 }, () =>
  roughWeather(30),
);
