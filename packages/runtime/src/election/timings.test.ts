import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEFAULT_TIMINGS, type ElectionTimings, nextAttempt, validateTimings } from './timings.ts';

test('the defaults are 15, 10 and 2 seconds and valid', () => {
  expect(DEFAULT_TIMINGS).toEqual({ leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 });
  expect(() => validateTimings(DEFAULT_TIMINGS)).not.toThrow();
});

test.each<[Partial<ElectionTimings>, string]>([
  [{ leaseDurationMs: 10_000 }, 'leaseDurationMs (10000) must be greater than renewDeadlineMs (10000)'],
  [{ leaseDurationMs: 0 }, 'leaseDurationMs must be a positive number of milliseconds, got 0'],
  [{ leaseDurationMs: 15_500 }, 'the Lease stores whole seconds'],
  [{ renewDeadlineMs: 0 }, 'renewDeadlineMs must be a positive number'],
  [{ renewDeadlineMs: 2_400 }, 'renewDeadlineMs (2400) must be greater than retryPeriodMs (2000) times 1.2'],
  [{ retryPeriodMs: -1 }, 'retryPeriodMs must be a positive number'],
  [{ retryPeriodMs: Number.NaN }, 'retryPeriodMs must be a positive number of milliseconds, got NaN'],
])('%j is refused with a message that names the field', (change, message) => {
  expect(() => validateTimings({ ...DEFAULT_TIMINGS, ...change })).toThrow(message);
});

test('the next attempt starts within one to two periods, and never later than a coming expiry', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 1e6, noNaN: true }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }), { nil: undefined }),
      (start, draw, expiry) => {
        const next = nextAttempt(2_000, start, expiry, start, () => draw);
        const coming = expiry !== undefined && expiry > start;
        expect(next).toBeLessThanOrEqual(start + 4_000);
        if (coming) expect(next).toBeLessThanOrEqual(expiry);
        else expect(next).toBeGreaterThanOrEqual(start + 2_000);
      },
    ),
  );
});
