import { describe, expect, test } from 'vitest';
import { sleep } from '../clock/clock.ts';
import { VirtualClock } from '../clock/virtual-clock.ts';
import type { ObjectKey } from '../model/types.ts';
import { keyString } from '../model/types.ts';
import { forEachSeed } from '../testing/random.ts';
import { createController } from './controller.ts';
import { createSignals, startController, widget } from './harness.test.support.ts';
import { type KindKey, kindKeys, objectKeys } from './keys.ts';
import { channel } from './sources.ts';

describe('the loop', () => {
  test('calls the reconciler with the key of each object, and only with that', async () => {
    const seen: ObjectKey[] = [];
    const { widgets, clock } = await startController({ reconcile: (request) => void seen.push(request) });
    widgets.set(widget('ns/a'));
    widgets.set(widget('ns/b'));
    await clock.settle();
    expect(seen).toEqual([
      { namespace: 'ns', name: 'a' },
      { namespace: 'ns', name: 'b' },
    ]);
  });

  test('calls it for a deletion too, so that it can see that the object is gone', async () => {
    const seen: boolean[] = [];
    const { widgets, clock } = await startController({
      reconcile: (request) => void seen.push(widgets.store.get(request) === undefined),
    });
    widgets.set(widget('ns/a'));
    await clock.settle();
    widgets.remove({ namespace: 'ns', name: 'a' });
    await clock.settle();
    expect(seen).toEqual([false, true]);
  });

  test('many events for one key during a run cause one more run', async () => {
    let runs = 0;
    const { widgets, clock } = await startController({
      reconcile: async () => {
        runs++;
        await sleep(clock, 100);
      },
    });
    widgets.set(widget('ns/a', '1'));
    await clock.advance(50);
    for (let version = 2; version < 20; version++) widgets.set(widget('ns/a', String(version)));
    await clock.advance(1000);
    expect(runs).toBe(2);
  });

  test.each([1, 3])('with a concurrency of %i, that many run at once', async (concurrency) => {
    let running = 0;
    let most = 0;
    const { widgets, clock } = await startController({
      concurrency,
      reconcile: async () => {
        most = Math.max(most, ++running);
        await sleep(clock, 10);
        running--;
      },
    });
    for (let index = 0; index < 10; index++) widgets.set(widget(`ns/${index}`));
    await clock.advance(1000);
    expect(most).toBe(concurrency);
  });

  test('never two runs for one key, whatever happens when, and every change is seen (20 seeds)', async () => {
    await forEachSeed({ count: 20 }, async (random) => {
      const running = new Set<string>();
      const together: string[] = [];
      const reconciled = new Map<string, string>();
      const { widgets, clock, signals, ended } = await startController({
        concurrency: 5,
        reconcile: async (request) => {
          const key = keyString(request);
          if (running.has(key)) together.push(key);
          running.add(key);
          const version = widgets.store.get(request)?.metadata.resourceVersion ?? 'gone';
          await sleep(clock, random.int(50));
          running.delete(key);
          if (random.chance(0.2)) throw new Error('once in a while');
          reconciled.set(key, version);
          return random.chance(0.2) ? { requeueAfterMs: random.int(30) } : undefined;
        },
      });
      for (let version = 1; version <= 200; version++) {
        const name = `n-${random.int(4)}/${random.int(5)}`;
        if (random.chance(0.2)) widgets.remove(widget(name).metadata);
        else widgets.set(widget(name, String(version)));
        await clock.advance(random.int(10));
      }
      await clock.advance(1_000);
      signals.stop();
      await clock.runUntil(() => running.size === 0);
      await ended;
      expect(together).toEqual([]);
      for (const [key, version] of reconciled) {
        const stored = widgets.store.get(objectKeys.decode(key));
        expect([key, version]).toEqual([key, stored?.metadata.resourceVersion ?? 'gone']);
      }
    });
  });

  test('keeps the event loop responsive while it processes many no-op keys', async () => {
    const virtual = new VirtualClock();
    let time = 0;
    const clock = {
      now: () => time,
      // Every look at the clock advances it by a millisecond.
      monotonic: () => time++,
      setTimeout: (callback: () => void, ms: number) => virtual.setTimeout(callback, ms),
    };
    let runs = 0;
    const { controller } = await startController({ clock, reconcile: async () => void runs++ });
    for (let index = 0; index < 1000; index++) controller.enqueue({ namespace: 'ns', name: String(index) });
    const turns: number[] = [];
    while (runs < 1000) {
      await new Promise((resolve) => setImmediate(resolve));
      turns.push(runs);
    }
    expect(turns.length).toBeGreaterThan(100);
  });

  test('refuses a concurrency below one, and a second start', async () => {
    const options = { name: 'x', sources: [], reconcile: () => undefined };
    expect(() => createController({ ...options, concurrency: 0 })).toThrow(/at least 1/);
    const { controller, signals } = await startController();
    await expect(controller.start(signals)).rejects.toThrow(/started before/);
  });
});

