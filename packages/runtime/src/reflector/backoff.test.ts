import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { Backoff } from './backoff.ts';

const atLeast = (clock: VirtualClock, random = 0): Backoff => new Backoff(clock, () => random);

describe('Backoff', () => {
  it('doubles from 800 ms up to 30 s', () => {
    const backoff = atLeast(new VirtualClock());
    expect(Array.from({ length: 8 }, () => backoff.next())).toEqual([
      800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000,
    ]);
  });

  it('stretches a delay by up to its own length', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (random) => {
        const delay = new Backoff(new VirtualClock(), () => random).next();
        expect(delay).toBeGreaterThanOrEqual(800);
        expect(delay).toBeLessThanOrEqual(1600);
      }),
    );
  });

  it('starts anew after two minutes without a failure', async () => {
    const clock = new VirtualClock();
    const backoff = atLeast(clock);
    backoff.next();
    const second = backoff.next();
    await clock.advance(second + 119_999);
    expect(backoff.next()).toBe(3200);
    await clock.advance(3200 + 120_000);
    expect(backoff.next()).toBe(800);
  });

  it('does not count the wait itself as time without a failure', async () => {
    const clock = new VirtualClock();
    const backoff = atLeast(clock);
    await clock.advance(backoff.next(200_000));
    expect(backoff.next()).toBe(1600);
  });

  it('never waits less than the server asks, and little more', () => {
    const backoff = new Backoff(new VirtualClock(), () => 0.5);
    expect(backoff.next(5000)).toBe(5250);
  });

  it('keeps growing under a short Retry-After', () => {
    const backoff = atLeast(new VirtualClock());
    const delays = Array.from({ length: 6 }, () => backoff.next(5000));
    expect(delays).toEqual([5000, 5000, 5000, 6400, 12_800, 25_600]);
  });

  it('limits a Retry-After of a day', () => {
    expect(atLeast(new VirtualClock()).next(86_400_000)).toBe(300_000);
  });

  it('stays finite however many failures there are', () => {
    const backoff = new Backoff(new VirtualClock(), () => 0.999);
    let last = 0;
    for (let failure = 0; failure < 5000; failure++) last = backoff.next();
    expect(last).toBeLessThan(60_000);
  });
});
