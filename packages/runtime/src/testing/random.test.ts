import { describe, expect, test, vi } from 'vitest';
import { createRandom, forEachSeed } from './random.ts';

describe('random numbers', () => {
  test('repeat for the same seed, and differ for another', () => {
    const draw = (seed: number): number[] => {
      const random = createRandom(seed);
      return Array.from({ length: 10 }, () => random.next());
    };
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
  });

  test('are the same on every machine', () => {
    const random = createRandom(42);
    expect(Array.from({ length: 5 }, () => random.int(1000))).toEqual([601, 448, 852, 669, 174]);
  });

  test('are spread evenly', () => {
    const random = createRandom(1);
    const drawn = Array.from({ length: 100_000 }, () => random.int(10));
    for (let digit = 0; digit < 10; digit++) {
      const share = drawn.filter((each) => each === digit).length / drawn.length;
      expect(share).toBeGreaterThan(0.095);
      expect(share).toBeLessThan(0.105);
    }
  });

  test('come as chances, picks and waiting times too', () => {
    const random = createRandom(3);
    const chances = Array.from({ length: 10_000 }, () => random.chance(0.2)).filter(Boolean).length;
    expect(chances / 10_000).toBeCloseTo(0.2, 1);
    const waits = Array.from({ length: 10_000 }, () => random.exponential(5));
    expect(waits.reduce((sum, each) => sum + each, 0) / waits.length).toBeCloseTo(5, 0);
    expect(['a', 'b']).toContain(random.pick(['a', 'b']));
    expect(() => random.pick([])).toThrow(/empty/);
  });

  test('refuse a seed that is not an integer', () => {
    expect(() => createRandom(0.5)).toThrow(RangeError);
    expect(() => createRandom(Number.NaN)).toThrow(RangeError);
  });
});

describe('forEachSeed', () => {
  test('runs every seed in order', async () => {
    const seeds: number[] = [];
    await forEachSeed({ count: 3, first: 5 }, (random) => void seeds.push(random.seed));
    expect(seeds).toEqual([5, 6, 7]);
  });

  test('names the seed that failed', async () => {
    const run = forEachSeed({ count: 3 }, (random) => {
      if (random.seed === 2) throw new Error('broken');
    });
    await expect(run).rejects.toThrow('With seed 2 (repeat with SEED=2): broken');
  });

  test('runs the seeds after a failure where it is told of each', async () => {
    const told: string[] = [];
    const onFailure = ({ message }: Error): void => void told.push(message);
    const run = forEachSeed({ count: 4, onFailure }, (random) => {
      if (random.seed % 2 === 0) throw new Error('broken');
    });
    await expect(run).rejects.toThrow('2 of 4 seeds failed: 2, 4');
    expect(told).toEqual([2, 4].map((seed) => `With seed ${seed} (repeat with SEED=${seed}): broken`));
  });

  test('runs only the seed of the environment', async () => {
    vi.stubEnv('SEED', '99');
    const seeds: number[] = [];
    await forEachSeed({ count: 3 }, (random) => void seeds.push(random.seed));
    expect(seeds).toEqual([99]);
  });
});
