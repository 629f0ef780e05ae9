import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { sleep } from '../clock/clock.ts';
import { VirtualClock } from '../clock/virtual-clock.ts';
import type { ObjectKey } from '../objects/types.ts';
import { keyString } from '../objects/types.ts';
import { FakeInformer } from '../testing/fake-informer.ts';
import { forEachSeed } from '../testing/random.ts';
import { createController } from './controller.ts';
import { type CachedWidget, createSignals, startController, Widget, widget } from './harness.test.support.ts';
import { type KindKey, kindKeys, objectKeys } from './keys.ts';
import type { ReconcileContext } from './reconciler.ts';
import { channel, forKind, watches } from './sources.ts';

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

  test('lets the event loop go on while it works through many keys for which there is nothing to do', async () => {
    const virtual = new VirtualClock();
    let time = 0;
    const clock = {
      now: () => time,
      // A millisecond passes whenever somebody looks.
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

describe('the context', () => {
  test('has an id that every log line of the run carries, and no other run has', async () => {
    const ids: string[] = [];
    const { widgets, clock, log } = await startController({
      reconcile: (_request, context) => {
        ids.push(context.reconcileID);
        context.logger.info('working');
      },
    });
    widgets.set(widget('ns/a'));
    await clock.settle();
    widgets.set(widget('ns/a', '2'));
    await clock.settle();
    expect(new Set(ids).size).toBe(2);
    for (const message of ['Reconcile started', 'working', 'Reconcile completed']) {
      const lines = log.entries.filter((entry) => entry.message === message);
      expect(lines.map(({ values }) => values.reconcileID)).toEqual(ids);
      expect(lines[0]?.values).toMatchObject({ controller: 'widget', object: 'ns/a' });
    }
  });

  test('the last line of a run tells duration and result', async () => {
    const { widgets, clock, log } = await startController({
      reconcile: async () => {
        await sleep(clock, 25);
        return { requeueAfterMs: 600_000 };
      },
    });
    widgets.set(widget('ns/a'));
    await clock.advance(25);
    const line = log.entries.find(({ message }) => message === 'Reconcile completed');
    expect(line?.level).toBe('debug');
    expect(line?.values).toMatchObject({ durationMs: 25, result: 'requeue_after', requeueAfterMs: 600_000 });
  });

  test('tells what caused the run, in words', async () => {
    const reasons: string[] = [];
    const { widgets, clock, controller } = await startController({
      reconcile: (_request, { reason }) => {
        reasons.push(reason);
        return reasons.length === 2 ? { requeueAfterMs: 10 } : undefined;
      },
    });
    widgets.set(widget('ns/a'));
    await clock.settle();
    widgets.set(widget('ns/a', '2'));
    await clock.advance(10);
    controller.enqueue({ namespace: 'ns', name: 'a' });
    await clock.settle();
    expect(reasons).toEqual([
      'add of Widget ns/a',
      'update of Widget ns/a',
      'requeue_after of result of the run before',
      'enqueue of widget',
    ]);
  });

  test('superseded aborts when an event for the same key comes in, and says which', async () => {
    const seen: unknown[] = [];
    const { widgets, clock } = await startController({
      reconcile: async (_request, { superseded }) => {
        await sleep(clock, 60_000, superseded).catch((reason) => seen.push(reason));
      },
      timeoutMs: 0,
    });
    widgets.set(widget('ns/a'));
    await clock.advance(1000);
    widgets.set(widget('ns/b'));
    await clock.advance(1000);
    expect(seen).toEqual([]);
    widgets.set(widget('ns/a', '2'));
    await clock.settle();
    expect(seen).toHaveLength(1);
    expect(String(seen[0])).toContain('update of Widget ns/a');
  });

  test('superseded is aborted from the start for whoever looks late', async () => {
    let late: AbortSignal | undefined;
    const { widgets, clock } = await startController({
      reconcile: async (_request, context) => {
        await sleep(clock, 100);
        late ??= context.superseded;
      },
    });
    widgets.set(widget('ns/a'));
    await clock.advance(50);
    widgets.set(widget('ns/a', '2'));
    await clock.advance(50);
    expect(late?.aborted).toBe(true);
  });

  test('a resync supersedes nothing', async () => {
    let superseded = false;
    const { widgets, clock } = await startController({
      reconcile: async (_request, context) => {
        context.superseded.addEventListener('abort', () => {
          superseded = true;
        });
        await sleep(clock, 100);
      },
    });
    widgets.set(widget('ns/a'));
    await clock.advance(50);
    widgets.resync();
    await clock.advance(50);
    expect(superseded).toBe(false);
  });

  test('any number of requests may listen to its signals without a warning', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on('warning', onWarning);
    const { widgets, clock } = await startController({
      reconcile: async (_request, { signal, superseded }) => {
        const many = Array.from({ length: 30 }, () => [
          sleep(clock, 10, signal),
          sleep(clock, 10, superseded),
        ]);
        await Promise.all(many.flat());
      },
    });
    widgets.set(widget('ns/a'));
    await clock.advance(10);
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  test('carries the clock, and counts attempts', async () => {
    const attempts: number[] = [];
    const contexts: ReconcileContext[] = [];
    const { widgets, clock } = await startController({
      reconcile: (_request, context) => {
        contexts.push(context);
        attempts.push(context.attempt);
        if (attempts.length < 3) throw new Error('not yet');
      },
    });
    widgets.set(widget('ns/a'));
    await clock.advance(1000);
    widgets.set(widget('ns/a', '2'));
    await clock.settle();
    expect(attempts).toEqual([1, 2, 3, 1]);
    expect(contexts[0]?.clock).toBe(clock);
  });
});

describe('the hook before a run', () => {
  test('is waited for, with the request and the signal of the run', async () => {
    const order: string[] = [];
    const { widgets, clock } = await startController({
      beforeReconcile: async ({ name }, signal) => {
        order.push(`before ${name} ${signal.aborted}`);
        await sleep(clock, 100, signal);
      },
      reconcile: ({ name }) => void order.push(`run ${name}`),
    });
    widgets.set(widget('ns/a'));
    await clock.advance(99);
    expect(order).toEqual(['before a false']);
    await clock.advance(1);
    expect(order).toEqual(['before a false', 'run a']);
  });

  test('keeps the reconciler from running when it fails, and is retried like a failure', async () => {
    let failures = 2;
    let runs = 0;
    const { widgets, clock, value } = await startController({
      beforeReconcile: async () => {
        if (failures-- > 0) throw new Error('cache is behind');
      },
      reconcile: () => void runs++,
    });
    widgets.set(widget('ns/a'));
    await clock.advance(1000);
    expect(runs).toBe(1);
    expect(value('reconcile_errors_total')).toBe(2);
  });
});

describe('starting', () => {
  test('no run before every source has delivered', async () => {
    const others = new FakeInformer<CachedWidget>(Widget);
    const seen: string[] = [];
    const widgets = new FakeInformer<CachedWidget>(Widget);
    const { clock } = await startController({
      sources: [forKind(widgets), watches(others, () => [])],
      reconcile: ({ name }) => void seen.push(name),
    });
    widgets.set(widget('ns/a'));
    widgets.sync();
    await clock.advance(60_000);
    expect(seen).toEqual([]);
    others.sync();
    await clock.settle();
    expect(seen).toEqual(['a']);
  });

  test('no run before the handlers have caught up with an informer that is in sync', async () => {
    const seen: string[] = [];
    const widgets = new FakeInformer<CachedWidget>(Widget);
    widgets.sync();
    let caughtUp = false;
    const behind = {
      name: 'behind',
      informer: widgets,
      attach: () => ({
        get synced() {
          return caughtUp;
        },
        remove: () => undefined,
      }),
    };
    const { clock, controller } = await startController({
      sources: [behind],
      reconcile: ({ name }) => void seen.push(name),
    });
    controller.enqueue({ namespace: 'ns', name: 'a' });
    await clock.advance(1000);
    expect(seen).toEqual([]);
    caughtUp = true;
    await clock.advance(50);
    expect(seen).toEqual(['a']);
  });

  test.each([
    [
      { phase: 'forbidden' as const, error: new Error('widgets is forbidden') },
      /forbidden: grant list and watch/,
    ],
    [{ phase: 'missing' as const, error: new Error('not found') }, /install its CustomResourceDefinition/],
    [{ phase: 'backing-off' as const, error: new Error('ECONNREFUSED') }, /failing: ECONNREFUSED/],
    [{ phase: 'stopped' as const }, /not running: add it to the manager/],
    [{ phase: 'listing' as const }, /widgets\.example\.com is listing$/],
  ])('gives up after two minutes and says which informer is %j', async (state, message) => {
    const { clock, widgets, ended } = await startController({}, { synced: false });
    widgets.report({ state });
    await clock.advance(119_999);
    widgets.report({ state });
    await clock.advance(1);
    await expect(ended).rejects.toThrow(message);
    await expect(ended).rejects.toThrow(
      /Controller "widget" did not start: not in sync within 120 s: widgets.example.com/,
    );
    expect(widgets.handlerCount).toBe(0);
  });

  test('a stop while it waits ends it without an error', async () => {
    const { clock, signals, ended } = await startController({}, { synced: false });
    signals.stop();
    await ended;
    expect(clock.pendingTimers).toBe(0);
  });

  test('warming up fills the queue without a single run; starting then takes no time', async () => {
    const seen: string[] = [];
    const widgets = new FakeInformer<CachedWidget>(Widget);
    const controller = createController({
      name: 'warm',
      sources: [forKind(widgets)],
      reconcile: ({ name }) => void seen.push(name),
    });
    const signals = createSignals();
    widgets.set(widget('ns/a'));
    widgets.sync();
    await controller.warmup?.(signals);
    widgets.set(widget('ns/b'));
    expect(controller.inspect().map(({ key, state }) => [key, state])).toEqual([
      ['ns/a', 'ready'],
      ['ns/b', 'ready'],
    ]);
    expect(seen).toEqual([]);
    expect(widgets.handlerCount).toBe(1);
    const ended = controller.start(signals);
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen).toEqual(['b', 'a']);
    expect(widgets.handlerCount).toBe(1);
    signals.stop();
    await ended;
  });

  test('without warm-up there is nothing for the manager to call', () => {
    const options = { name: 'cold', sources: [], reconcile: () => undefined };
    expect(createController({ ...options, warmup: false }).warmup).toBeUndefined();
    expect(createController(options).needsLeaderElection).toBe(true);
    expect(createController({ ...options, needsLeaderElection: false }).needsLeaderElection).toBe(false);
  });
});

describe('stopping', () => {
  test('runs in hand finish with their signal untouched, and none begins', async () => {
    const began: string[] = [];
    const finished: string[] = [];
    const { widgets, clock, signals, ended } = await startController({
      concurrency: 2,
      reconcile: async ({ name }, { signal }) => {
        began.push(name);
        await sleep(clock, 5000, signal);
        finished.push(name);
      },
    });
    for (const name of ['a', 'b', 'c']) widgets.set(widget(`ns/${name}`));
    await clock.advance(1000);
    signals.stop();
    await clock.advance(4000);
    await ended;
    expect(began).toEqual(['a', 'b']);
    expect(finished).toEqual(['a', 'b']);
  });

  test('abort cancels what runs, quietly: it is neither an error nor a failure of the object', async () => {
    const { widgets, clock, signals, ended, log, value } = await startController({
      reconcile: async (_request, { signal }) => {
        await sleep(clock, 60_000, signal);
      },
    });
    widgets.set(widget('ns/a'));
    await clock.settle();
    signals.stop();
    signals.abortNow();
    await ended;
    expect(log.messages('error')).toEqual([]);
    expect(log.messages('warn')).toEqual([]);
    expect(log.messages('info')).toContain('Reconcile was interrupted because the program stops');
    expect(value('reconcile_errors_total')).toBe(0);
  });

  test('leaves no timer, no handler and no listener', async () => {
    const { widgets, clock, signals, ended } = await startController({
      reconcile: () => ({ requeueAfterMs: 5000 }),
    });
    widgets.set(widget('ns/a'));
    await clock.settle();
    // One of the controller itself, one of the informer; none for each wait or run.
    expect(getEventListeners(signals.stopping, 'abort')).toHaveLength(2);
    expect(getEventListeners(signals.abort, 'abort')).toHaveLength(1);
    signals.stop();
    await ended;
    expect(clock.pendingTimers).toBe(0);
    expect(widgets.handlerCount).toBe(0);
    expect(getEventListeners(signals.stopping, 'abort')).toEqual([]);
    expect(getEventListeners(signals.abort, 'abort')).toEqual([]);
  });
});

describe('sources at run time', () => {
  test('can be added and taken away', async () => {
    const seen: string[] = [];
    const { controller, clock } = await startController({ reconcile: ({ name }) => void seen.push(name) });
    const more = new FakeInformer<CachedWidget>(Widget);
    more.set(widget('ns/first'));
    const takeAway = controller.addSource(forKind(more));
    await clock.settle();
    expect(controller.informers).toContain(more);
    takeAway();
    more.set(widget('ns/second'));
    await clock.settle();
    expect(seen).toEqual(['first']);
    expect(more.handlerCount).toBe(0);
    expect(controller.informers).not.toContain(more);
  });

  test('requests can come from outside, at once or later', async () => {
    const seen: string[] = [];
    const { controller, clock } = await startController({ reconcile: ({ name }) => void seen.push(name) });
    controller.enqueue({ namespace: 'ns', name: 'later' }, { afterMs: 100 });
    controller.enqueue({ namespace: 'ns', name: 'low' }, { priority: -1 });
    controller.enqueue({ namespace: 'ns', name: 'now' });
    await clock.advance(99);
    expect(seen).toEqual(['now', 'low']);
    await clock.advance(1);
    expect(seen).toEqual(['now', 'low', 'later']);
  });
});

describe('kinds', () => {
  test('one queue can hold several kinds, because the kind is part of the key', async () => {
    const seen: KindKey[] = [];
    const trigger = channel<KindKey>('outside');
    const controller = createController<KindKey>({
      name: 'kinds',
      keys: kindKeys,
      sources: [trigger],
      reconcile: (request) => void seen.push(request),
    });
    const signals = createSignals();
    const ended = controller.start(signals);
    trigger.trigger({ kind: 'Deployment', namespace: 'ns', name: 'same' });
    trigger.trigger({ kind: 'DaemonSet', namespace: 'ns', name: 'same' });
    trigger.trigger({ kind: 'Node', name: 'same' });
    await new Promise((resolve) => setImmediate(resolve));
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
