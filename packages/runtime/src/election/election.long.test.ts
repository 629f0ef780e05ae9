import { test } from 'vitest';
import { forEachSeed } from '../testing/random.ts';
import { partitionedLeader, pausedLeader, skewedClocks, slowApi } from './scenarios.test.support.ts';

test('L1 with 10 000 seeds', async () => {
  await forEachSeed({ count: 10_000 }, partitionedLeader);
});

test('L2 with 10 000 seeds', async () => {
  await forEachSeed({ count: 10_000 }, pausedLeader);
});

test('L3 with 10 000 seeds', async () => {
  await forEachSeed({ count: 10_000 }, skewedClocks);
});

test('L4 with 200 seeds', async () => {
  await forEachSeed({ count: 200 }, slowApi);
});
