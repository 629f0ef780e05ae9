/**
 * Gives back, once, the memory that the first lists took. They are garbage as soon as they are hashed, but an engine
 * that then has nothing to do does not collect them, or does not give the pages back.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Clock, type Runnable, sleep } from '@reloader/runtime';

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

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
function collect(): void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as Collect;
  gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
