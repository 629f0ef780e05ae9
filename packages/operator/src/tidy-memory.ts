/**
 * Returns the memory of finished work to the system. The first lists are garbage as soon as they are hashed, but an
 * idle V8 does not collect them, or does not return the pages.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Clock, type Runnable, sleep } from '@reloader/runtime';

type Collect = (options?: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

/** Earlier versions of V8 take any argument as a request to collect only the young generation. */
const TAKES_OPTIONS = Number.parseInt(process.versions.v8, 10) >= 12;
/** By then the writes of a first start are done. */
const QUIET_MS = 5_000;

/** Starts with the controllers, when the caches are synced. */
export function tidyMemory(clock: Clock, tidy: () => void = collect): Runnable {
  return {
    name: 'memory',
    async start({ stopping }) {
      await sleep(clock, QUIET_MS, stopping).then(tidy, () => undefined);
    },
  };
}

/** About 40 ms for a cluster with ten thousand sources. */
export function collect(): void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as Collect;
  if (TAKES_OPTIONS) gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  else {
    // The first call frees pages, the second returns them.
    gc();
    gc();
  }
}