describe('kinds', () => {
  test('one queue can hold several kinds, because the kind is part of the key', async () => {
    const seen: KindKey[] = [];
    const trigger = channel<KindKey>('outside');
    const clock = new VirtualClock();
    const controller = createController<KindKey>({
      name: 'kinds',
      clock,
      keys: kindKeys,
      sources: [trigger],
      reconcile: (request) => void seen.push(request),
    });
    const signals = createSignals();
    const ended = controller.start(signals);
    trigger.trigger({ kind: 'Deployment', namespace: 'ns', name: 'same' });
    trigger.trigger({ kind: 'DaemonSet', namespace: 'ns', name: 'same' });
    trigger.trigger({ kind: 'Node', name: 'same' });
    await clock.settle();
    signals.stop();
    await ended;
    expect(seen).toEqual(
      expect.arrayContaining([
        { kind: 'Deployment', namespace: 'ns', name: 'same' },
        { kind: 'DaemonSet', namespace: 'ns', name: 'same' },
        { kind: 'Node', name: 'same' },
      ]),
    );
    expect(seen).toHaveLength(3);
  });

  test('controllers of different kinds have queues of their own: one that is stuck does not hold up another', async () => {
    const stuck = await startController({ reconcile: () => new Promise(() => undefined) });
    let runs = 0;
    const free = await startController({ reconcile: () => void runs++ });
    stuck.widgets.set(widget('ns/a'));
    free.widgets.set(widget('ns/a'));
    await stuck.clock.settle();
    await free.clock.settle();
    expect(stuck.controller.inspect()[0]?.state).toBe('processing');
    expect(runs).toBe(1);
  });

  test.each([
    [{ kind: 'Deployment', namespace: 'a', name: 'b' }, 'Deployment/a/b', 'a'],
    [{ kind: 'Node', name: 'b' }, 'Node//b', ''],
  ])('%j is written as %s', (request, key, namespace) => {
    expect(kindKeys.encode(request)).toBe(key);
    expect(kindKeys.decode(key)).toEqual(request);
    expect(kindKeys.namespaceOf(key)).toBe(namespace);
  });

  test.each([
    [{ namespace: 'a', name: 'b' }, 'a/b', 'a'],
    [{ name: 'b' }, 'b', ''],
  ])('%j is written as %s', (request, key, namespace) => {
    expect(objectKeys.encode(request)).toBe(key);
    expect(objectKeys.decode(key)).toEqual(request);
    expect(objectKeys.namespaceOf(key)).toBe(namespace);
  });
});

describe('many expensive keys of one namespace', () => {
  test('a key of another namespace that comes meanwhile waits for one of them, not for all that workers could take', async () => {
    const virtual = new VirtualClock();
    let time = 0;
    const clock = {
      now: () => time,
      monotonic: () => time,
      setTimeout: (callback: () => void, ms: number) => virtual.setTimeout(callback, ms),
    };
    const order: string[] = [];
    const { controller } = await startController({
      clock,
      concurrency: 64,
      // Each takes longer than a turn of the event loop may.
      reconcile: async ({ namespace = '', name }) => {
        order.push(`${namespace}/${name}`);
        time += 20;
        if (order.length === 3) controller.enqueue({ namespace: 'neighbour', name: 'web' });
      },
    });
    for (let index = 0; index < 100; index++) controller.enqueue({ namespace: 'busy', name: String(index) });
    while (order.length < 101) await new Promise((resolve) => setImmediate(resolve));
    expect(order.indexOf('neighbour/web')).toBeLessThanOrEqual(4);
  });
});
