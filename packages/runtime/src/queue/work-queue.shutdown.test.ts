import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../clock/virtual-clock.ts';
import type { WorkQueueOptions } from './options.ts';
import { WorkQueue } from './work-queue.ts';

function setUp(options: Omit<WorkQueueOptions, 'name' | 'clock'> = {}) {
  const clock = new VirtualClock();
  const queue = new WorkQueue({ name: 'test', clock, ...options });
  return { clock, queue };
}

function track(promise: Promise<unknown>): { readonly state: string } {
  const tracked = { state: 'pending' };
  promise.then(
    () => {
      tracked.state = 'resolved';
    },
    () => {
      tracked.state = 'rejected';
    },
  );
  return tracked;
}

describe('shutdown', () => {
  test('resolves waiting workers with undefined', async () => {
    const { queue } = setUp();
    const waiting = [queue.get(), queue.get()];
    queue.shutdown();
    expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
    expect(await queue.get()).toBeUndefined();
    expect(queue.isShutDown).toBe(true);
  });

  test('hands out nothing more and takes nothing more', () => {
    const { queue } = setUp();
    queue.add('a');
    queue.shutdown();
    queue.add('b');
    expect(queue.tryGet()).toBeUndefined();
    expect(queue.length).toBe(0);
    expect([...queue.inspect()]).toEqual([]);
  });

  test('leaves no timer behind', () => {
    const { clock, queue } = setUp();
    queue.add('a', { after: 1000 });
    queue.shutdown();
    expect(clock.pendingTimers).toBe(0);
  });

  test('lets a key in hand finish, and does not hand it out again', () => {
    const { queue } = setUp();
    queue.add('a');
    queue.tryGet();
    queue.add('a');
    queue.shutdown();
    expect(queue.processing).toBe(1);
    queue.done('a');
    expect(queue.processing).toBe(0);
    expect(queue.tryGet()).toBeUndefined();
  });

  test('a second call has no effect', () => {
    const { queue } = setUp();
    queue.shutdown();
    expect(() => queue.shutdown()).not.toThrow();
  });
});

describe('shutdown with drain', () => {
  test('resolves at once when there is nothing to do', async () => {
    const { queue } = setUp();
    await queue.shutdownWithDrain();
    expect(await queue.get()).toBeUndefined();
  });

  test('hands out what is ready and resolves when all of it is done', async () => {
    const { clock, queue } = setUp();
    queue.add('a');
    queue.add('b');
    queue.tryGet();
    const drain = track(queue.shutdownWithDrain());
    queue.add('late');
    expect(queue.tryGet()?.key).toBe('b');
    const idle = track(queue.get());
    queue.done('a');
    await clock.settle();
    expect([drain.state, idle.state]).toEqual(['pending', 'pending']);
    queue.done('b');
    await clock.settle();
    expect([drain.state, idle.state]).toEqual(['resolved', 'resolved']);
  });

  test('a key that was added while in hand is worked on once more', async () => {
    const { queue } = setUp();
    queue.add('a');
    queue.tryGet();
    queue.add('a');
    const { signal } = new AbortController();
    const drained = queue.shutdownWithDrain(signal);
    queue.done('a');
    expect((await queue.get())?.key).toBe('a');
    queue.done('a');
    await drained;
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  test('what only waits for its time is dropped', async () => {
    const { clock, queue } = setUp();
    queue.add('later', { after: 1000 });
    queue.add('hand');
    queue.tryGet();
    queue.add('hand', { after: 1000 });
    const drained = queue.shutdownWithDrain();
    await clock.advance(2000);
    expect(queue.length).toBe(0);
    queue.done('hand');
    await drained;
    expect(clock.pendingTimers).toBe(0);
    expect([...queue.inspect()]).toEqual([]);
  });

  test('events that a debounce holds back are handed out', async () => {
    const { queue } = setUp({ debounce: { quietMs: 100, maxWaitMs: 1000 } });
    queue.add('a');
    const drained = queue.shutdownWithDrain();
    expect(queue.tryGet()?.key).toBe('a');
    queue.done('a');
    await drained;
  });

  test('is cut short by shutdown', async () => {
    const { queue } = setUp();
    queue.add('a');
    queue.add('b');
    queue.tryGet();
    const drained = queue.shutdownWithDrain();
    queue.shutdown();
    await drained;
    expect(queue.tryGet()).toBeUndefined();
  });

  test('ends at once when its signal aborts', async () => {
    const { queue } = setUp();
    queue.add('a');
    queue.add('b');
    queue.tryGet();
    const abort = new AbortController();
    const drained = queue.shutdownWithDrain(abort.signal);
    abort.abort(new Error('out of time'));
    await expect(drained).rejects.toThrow('out of time');
    expect(queue.tryGet()).toBeUndefined();
    await expect(queue.shutdownWithDrain(abort.signal)).rejects.toThrow('out of time');
  });
});
