import { expect, test } from 'vitest';
import { forEachSeed } from '../testing/random.ts';
import { partitionedLeader, pausedLeader, skewedClocks, slowApi } from './scenarios.test.support.ts';
import { overlaps } from './simulation.test.support.ts';

/** For busy machines; it takes a few seconds. */
const PATIENCE_MS = 120_000;

test(
  'L1: a leader cut off for up to 60 s never writes together with its successor, which leads in time',
  async () => {
    await forEachSeed({ count: 150 }, partitionedLeader);
  },
  PATIENCE_MS,
);

test(
  'L2: a paused leader writes nothing when it resumes late, and ends',
  async () => {
    await forEachSeed({ count: 60 }, pausedLeader);
  },
  PATIENCE_MS,
);

test(
  'L3: clocks may differ by half without two leaders writing at once',
  async () => {
    await forEachSeed({ count: 100 }, skewedClocks);
  },
  PATIENCE_MS,
);

test(
  'L4: an API server that takes 9 s does not cost the leader its lease',
  async () => {
    await forEachSeed({ count: 6 }, slowApi);
  },
  PATIENCE_MS,
);

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
