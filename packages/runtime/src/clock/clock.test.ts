import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { sleep, systemClock } from './clock.ts';
import { VirtualClock } from './virtual-clock.ts';

describe('the system clock', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => {
    // In this order: restoring a spy on a faked timer later would reinstall the fake for every following file.
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  test('tells wall time and a time that only grows', () => {
    vi.setSystemTime(1_900_000_000_000);
    const before = systemClock.monotonic();
    expect(systemClock.now()).toBe(1_900_000_000_000);
    vi.advanceTimersByTime(250);
    expect(systemClock.monotonic() - before).toBe(250);
  });

  test('calls back once after the delay', () => {
    const callback = vi.fn();
    systemClock.setTimeout(callback, 100);
    vi.advanceTimersByTime(99);
    expect(callback).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1000);
    expect(callback).toHaveBeenCalledTimes(1);
  });

  test('does not call back after cancel, and cancelling late is harmless', () => {
    const callback = vi.fn();
    const timer = systemClock.setTimeout(callback, 100);
    timer.cancel();
    vi.advanceTimersByTime(1000);
    timer.cancel();
    expect(callback).not.toHaveBeenCalled();
  });

  test('never gives Node a delay beyond 31 bits, which would fire at once', () => {
    const spy = vi.spyOn(globalThis, 'setTimeout');
    const callback = vi.fn();
    const sixtyDays = 60 * 24 * 3_600_000;
    systemClock.setTimeout(callback, sixtyDays);
    vi.advanceTimersByTime(sixtyDays - 1);
    expect(callback).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(callback).toHaveBeenCalledTimes(1);
    expect(Math.max(...spy.mock.calls.map(([, ms]) => ms ?? 0))).toBeLessThan(2 ** 31);
  });

  test('a long wait can be cancelled after its first piece', () => {
    const callback = vi.fn();
    const month = 31 * 24 * 3_600_000;
    const timer = systemClock.setTimeout(callback, month);
    vi.advanceTimersByTime(month - 1000);
    timer.cancel();
    vi.advanceTimersByTime(month);
    expect(callback).not.toHaveBeenCalled();
  });

  test('a negative delay is none', () => {
    const callback = vi.fn();
    systemClock.setTimeout(callback, -5);
    vi.advanceTimersByTime(1);
    expect(callback).toHaveBeenCalledTimes(1);
  });
});

describe('sleep', () => {
  test('resolves after the delay and leaves no listener', async () => {
    const clock = new VirtualClock();
    const { signal } = new AbortController();
    let woke = false;
    const sleeping = sleep(clock, 100, signal).then(() => {
      woke = true;
    });
    await clock.advance(99);
    expect(woke).toBe(false);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await clock.advance(1);
    await sleeping;
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  test('rejects with the reason as soon as its signal aborts, and leaves no timer', async () => {
    const clock = new VirtualClock();
    const abort = new AbortController();
    const sleeping = sleep(clock, 100, abort.signal);
    abort.abort(new Error('enough'));
    await expect(sleeping).rejects.toThrow('enough');
    expect(clock.pendingTimers).toBe(0);
  });

  test('does not begin when its signal has aborted', async () => {
    const clock = new VirtualClock();
    await expect(sleep(clock, 100, AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
    expect(clock.pendingTimers).toBe(0);
  });
});
