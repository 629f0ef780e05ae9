import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../clock/virtual-clock.ts';
import type { WorkQueueOptions } from './options.ts';
import { WorkQueue } from './work-queue.ts';

function setUp(options: Omit<WorkQueueOptions, 'name' | 'clock'> = {}) {
  const clock = new VirtualClock();
  const queue = new WorkQueue({ name: 'test', clock, ...options });
  return { clock, queue };
}

/** Takes and finishes every ready key, in order. */
function takeAll(queue: WorkQueue): string[] {
  const keys: string[] = [];
  for (let item = queue.tryGet(); item; item = queue.tryGet()) {
    keys.push(item.key);
    queue.done(item.key);
  }
  return keys;
}

describe('delays', () => {
  test('a delayed key is ready when its time has come, not before', async () => {
    const { clock, queue } = setUp();
    queue.add('a', { after: 50 });
    await clock.advance(49);
    expect(queue.length).toBe(0);
    await clock.advance(1);
    expect(takeAll(queue)).toEqual(['a']);
  });

  test('delayed keys come in the order of their times', async () => {
    const { clock, queue } = setUp();
    queue.add('third', { after: 30 });
    queue.add('first', { after: 10 });
    queue.add('second', { after: 20 });
    await clock.advance(30);
    expect(takeAll(queue)).toEqual(['first', 'second', 'third']);
  });

  test.each([
    [50, 10],
    [10, 50],
  ])('of two delays for one key (%i, %i) the shorter counts, and only once', async (first, second) => {
    const { clock, queue } = setUp();
    queue.add('a', { after: first });
    queue.add('a', { after: second });
    await clock.advance(10);
    expect(takeAll(queue)).toEqual(['a']);
    await clock.advance(100);
    expect(takeAll(queue)).toEqual([]);
  });

  test('an addition without delay wins over a delay that is running', async () => {
    const { clock, queue } = setUp();
    queue.add('a', { after: 1000 });
    queue.add('a');
    expect(takeAll(queue)).toEqual(['a']);
    await clock.advance(2000);
    expect(takeAll(queue)).toEqual([]);
  });

  test('a delay asked for while the key is in hand counts from the asking', async () => {
    const { clock, queue } = setUp();
    queue.add('a');
    queue.tryGet();
    queue.add('a', { after: 100 });
    await clock.advance(60);
    queue.done('a');
    await clock.advance(39);
    expect(queue.length).toBe(0);
    await clock.advance(1);
    expect(queue.length).toBe(1);
  });

  test('a delay that ends while the key is in hand makes it ready when it is done', async () => {
    const { clock, queue } = setUp();
    queue.add('a');
    queue.tryGet();
    queue.add('a', { after: 10 });
    await clock.advance(20);
    expect(queue.length).toBe(0);
    queue.done('a');
    expect(queue.length).toBe(1);
  });

  test('one timer serves any number of delayed keys', async () => {
    const { clock, queue } = setUp();
    for (let index = 100; index > 0; index--) queue.add(`key-${index}`, { after: index });
    expect(clock.pendingTimers).toBe(1);
    await clock.advance(100);
    expect(queue.length).toBe(100);
    expect(clock.pendingTimers).toBe(0);
  });

  test.each([0, -5])('a delay of %i is none', (after) => {
    const { queue } = setUp();
    queue.add('a', { after });
    expect(queue.length).toBe(1);
  });

  test('a delay beyond what a Node timer can hold does not fire early', async () => {
    const { clock, queue } = setUp();
    const month = 31 * 24 * 3_600_000;
    queue.add('a', { after: month });
    await clock.advance(month - 1);
    expect(queue.length).toBe(0);
    await clock.advance(1);
    expect(queue.length).toBe(1);
  });

  test('a delay without end is cut to a year', async () => {
    const { clock, queue } = setUp();
    queue.add('a', { after: Infinity });
    await clock.advance(365 * 24 * 3_600_000);
    expect(queue.length).toBe(1);
  });

  test('a delay that is not a number is refused', () => {
    const { queue } = setUp();
    expect(() => queue.add('a', { after: Number.NaN })).toThrow(RangeError);
    expect(() => queue.add('a', { rateLimited: true, notBefore: Number.NaN })).toThrow(RangeError);
  });

  test('a timer that fires a little early, as those of Node do, is not set again', () => {
    let time = 0;
    const timers: (() => void)[] = [];
    const clock = {
      now: () => time,
      monotonic: () => time,
      setTimeout: (callback: () => void) => {
        timers.push(callback);
        return { cancel: () => undefined };
      },
    };
    const queue = new WorkQueue({ name: 'test', clock });
    queue.add('a', { after: 10 });
    time = 9.6;
    timers[0]?.();
    expect(queue.length).toBe(1);
    expect(timers).toHaveLength(1);
  });
});

