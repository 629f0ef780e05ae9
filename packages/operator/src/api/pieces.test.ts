import { performance } from 'node:perf_hooks';
import { afterEach, expect, test, vi } from 'vitest';
import { inLightPieces, inPieces } from './pieces.ts';

afterEach(() => vi.restoreAllMocks());

/** Every look at the clock is a millisecond later. */
function slow(): void {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now++);
}

/** How often other tasks had the event loop meanwhile. */
async function turnsWhile(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let next = setImmediate(function turn() {
    turns += 1;
    next = setImmediate(turn);
  });
  await work;
  clearImmediate(next);
  return turns;
}

test('other tasks get the event loop every five milliseconds', async () => {
  slow();
  const done: number[] = [];
  const turns = await turnsWhile(
    inPieces(
      Array.from({ length: 20 }, (_, at) => at),
      (item) => done.push(item),
    ),
  );
  expect(done).toEqual(Array.from({ length: 20 }, (_, at) => at));
  // The last piece ends with the work.
  expect(turns).toBe(3);
});

test('items that are added meanwhile are processed, too', async () => {
  slow();
  const items = new Set([1, 2, 3]);
  const done: number[] = [];
  await inPieces(items, (item) => {
    done.push(item);
    if (item < 10) items.add(item + 3);
  });
  expect(done).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
});

test('light items are those at the start, each processed once, with pauses for other tasks', async () => {
  slow();
  const items = Array.from({ length: 10_001 }, (_, at) => at);
  const done: number[] = [];
  const turns = await turnsWhile(
    inLightPieces(items, (item) => {
      done.push(item);
      if (item === 0) items.length = 5;
    }),
  );
  expect(done).toHaveLength(10_001);
  expect(done.at(-1)).toBe(10_000);
  expect(turns).toBe(7);
});
