/**
 * Gives back, once, the memory that the first lists took. They are garbage as soon as they are hashed, but an engine
 * that then has nothing to do does not collect them, or does not give the pages back.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

const LOOK_MS = 1_000;
/** What a first start writes to workloads is done by then. */
const QUIET_MS = 5_000;

/** Gives a function that calls it off. */
export function tidyMemoryOnceReady(ready: () => Promise<boolean>, tidy: () => void = collect): () => void {
  let timer: NodeJS.Timeout | undefined;
  const after = (ms: number, action: () => unknown): void => {
    timer = setTimeout(action, ms).unref();
  };
  const look = async (): Promise<void> => {
    const isReady = await ready().catch(() => false);
    if (timer !== undefined) after(isReady ? QUIET_MS : LOOK_MS, isReady ? tidy : look);
  };
  after(LOOK_MS, look);
  return () => {
    clearTimeout(timer);
    timer = undefined;
  };
}

/** About 40 ms for a cluster with ten thousand sources. */
function collect(): void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as Collect;
  gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
