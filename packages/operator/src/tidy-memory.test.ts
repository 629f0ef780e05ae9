import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { Manager } from '@reloader/runtime';
import { VirtualClock } from '@reloader/runtime/testing';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { collectInSteps, collectWhenIdle, tidyMemory } from './tidy-memory.ts';

describe('memory is tidied', () => {
  let clock: VirtualClock;
  let stop: AbortController;
  beforeEach(() => {
    clock = new VirtualClock();
    stop = new AbortController();
  });

  test('once, a while after the caches are in sync', async () => {
    const tidy = vi.fn();
    let inSync = (): void => undefined;
    const synced = new Promise<void>((resolve) => {
      inSync = resolve;
    });
    const untilStopped = (signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
    const caches = {
      name: 'caches',
      stage: 'caches',
      start: ({ stopping }: { stopping: AbortSignal }) => untilStopped(stopping),
      ready: () => synced,
    } as const;
    const manager = new Manager({ clock });
    manager.add(caches, tidyMemory(clock, tidy));
    const running = manager.run(stop.signal);
    await clock.advance(60_000);
    expect(tidy).not.toHaveBeenCalled();
    inSync();
    await clock.advance(4_999);
    expect(tidy).not.toHaveBeenCalled();
    await clock.advance(60_000);
    expect(tidy).toHaveBeenCalledTimes(1);
    stop.abort();
    await running;
  });

  test('not once the program stops', async () => {
    const tidy = vi.fn();
    const started = tidyMemory(clock, tidy).start({ stopping: stop.signal, abort: stop.signal });
    stop.abort();
    await started;
    await clock.advance(60_000);
    expect(tidy).not.toHaveBeenCalled();
  });

  test('a few times, and only while the event loop is idle', async () => {
    let idle = false;
    const collect = vi.fn();
    const tidy = collectWhenIdle({ clock, collect, isIdle: () => idle });
    tidy();
    await clock.advance(60_000);
    expect(collect).not.toHaveBeenCalled();
    idle = true;
    await clock.advance(2_000);
    expect(collect).toHaveBeenCalledTimes(1);
    idle = false;
    await clock.advance(60_000);
    expect(collect).toHaveBeenCalledTimes(1);
    idle = true;
    await clock.advance(60_000);
    expect(collect).toHaveBeenCalledTimes(3);
  });

  test('from the beginning if there is more to tidy meanwhile, but not twice at once', async () => {
    const collect = vi.fn();
    const tidy = collectWhenIdle({ clock, collect, isIdle: () => true });
    tidy();
    await clock.advance(2_000);
    tidy();
    await clock.advance(1_999);
    expect(collect).toHaveBeenCalledTimes(1);
    await clock.advance(60_000);
    expect(collect).toHaveBeenCalledTimes(4);
    tidy();
    await clock.advance(60_000);
    expect(collect).toHaveBeenCalledTimes(7);
  });

  test('by a collection that V8 makes in steps, not by one that it is forced to', async () => {
    const forced: PerformanceEntry[] = [];
    const observer = new PerformanceObserver((list) => {
      forced.push(...list.getEntries().filter(isForced));
    });
    observer.observe({ entryTypes: ['gc'] });
    let tidied = (): void => undefined;
    const collected = new Promise<void>((resolve) => {
      tidied = resolve;
    });
    const registry = new FinalizationRegistry(() => tidied());
    let old: object | undefined = { name: 'old' };
    registry.register(old, undefined);
    // It survives a few collections of the young generation, so that only a whole one finds it.
    for (let garbage = 0; garbage < 200; garbage++) Array.from({ length: 20_000 }, (_, at) => ({ at }));
    await new Promise((resolve) => setImmediate(resolve));
    old = undefined;
    collectInSteps();
    await collected;
    observer.disconnect();
    expect(forced).toEqual([]);
  });
});

function isForced(entry: PerformanceEntry): boolean {
  const { detail } = entry as PerformanceEntry & { readonly detail?: { readonly flags?: number } };
  return ((detail?.flags ?? 0) & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0;
}
