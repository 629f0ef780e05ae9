import { expect, test } from 'vitest';
import { Storm } from './storm.ts';

/** Looks at the clock, and the virtual time that passed between the first and the last. */
async function timesIn(seed: number): Promise<number[]> {
  const storm = await Storm.begin({ seed });
  try {
    const first = performance.now();
    const looks = Array.from({ length: 20 }, () => performance.now() - first);
    await storm.quiet(60_000);
    return [...looks, performance.now() - first];
  } finally {
    await storm.end();
  }
}

test('the time that work in pieces takes is drawn from the seed, so that a seed repeats on every machine', async () => {
  const real = performance.now;
  const times = await timesIn(5);
  expect(await timesIn(5)).toEqual(times);
  expect(await timesIn(6)).not.toEqual(times);
  expect(times.at(-1)).toBeGreaterThanOrEqual(60_000);
  expect(performance.now).toBe(real);
});
