/** Work on many items, a few milliseconds at a time: the event loop belongs to reloads. */
import { performance } from 'node:perf_hooks';

const PIECE_MS = 5;
/** Items so light that a look at the clock would cost more are taken so many at a time. */
const LIGHT = 250;

/** For work that awaits answers which are there already: lets others have the event loop when it has had it long enough. */
export function pacer(): () => Promise<void> {
  let end = performance.now() + PIECE_MS;
  return async () => {
    if (performance.now() < end) return;
    await new Promise((resolve) => setImmediate(resolve));
    end = performance.now() + PIECE_MS;
  };
}

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

/** For items that take less than a microsecond or two. They are those of now, whatever becomes of the list meanwhile. */
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
