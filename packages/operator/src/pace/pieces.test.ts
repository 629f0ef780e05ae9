import { performance } from 'node:perf_hooks';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

let pieces: typeof import('./pieces.ts');
beforeEach(async () => {
  vi.resetModules();
  pieces = await import('./pieces.ts');
  // Every look at the clock is a millisecond later.
  let now = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => now++);
});
afterEach(() => vi.restoreAllMocks());

/** How much was done in each turn of the event loop until the work ended. */
async function byTurn(work: Promise<unknown>, done: () => number): Promise<number[]> {
  const counts: number[] = [];
  let before = done();
  const count = (): void => {
    counts.push(done() - before);
    before = done();
  };
  let next = setImmediate(function turn() {
    count();
    next = setImmediate(turn);
  });
  await work;
  clearImmediate(next);
  count();
  return counts.filter((each) => each > 0);
}

const twenty = Array.from({ length: 20 }, (_, at) => at);

test('other tasks get the event loop every five milliseconds', async () => {
  const done: number[] = [];
  const counts = await byTurn(
    pieces.inPieces(twenty, (item) => done.push(item)),
    () => done.length,
  );
  expect(done).toEqual(twenty);
  expect(Math.max(...counts)).toBe(5);
});

test('many at once take one piece in each turn together, and each of them gets turns', async () => {
  const done: string[] = [];
  const work = async (name: string): Promise<void> => {
    for (const _ of twenty) {
      const full = pieces.pause();
      if (full) await full;
      done.push(name);
    }
  };
  const counts = await byTurn(Promise.all(['a', 'b', 'c', 'd'].map(work)), () => done.length);
  expect(done).toHaveLength(80);
  expect(Math.max(...counts)).toBeLessThanOrEqual(5);
  expect(new Set(done.slice(0, 20))).toEqual(new Set(['a', 'b', 'c', 'd']));
});

test('those that were waiting for the same answer do not all start in the turn in which it comes', async () => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  let done = 0;
  let resolve = (): void => undefined;
  const answer = new Promise<void>((settle) => {
    resolve = settle;
  });
  const work = async (): Promise<void> => {
    await answer;
    const full = pieces.pause();
    if (full) await full;
    now += 20;
    done += 1;
  };
  const all = Promise.all(twenty.map(work));
  const counts = byTurn(all, () => done);
  await pieces.inPieces([0], () => resolve());
  expect(await counts).toEqual(twenty.map(() => 1));
});

test('no turn holds a piece beside the work of a controller', async () => {
  let now = performance.now() + 20;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const done: string[] = [];
  const runtime = await import('@reloader/runtime');
  const loopBudget = new runtime.EventLoopBudget(runtime.systemClock);
  const reconcile = async (): Promise<void> => {
    for (const _ of twenty) {
      const full = loopBudget.pause();
      if (full) await full;
      done.push('reconcile');
      now += 20;
    }
  };
  const answer = pieces.inPieces(twenty, () => {
    done.push('answer');
    now += 20;
  });
  const counts = await byTurn(Promise.all([answer, reconcile()]), () => done.length);
  expect(counts).toEqual(Array.from({ length: 40 }, () => 1));
  expect(done.slice(0, 10).filter((each) => each === 'reconcile')).toHaveLength(5);
});

test('items that are added meanwhile are processed, too', async () => {
  const items = new Set([1, 2, 3]);
  const done: number[] = [];
  await pieces.inPieces(items, (item) => {
    done.push(item);
    if (item < 10) items.add(item + 3);
  });
  expect(done).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
});

test('light items are those at the start, each processed once, with pauses for other tasks', async () => {
  const items = Array.from({ length: 10_001 }, (_, at) => at);
  const done: number[] = [];
  const counts = await byTurn(
    pieces.inLightPieces(items, (item) => {
      done.push(item);
      if (item === 0) items.length = 5;
    }),
    () => done.length,
  );
  expect(done).toHaveLength(10_001);
  expect(done.at(-1)).toBe(10_000);
  expect(Math.max(...counts)).toBe(5 * 250);
});
