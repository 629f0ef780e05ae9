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

/** Takes and finishes every ready key, in order. */
function takeAll(queue: WorkQueue): string[] {
  const keys: string[] = [];
  for (let item = queue.tryGet(); item; item = queue.tryGet()) {
    keys.push(item.key);
    queue.done(item.key);
  }
  return keys;
}

describe('one worker per key', () => {
  test('a key added twice is handed out once', () => {
    const { queue } = setUp();
    queue.add('a');
    queue.add('a');
    expect(queue.length).toBe(1);
    expect(takeAll(queue)).toEqual(['a']);
  });

  test('a key in hand is not handed out again before it is done', () => {
    const { queue } = setUp();
    queue.add('a');
    expect(queue.tryGet()?.key).toBe('a');
    queue.add('a');
    expect(queue.length).toBe(0);
    expect(queue.tryGet()).toBeUndefined();
    queue.done('a');
    expect(queue.tryGet()?.key).toBe('a');
  });

  test('however often it is added while in hand, it is handed out once more', () => {
    const { queue } = setUp();
    queue.add('a');
    queue.tryGet();
    queue.add('a');
    queue.add('a');
    queue.add('a', { after: 10 });
    queue.done('a');
    expect(takeAll(queue)).toEqual(['a']);
  });

  test('a key that was not added while in hand is gone when it is done', () => {
    const { queue } = setUp();
    queue.add('a');
    queue.tryGet();
    queue.done('a');
    expect(queue.tryGet()).toBeUndefined();
    expect([...queue.inspect()]).toEqual([]);
  });

  test('done for a key that is not in hand changes nothing', () => {
    const { queue } = setUp();
    queue.add('a');
    queue.done('a');
    queue.done('unknown');
    expect(queue.processing).toBe(0);
    expect(takeAll(queue)).toEqual(['a']);
  });

  test('keys are served in the order in which they came', () => {
    const { queue } = setUp();
    for (const key of ['c', 'a', 'b']) queue.add(key);
    expect(takeAll(queue)).toEqual(['c', 'a', 'b']);
  });

  test('a key put back goes behind those that wait', () => {
    const { queue } = setUp();
    queue.add('a');
    queue.add('b');
    queue.tryGet();
    queue.add('a');
    queue.done('a');
    expect(takeAll(queue)).toEqual(['b', 'a']);
  });

  test('the length counts what can be taken, neither what waits for its time nor what is in hand', () => {
    const { queue } = setUp();
    queue.add('a');
    queue.add('b');
    queue.add('later', { after: 10 });
    expect(queue.length).toBe(2);
    queue.tryGet();
    queue.add('a');
    expect(queue.length).toBe(1);
    expect(queue.processing).toBe(1);
  });
});

