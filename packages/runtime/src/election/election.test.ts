import { expect, test } from 'vitest';
import {
  partitionedLeader,
  pausedLeader,
  skewedClocks,
  slowApi,
  withSeed,
} from './scenarios.test.support.ts';
import { overlaps, seeds } from './simulation.test.support.ts';

test('L1: a leader cut off for up to 60 s never writes together with its successor, who comes in time', async () => {
  for (const seed of seeds(150)) await withSeed(seed, partitionedLeader);
});

test('L2: a leader that stood still writes nothing when it wakes up late, and ends', async () => {
  for (const seed of seeds(60)) await withSeed(seed, pausedLeader);
});

test('L3: clocks may differ by half without two leaders writing at once', async () => {
  for (const seed of seeds(100)) await withSeed(seed, skewedClocks);
});

test('L4: an API server that takes 9 s costs nobody the lease', async () => {
  for (const seed of seeds(6)) await withSeed(seed, slowApi);
});

test('the check of histories finds a late write of an older epoch', () => {
  const write = (epoch: number, sentAt: number, appliedAt: number) => ({
    replica: 'x',
    epoch,
    sentAt,
    appliedAt,
  });
  expect(overlaps([write(1, 0, 5), write(2, 6, 7)])).toEqual([]);
  expect(overlaps([write(1, 0, 8), write(2, 6, 7)])).toHaveLength(1);
});
