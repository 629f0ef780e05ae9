import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { tidyMemoryOnceReady } from './tidy-memory.ts';

describe('memory is tidied', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  test('once, a while after the caches are in sync', async () => {
    const ready = vi.fn(async () => true);
    ready.mockResolvedValueOnce(false).mockRejectedValueOnce(new Error('no server yet'));
    const tidy = vi.fn();
    tidyMemoryOnceReady(ready, tidy);
    await vi.advanceTimersByTimeAsync(7_999);
    expect(tidy).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(tidy).toHaveBeenCalledTimes(1);
  });

  test.for([0, 1_500, 5_500])('not after it was called off, %d ms after the start', async (ms) => {
    const tidy = vi.fn();
    const callOff = tidyMemoryOnceReady(async () => true, tidy);
    await vi.advanceTimersByTimeAsync(ms);
    callOff();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(tidy).not.toHaveBeenCalled();
  });

  test('by the engine itself, which stays as usable as it was', async () => {
    tidyMemoryOnceReady(async () => true);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(JSON.parse('{"a":1}')).toEqual({ a: 1 });
  });
});