describe('waiting for a key', () => {
  test('get resolves as soon as one is added', async () => {
    const { queue } = setUp();
    const waiting = queue.get();
    queue.add('a');
    expect(await waiting).toMatchObject({ key: 'a', priority: 0 });
  });

  test('the first waiter is served first', async () => {
    const { queue } = setUp();
    const waiting = [queue.get(), queue.get()];
    queue.add('a');
    queue.add('b');
    expect((await Promise.all(waiting)).map((item) => item?.key)).toEqual(['a', 'b']);
  });

  test('a later waiter in the same turn does not overtake', async () => {
    const { queue } = setUp();
    const first = queue.get();
    queue.add('a');
    const second = queue.get();
    queue.add('b');
    expect((await first)?.key).toBe('a');
    expect((await second)?.key).toBe('b');
  });

  test('of what is added in one turn the most important is served first', async () => {
    const { queue } = setUp();
    const waiting = queue.get();
    queue.add('low', { priority: -1 });
    queue.add('high', { priority: 1 });
    expect((await waiting)?.key).toBe('high');
  });

  test('get gives up when its signal aborts, and takes no key with it', async () => {
    const { queue } = setUp();
    const abort = new AbortController();
    const waiting = queue.get(abort.signal);
    abort.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    queue.add('a');
    expect((await queue.get())?.key).toBe('a');
    await expect(queue.get(abort.signal)).rejects.toThrow('enough');
  });

  test('get leaves no listener on its signal', async () => {
    const { queue } = setUp();
    const { signal } = new AbortController();
    const waiting = queue.get(signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    queue.add('a');
    await waiting;
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

describe('priorities', () => {
  test('the higher goes first, equals in the order of coming', () => {
    const { queue } = setUp();
    queue.add('low', { priority: -5 });
    queue.add('one');
    queue.add('high', { priority: 5 });
    queue.add('two');
    expect(takeAll(queue)).toEqual(['high', 'one', 'two', 'low']);
  });

  test('of two priorities for one key the higher counts, whichever came first', () => {
    const { queue } = setUp();
    queue.add('a', { priority: -100 });
    queue.add('b', { priority: -50 });
    queue.add('a', { priority: 0 });
    queue.add('a', { priority: -100 });
    expect(queue.tryGet()).toMatchObject({ key: 'a', priority: 0 });
  });

  test('a key that is raised goes behind those that already have the priority', () => {
    const { queue } = setUp();
    queue.add('raised', { priority: -100 });
    queue.add('first');
    queue.add('raised');
    queue.add('second');
    expect(takeAll(queue)).toEqual(['first', 'raised', 'second']);
  });

  test.each([
    [-100, 7],
    [7, -100],
  ])(
    'a delayed key keeps the higher of the priorities %i and %i, and the earlier time',
    async (one, other) => {
      const { clock, queue } = setUp();
      queue.add('a', { after: 10, priority: one });
      queue.add('a', { after: 50, priority: other });
      await clock.advance(10);
      expect(queue.tryGet()).toMatchObject({ key: 'a', priority: 7 });
    },
  );

  test('the priority of one run is not inherited by the next', () => {
    const { queue } = setUp();
    queue.add('a', { priority: 9 });
    queue.tryGet();
    queue.add('a', { priority: -100 });
    queue.done('a');
    expect(queue.tryGet()).toMatchObject({ key: 'a', priority: -100 });
  });

  test.each([Number.NaN, 0.5, Infinity])('refuses the priority %s', (priority) => {
    const { queue } = setUp();
    expect(() => queue.add('a', { priority })).toThrow(/not an integer/);
    expect([...queue.inspect()]).toEqual([]);
  });
});

describe('namespaces', () => {
  test('take turns within a priority, and keep their own order', () => {
    const { queue } = setUp();
    for (const key of ['a/1', 'a/2', 'a/3', 'b/1', 'c/1', 'c/2']) queue.add(key);
    expect(takeAll(queue)).toEqual(['a/1', 'b/1', 'c/1', 'a/2', 'c/2', 'a/3']);
  });

  test('are read from the key as told', () => {
    const { queue } = setUp({ namespaceOf: (key) => key.split('/')[1] ?? '' });
    for (const key of ['Deployment/a/1', 'Deployment/a/2', 'DaemonSet/b/1']) queue.add(key);
    expect(takeAll(queue)).toEqual(['Deployment/a/1', 'DaemonSet/b/1', 'Deployment/a/2']);
  });
});

describe('reasons', () => {
  test('the latest is handed out with the key, and belongs to that run only', () => {
    const { queue } = setUp();
    queue.add('a', { reason: 'first' });
    queue.add('a', { reason: 'second' });
    queue.add('a');
    expect(queue.tryGet()?.reason).toBe('second');
    queue.add('a');
    queue.done('a');
    expect(queue.tryGet()?.reason).toBeUndefined();
  });

  test('a delay does not hide the event that came before it', () => {
    const { queue } = setUp();
    queue.add('a', { reason: 'event' });
    queue.add('a', { reason: 'delay', after: 10 });
    expect(queue.tryGet()?.reason).toBe('event');
    queue.add('a', { reason: 'delay', after: 10 });
    queue.add('a', { reason: 'event' });
    queue.done('a');
    expect(queue.tryGet()?.reason).toBe('event');
  });
});

describe('inspection', () => {
  test('tells state, time, priority and failures of every key', async () => {
    const { clock, queue } = setUp();
    queue.add('hand');
    queue.tryGet();
    queue.add('later', { rateLimited: true, notBefore: 500, priority: 3, reason: 'why' });
    queue.add('ready');
    await clock.advance(100);
    const nothing = { priority: 0, reason: undefined, dueInMs: undefined, runningMs: undefined, failures: 0 };
    expect([...queue.inspect()]).toEqual([
      { ...nothing, key: 'hand', state: 'processing', runningMs: 100 },
      { ...nothing, key: 'later', state: 'waiting', priority: 3, reason: 'why', dueInMs: 400, failures: 1 },
      { ...nothing, key: 'ready', state: 'ready', dueInMs: 0 },
    ]);
  });
});
