import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allowedAt, clockAfter, parseRate, type RateLimit } from './rate.ts';

const HOUR = 3_600_000;
const START = 1_800_000_000_000;

/** Counts the reloads of a workload that reloads whenever it is allowed to, for `forMs`. */
function reloads(rate: RateLimit, forMs: number): number {
  let clock: number | undefined;
  let count = 0;
  for (let now = START; now < START + forMs; now = Math.max(now, allowedAt(rate, clock, now))) {
    if (allowedAt(rate, clock, now) > now) continue;
    clock = clockAfter(rate, clock, now);
    count += 1;
  }
  return count;
}

describe('a rate', () => {
  it('is so many an hour / so many at once, or none', () => {
    expect(parseRate('60/60')).toEqual({ perHour: 60, burst: 60 });
    expect(parseRate(' 6/20 ')).toEqual({ perHour: 6, burst: 20 });
    expect(parseRate('0')).toBe('off');
  });

  it.each(['', '6', '6/', '/20', '0/5', '5/0', '-1/2', '1.5/2', '6 per hour', '9999/1', '00000/1'])(
    'is not %j',
    (text) => {
      expect(parseRate(text)).toBeUndefined();
    },
  );

  it('allows a burst, and then one after the other', () => {
    const rate = { perHour: 6, burst: 20 };
    expect(reloads(rate, 1000)).toBe(20);
    expect(reloads(rate, HOUR)).toBe(20 + 5);
    expect(reloads(rate, 24 * HOUR)).toBeLessThanOrEqual(164);
    expect(reloads({ perHour: 60, burst: 60 }, 24 * HOUR)).toBeLessThanOrEqual(1500);
  });

  it('never waits longer than one burst takes, even after a clock jump', () => {
    const rate = { perHour: 6, burst: 2 };
    expect(allowedAt(rate, START + 1000 * HOUR, START)).toBeLessThanOrEqual(START + HOUR / 6);
    expect(allowedAt(rate, START - HOUR, START)).toBeLessThanOrEqual(START);
  });

  it('never allows more than burst and rate in any time', () => {
    const rates = fc.record({
      perHour: fc.integer({ min: 1, max: 3600 }),
      burst: fc.integer({ min: 1, max: 100 }),
    });
    fc.assert(
      fc.property(rates, fc.integer({ min: 1, max: 3 * HOUR }), (rate, forMs) => {
        expect(reloads(rate, forMs)).toBeLessThanOrEqual(
          rate.burst + Math.ceil((forMs * rate.perHour) / HOUR),
        );
      }),
      { numRuns: 30 },
    );
  });
});
