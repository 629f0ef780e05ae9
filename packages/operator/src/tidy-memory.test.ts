import { Manager } from '@reloader/runtime';
import { VirtualClock } from '@reloader/runtime/testing';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { tidyMemory } from './tidy-memory.ts';

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

  test('by the engine itself, which stays as usable as it was', async () => {
    const started = tidyMemory(clock).start({ stopping: stop.signal, abort: stop.signal });
    await clock.advance(5_000);
    await started;
    expect(JSON.parse('{"a":1}')).toEqual({ a: 1 });
  });
});
