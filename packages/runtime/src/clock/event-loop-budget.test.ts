import { describe, expect, test } from 'vitest';
import type { Clock } from './clock.ts';
import { EventLoopBudget } from './event-loop-budget.ts';

/** Only work advances time. */
class WorkClock implements Clock {
  #ms = 0;

  now(): number {
    return this.#ms;
  }

  monotonic(): number {
    return this.#ms;
  }

  work(ms: number): void {
    this.#ms += ms;
  }

  setTimeout(): never {
    throw new Error('nobody sets timers here');
  }
}

/** Each worker asks before each piece of work; resolves with the longest turn of the event loop. */
async function longestTurn(pieces: readonly (readonly number[])[]): Promise<number> {
  const clock = new WorkClock();
  clock.work(1_000);
  let turnBegan = clock.monotonic();
  let longest = 0;
  let isOver = false;
  const onTurn = (): void => {
    longest = Math.max(longest, clock.monotonic() - turnBegan);
    turnBegan = clock.monotonic();
    if (!isOver) setImmediate(onTurn);
  };
  setImmediate(onTurn);
  const worker = async (own: readonly number[]): Promise<void> => {
    const loopBudget = new EventLoopBudget(clock);
    for (const ms of own) {
      const pause = loopBudget.pause();
      if (pause) await pause;
      clock.work(ms);
    }
  };
  await Promise.all(pieces.map(worker));
  isOver = true;
  onTurn();
  return longest;
}

describe('EventLoopBudget', () => {
  test('gives the event loop a turn every eight milliseconds', async () => {
    expect(await longestTurn([Array.from({ length: 50 }, () => 2)])).toBe(8);
  });

  test('counts the work of all together, of whom each has a little', async () => {
    expect(await longestTurn(Array.from({ length: 20 }, () => [5]))).toBe(10);
  });

  test('counts the work of all together, of whom each has a lot', async () => {
    expect(await longestTurn(Array.from({ length: 12 }, () => [3, 3, 3, 3, 3, 3]))).toBe(9);
  });

  test('adds one piece at most to a turn', async () => {
    expect(await longestTurn(Array.from({ length: 10 }, () => [7, 30]))).toBeLessThanOrEqual(7 + 30);
  });

  test('lets those go on first who waited first', async () => {
    const clock = new WorkClock();
    const order: number[] = [];
    clock.work(8);
    await Promise.all(
      [0, 1, 2, 3].map(async (index) => {
        await new EventLoopBudget(clock).pause();
        order.push(index);
        clock.work(5);
      }),
    );
    expect(order).toEqual([0, 1, 2, 3]);
  });

  test('a group with one place in the queue takes turns with the others', async () => {
    const clock = new WorkClock();
    const loopBudget = new EventLoopBudget(clock);
    const order: string[] = [];
    clock.work(8);
    let rest = 3;
    const group = new Promise<void>((resolve) => {
      const step = (): void => {
        order.push('group');
        clock.work(5);
        rest -= 1;
        if (rest > 0) loopBudget.onNextTurn(step);
        else resolve();
      };
      loopBudget.onNextTurn(step);
    });
    const alone = async (name: string): Promise<void> => {
      await loopBudget.pause();
      order.push(name);
      clock.work(5);
    };
    await Promise.all([group, alone('a'), alone('b')]);
    expect(order).toEqual(['group', 'a', 'b', 'group', 'group']);
  });

  test('one that waits again and again gets one turn at a time', async () => {
    const clock = new WorkClock();
    const loopBudget = new EventLoopBudget(clock);
    const turns: number[] = [];
    let turn = 0;
    let next = setImmediate(function count() {
      turn += 1;
      next = setImmediate(count);
    });
    await new Promise<void>((resolve) => {
      const step = (): void => {
        turns.push(turn);
        if (turns.length < 4) loopBudget.onNextTurn(step);
        else resolve();
      };
      loopBudget.onNextTurn(step);
    });
    clearImmediate(next);
    expect(turns).toEqual([1, 2, 3, 4]);
  });

  test('nobody waits while no time passes', () => {
    const clock = new WorkClock();
    const loopBudget = new EventLoopBudget(clock);
    expect(loopBudget.pause()).toBeUndefined();
  });
});
