import { test } from 'vitest';
import { roughWeather } from './weather.ts';

test('in rough weather nothing is lost and nothing is done twice, whatever the seed', () =>
  roughWeather({ count: 1_000 }));

test('with a notebook that is deleted, put back and contended for, whatever the seed', () =>
  roughWeather({ count: 500 }, { notes: true }));

test('with several ReloaderConfigs, the one that watches the changed source decides, for every seed', () =>
  roughWeather({ count: 300 }, { speakers: true }));
