import { describe, expect, test } from 'vitest';
import { sleep } from './clock.ts';
import { VirtualClock } from './virtual-clock.ts';

describe('the virtual clock', () => {
  test('stands still until it is moved', async () => {
    const clock = new VirtualClock({ start: 1000 });
    expect([clock.now(), clock.monotonic()]).toEqual([1000, 0]);
    await clock.advance(250);
    expect([clock.now(), clock.monotonic()]).toEqual([1250, 250]);
  });

  test('calls timers by their time, then by their creation, each at its own moment', async () => {
    const clock = new VirtualClock();
    const seen: string[] = [];
    const note = (name: string) => () => void seen.push(`${name}@${clock.monotonic()}`);
    clock.setTimeout(note('late'), 30);
    clock.setTimeout(note('first'), 10);
    clock.setTimeout(note('second'), 10);
    await clock.advance(29);
    expect(seen).toEqual(['first@10', 'second@10']);
    await clock.advance(1);
    expect(seen).toEqual(['first@10', 'second@10', 'late@30']);
  });

  test('runs what a timer causes before the next timer', async () => {
    const clock = new VirtualClock();
    const seen: string[] = [];
    const chain = async (name: string, ms: number): Promise<void> => {
      await sleep(clock, ms);
      seen.push(`${name} wakes`);
      await Promise.resolve();
      await new Promise<void>((resolve) => setImmediate(resolve));
      seen.push(`${name} ends`);
    };
    void chain('a', 10);
    void chain('b', 11);
    await clock.advance(20);
    expect(seen).toEqual(['a wakes', 'a ends', 'b wakes', 'b ends']);
  });

  test('also calls timers that were set on the way', async () => {
    const clock = new VirtualClock();
    let rounds = 0;
    const again = (): void => {
      rounds++;
      clock.setTimeout(again, 10);
    };
    clock.setTimeout(again, 10);
    await clock.advance(100);
    expect(rounds).toBe(10);
  });

  test('runUntil stops at the moment the state is reached and says how long it took', async () => {
    const clock = new VirtualClock();
    let count = 0;
    const again = (): void => {
      count++;
      clock.setTimeout(again, 7);
    };
    clock.setTimeout(again, 7);
    expect(await clock.runUntil(() => count === 3)).toBe(21);
    expect(clock.monotonic()).toBe(21);
  });

  test('runUntil explains why a state was not reached', async () => {
    const clock = new VirtualClock();
    await expect(clock.runUntil(() => false)).rejects.toThrow('no timer is left');
    clock.setTimeout(() => undefined, 100);
    await expect(clock.runUntil(() => false, 50)).rejects.toThrow('50 virtual ms have passed');
  });

  test('a jump calls what was missed late, as after a pause of the process', async () => {
    const clock = new VirtualClock();
    const seen: number[] = [];
    clock.setTimeout(() => void seen.push(clock.monotonic()), 10);
    clock.setTimeout(() => void seen.push(clock.monotonic()), 20);
    await clock.jump(1000);
    expect(seen).toEqual([1000, 1000]);
  });

  test('counts and cancels waiting timers', async () => {
    const clock = new VirtualClock();
    const timer = clock.setTimeout(() => {
      throw new Error('was cancelled');
    }, 10);
    expect(clock.pendingTimers).toBe(1);
    timer.cancel();
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(20);
  });

  test('shows other machines another rate and wall time', async () => {
    const clock = new VirtualClock({ start: 0 });
    const fast = clock.skewed({ rate: 1.5, offsetMs: 1000 });
    let woke = false;
    fast.setTimeout(() => {
      woke = true;
    }, 150);
    await clock.advance(99);
    expect(woke).toBe(false);
    await clock.advance(1);
    expect(woke).toBe(true);
    expect([fast.now(), fast.monotonic()]).toEqual([1150, 150]);
  });
});
