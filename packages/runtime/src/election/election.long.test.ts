import { test } from 'vitest';
import {
  partitionedLeader,
  pausedLeader,
  skewedClocks,
  slowApi,
  withSeed,
} from './scenarios.test.support.ts';
import { seeds } from './simulation.test.support.ts';

test('L1 with 10 000 seeds', async () => {
  for (const seed of seeds(10_000)) await withSeed(seed, partitionedLeader);
});

test('L2 with 10 000 seeds', async () => {
  for (const seed of seeds(10_000)) await withSeed(seed, pausedLeader);
});

test('L3 with 10 000 seeds', async () => {
  for (const seed of seeds(10_000)) await withSeed(seed, skewedClocks);
});

test('L4 with 200 seeds', async () => {
  for (const seed of seeds(200)) await withSeed(seed, slowApi);
});
