/** Work on many items, a few milliseconds at a time: the event loop belongs to reloads. */
import { performance } from 'node:perf_hooks';

const PIECE_MS = 5;

/** Takes items until there is none left, also those that join meanwhile. Never longer at a time than one item takes. */
export async function inPieces<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let end = performance.now() + PIECE_MS;
  for (const item of items) {
    work(item);
    if (performance.now() < end) continue;
    await new Promise((resolve) => setImmediate(resolve));
    end = performance.now() + PIECE_MS;
  }
}