describe('debounce', () => {
  const debounce = { quietMs: 100, maxWaitMs: 350 };

  test('a key is ready when nobody added it for the quiet period', async () => {
    const { clock, queue } = setUp({ debounce });
    queue.add('a');
    await clock.advance(60);
    queue.add('a');
    await clock.advance(99);
    expect(queue.length).toBe(0);
    await clock.advance(1);
    expect(takeAll(queue)).toEqual(['a']);
  });

  test('a key that never falls quiet is ready after the longest wait', async () => {
    const { clock, queue } = setUp({ debounce });
    let readyAt = 0;
    for (let time = 0; time < 1000 && readyAt === 0; time += 10) {
      queue.add('a');
      await clock.advance(10);
      if (queue.length > 0) readyAt = clock.monotonic();
    }
    expect(readyAt).toBe(350);
  });

  test('the longest wait counts anew for each run', async () => {
    const { clock, queue } = setUp({ debounce });
    queue.add('a');
    await clock.advance(100);
    takeAll(queue);
    await clock.advance(1000);
    queue.add('a');
    expect(queue.length).toBe(0);
    await clock.advance(100);
    expect(queue.length).toBe(1);
  });

  test('events while the key is in hand are debounced too', async () => {
    const { clock, queue } = setUp({ debounce });
    queue.add('a');
    await clock.advance(100);
    queue.tryGet();
    queue.add('a');
    queue.done('a');
    expect(queue.length).toBe(0);
    await clock.advance(100);
    expect(queue.length).toBe(1);
  });

  test('an explicit delay is not stretched by events', async () => {
    const { clock, queue } = setUp({ debounce });
    queue.add('a', { after: 50 });
    queue.add('a');
    await clock.advance(50);
    expect(queue.length).toBe(1);
  });

  test.each([
    { quietMs: -1, maxWaitMs: 5 },
    { quietMs: 10, maxWaitMs: 5 },
  ])('refuses %j', (wrong) => {
    expect(() => setUp({ debounce: wrong })).toThrow(/quietMs <= maxWaitMs/);
  });
});

describe('start limit', () => {
  test('what comes more often is delayed, and not dropped', async () => {
    const { clock, queue } = setUp({ startLimit: { count: 2, withinMs: 1000 } });
    const startedAt: number[] = [];
    const run = (): void => {
      for (const _key of takeAll(queue)) startedAt.push(clock.monotonic());
    };
    for (let time = 0; time < 3000; time += 100) {
      queue.add('a');
      run();
      await clock.advance(100);
      run();
    }
    expect(startedAt).toEqual([0, 100, 1000, 1100, 2000, 2100, 3000]);
  });

  test('other keys are not held up', () => {
    const { queue } = setUp({ startLimit: { count: 1, withinMs: 1000 } });
    queue.add('a');
    takeAll(queue);
    queue.add('a');
    queue.add('b');
    expect(takeAll(queue)).toEqual(['b']);
  });
});
