import { test } from 'vitest';
import { roughWeather } from './weather.ts';

test('in rough weather nothing is lost and nothing is done twice, whatever the seed', () =>
  roughWeather({ count: 1_000 }));

test('with a notebook that is deleted, put back and contended for, whatever the seed', () =>
  roughWeather({ count: 500 }, { notes: true }));

test('with several ReloaderConfigs, whoever watches what changed decides, whatever the seed', () =>
  roughWeather({ count: 300 }, { speakers: true }));
