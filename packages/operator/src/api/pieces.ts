/** Work on many items, a few milliseconds at a time, so that reloads get the event loop. */
import { performance } from 'node:perf_hooks';

const PIECE_MS = 5;
/** Batch size for items so light that reading the clock would cost more than the item. */
const LIGHT = 250;

/**
 * For work that awaits promises which are already resolved: yields the event loop when the work has held it long
 * enough.
 */
export function pacer(): () => Promise<void> {
  let end = performance.now() + PIECE_MS;
  return async () => {
    if (performance.now() < end) return;
    await new Promise((resolve) => setImmediate(resolve));
    end = performance.now() + PIECE_MS;
  };
}

/**
 * Processes items until none is left, including items that are added meanwhile. A piece may exceed its time by one
 * item.
 */
export async function inPieces<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let end = performance.now() + PIECE_MS;
  for (const item of items) {
    work(item);
    if (performance.now() < end) continue;
    await new Promise((resolve) => setImmediate(resolve));
    end = performance.now() + PIECE_MS;
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
