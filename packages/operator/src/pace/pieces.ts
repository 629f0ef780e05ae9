/**
 * Work on many items, a few milliseconds at a time, so that reloads get the event loop.
 *
 * Guarantees: all such work together takes one piece in each turn of the event loop, plus at most one item. Sixteen
 * questions with a piece each would block it for as long as one without pieces. All of it together waits in the queue
 * of the controllers and caches as one of them, so a turn never holds a piece beside a long reconciliation. Work resumes
 * in the order in which it paused, and new work waits for its first turn.
 */
import { performance } from 'node:perf_hooks';
import { EventLoopBudget, systemClock } from '@reloader/runtime';

const PIECE_MS = 5;
/** Batch size for items so light that reading the clock would cost more than the item. */
const LIGHT = 250;

/** When the piece of the present turn ends, on the monotonic clock. */
let pieceEnds = Number.NEGATIVE_INFINITY;
const paused: (() => void)[] = [];
const loopBudget = new EventLoopBudget(systemClock);

function isOver(): boolean {
  return performance.now() >= pieceEnds;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (paused.push(resolve) === 1) loopBudget.onNextTurn(resumeOne);
  });
}

function resumeOne(): void {
  pieceEnds = performance.now() + PIECE_MS;
  paused.shift()?.();
  if (paused.length > 0) loopBudget.onNextTurn(resumeOne);
}

/**
 * For work that awaits promises which are already resolved. Ask directly before each item: a promise to await if the
 * piece of this turn is used up, else undefined. Do not await undefined: many that ask at the same moment would then
 * all start in the same turn.
 */
export function pause(): Promise<void> | undefined {
  return isOver() ? nextTurn() : undefined;
}

/**
 * Processes items until none is left, including items that are added meanwhile. A piece may exceed its time by one
 * item.
 */
export async function inPieces<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  for (const item of items) {
    if (isOver()) await nextTurn();
    work(item);
  }
}

/** For items that take less than a microsecond or two. Works on a copy of the list, so later changes have no effect. */
export async function inLightPieces<T>(items: readonly T[], work: (item: T) => void): Promise<void> {
  const all = items.slice();
  await inPieces(starts(all.length), (start) => {
    const end = Math.min(all.length, start + LIGHT);
    for (let at = start; at < end; at++) work(all[at] as T);
  });
}

function* starts(length: number): Iterable<number> {
  for (let start = 0; start < length; start += LIGHT) yield start;
}
