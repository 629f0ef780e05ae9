/**
 * Gives back the memory of work that is over. The first lists are garbage as soon as they are hashed, but an engine that
 * then has nothing to do does not collect them, or does not give the pages back.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Clock, type Runnable, sleep } from '@reloader/runtime';

type Collect = (options?: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

/** V8 before that takes any object for the wish to collect the young generation alone. */
const TAKES_OPTIONS = Number.parseInt(process.versions.v8, 10) >= 12;
/** What a first start writes to workloads is done by then. */
const QUIET_MS = 5_000;

/** Work, so it begins when the caches are in sync. */
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
    // The first leaves pages to be given back by the second.
    gc();
    gc();
  }
}
