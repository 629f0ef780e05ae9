import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { exponentialBackoff } from './backoff.ts';
import type { WorkQueueOptions } from './options.ts';
import { TokenBucket } from './token-bucket.ts';
import { WorkQueue } from './work-queue.ts';

function setUp(options: Omit<WorkQueueOptions, 'name' | 'clock'> = {}) {
  const clock = new VirtualClock();
  const queue = new WorkQueue({ name: 'test', clock, ...options });
  /** Runs the key until it failed, and returns its backoff. */
  const fail = (key: string, notBefore?: number): number => {
    expect(queue.tryGet()?.key).toBe(key);
    queue.add(key, notBefore === undefined ? { rateLimited: true } : { rateLimited: true, notBefore });
    queue.done(key);
    return [...queue.inspect()].find((each) => each.key === key)?.dueInMs ?? Number.NaN;
  };
  return { clock, queue, fail };
}

describe('backoff', () => {
  test('doubles from 5 ms to 1000 s', () => {
    const backoff = exponentialBackoff();
    expect([1, 2, 3, 4].map(backoff)).toEqual([5, 10, 20, 40]);
    expect(backoff(18)).toBe(655_360);
    expect(backoff(19)).toBe(1_000_000);
  });

  test('stays at its longest however many failures follow', () => {
    const backoff = exponentialBackoff({ baseMs: 1, maxMs: 60_000 });
    expect(backoff(17)).toBe(60_000);
    expect(backoff(5000)).toBe(60_000);
    expect(backoff(Number.MAX_SAFE_INTEGER)).toBe(60_000);
  });

  test('takes another base and factor', () => {
    const backoff = exponentialBackoff({ baseMs: 5000, factor: 1.5, maxMs: 12_000 });
    expect([1, 2, 3, 4].map(backoff)).toEqual([5000, 7500, 11_250, 12_000]);
  });

  test.each([{ baseMs: 0 }, { factor: 0.5 }, { baseMs: 10, maxMs: 5 }, { baseMs: Number.NaN }])(
    'refuses %j',
    (options) => {
      expect(() => exponentialBackoff(options)).toThrow(RangeError);
    },
  );
});

describe('failures of a key', () => {
  test('wait longer each time, until it is forgotten', async () => {
    const { clock, queue, fail } = setUp();
    queue.add('a');
    const waits: number[] = [];
    for (let round = 0; round < 4; round++) {
      const wait = fail('a');
      waits.push(wait);
      await clock.advance(wait);
    }
    expect(waits).toEqual([5, 10, 20, 40]);
    expect(queue.failures('a')).toBe(4);
    queue.forget('a');
    expect(queue.failures('a')).toBe(0);
    expect(fail('a')).toBe(5);
  });

  test('do not slow down other keys', async () => {
    const { clock, queue, fail } = setUp();
    queue.add('a');
    await clock.advance(fail('a'));
    await clock.advance(fail('a'));
    expect(fail('a')).toBe(20);
    queue.add('b');
    expect(fail('b')).toBe(5);
  });

  test('wait at least as long as the server asks', () => {
    const { queue, fail } = setUp();
    queue.add('a');
    expect(fail('a', 3000)).toBe(3000);
  });

  test('with a delay and a backoff, the shorter counts', async () => {
    const { clock, queue } = setUp({ backoff: () => 1000 });
    queue.add('short', { rateLimited: true, after: 10 });
    queue.add('long', { rateLimited: true, after: 5000 });
    await clock.advance(10);
    expect(queue.tryGet()?.key).toBe('short');
    await clock.advance(990);
    expect(queue.tryGet()?.key).toBe('long');
  });
});

describe('a flood of events', () => {
  test('neither uses up the budget of a failing key nor postpones its retry', async () => {
    const { clock, queue, fail } = setUp({ backoff: () => 60_000 });
    queue.add('a');
    fail('a');
    const retryAt = clock.monotonic() + 60_000;
    for (let event = 0; event < 50; event++) {
      await clock.advance(1000);
      queue.add('a');
      expect(clock.monotonic() + fail('a')).toBe(retryAt);
    }
    expect(queue.failures('a')).toBe(1);
    await clock.advance(retryAt - clock.monotonic());
    fail('a');
    expect(queue.failures('a')).toBe(2);
  });

  test('counts again once the retry is as good as due', async () => {
    const { clock, queue, fail } = setUp({ backoff: () => 60_000 });
    queue.add('a');
    fail('a');
    await clock.advance(55_000);
    queue.add('a');
    expect(fail('a')).toBe(60_000);
    expect(queue.failures('a')).toBe(2);
  });

  test('a success in between cancels the retry', async () => {
    const { clock, queue, fail } = setUp({ backoff: () => 60_000 });
    queue.add('a');
    fail('a');
    queue.add('a');
    queue.tryGet();
    queue.forget('a');
    queue.done('a');
    await clock.advance(120_000);
    expect(queue.tryGet()).toBeUndefined();
  });
});

describe('overall limit', () => {
  test('lets a burst through at once and then a steady rate', async () => {
    const clock = new VirtualClock();
    const bucket = new TokenBucket(clock, { perSecond: 10, burst: 3 });
    expect(Array.from({ length: 5 }, () => bucket.reserve())).toEqual([0, 0, 0, 100, 200]);
    await clock.advance(1000);
    expect(bucket.reserve()).toBe(0);
  });

  test('never saves up more than its burst', async () => {
    const clock = new VirtualClock();
    const bucket = new TokenBucket(clock, { perSecond: 10, burst: 2 });
    await clock.advance(3_600_000);
    expect(Array.from({ length: 3 }, () => bucket.reserve())).toEqual([0, 0, 100]);
  });

  test.each([
    { perSecond: 0, burst: 1 },
    { perSecond: 1, burst: 0 },
  ])('refuses %j', (options) => {
    expect(() => new TokenBucket(new VirtualClock(), options)).toThrow(RangeError);
  });

  test('the longer of both limits counts for a failing key', () => {
    const { queue, fail } = setUp({ backoff: () => 50, overallLimit: { perSecond: 10, burst: 1 } });
    for (const key of ['a', 'b', 'c']) queue.add(key);
    expect([fail('a'), fail('b'), fail('c')]).toEqual([50, 100, 200]);
  });

  test('does not touch plain additions', () => {
    const { queue } = setUp({ overallLimit: { perSecond: 1, burst: 1 } });
    for (let index = 0; index < 10; index++) queue.add(`key-${index}`);
    expect(queue.length).toBe(10);
  });
});
