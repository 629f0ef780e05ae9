import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { sleep } from '../clock/clock.ts';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { FakeInformer } from '../testing/fake-informer.ts';
import { createController } from './controller.ts';
import { type CachedWidget, createSignals, startController, Widget, widget } from './harness.test.support.ts';
import { forKind, watches } from './sources.ts';

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
    const clock = new VirtualClock();
    const controller = createController({
      name: 'warm',
      clock,
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
    await clock.settle();
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
  test('running reconciles finish without an abort, and none starts', async () => {
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

  test('abort cancels running reconciles, which counts neither as an error nor as a failure', async () => {
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
    // One of the controller itself, one of the informer; none per wait or run.
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
