/** Runs runnables as a manager would, on loopback, until the test is over. */
import { createClient, type Runnable } from '@reloader/runtime';
import { onTestFinished } from 'vitest';

export async function run(runnable: Runnable): Promise<{ stop(): Promise<void> }> {
  const stopping = new AbortController();
  const abort = new AbortController();
  const ended = runnable.start({ stopping: stopping.signal, abort: abort.signal });
  ended.catch(() => undefined);
  onTestFinished(async () => {
    stopping.abort();
    abort.abort();
    await ended.catch(() => undefined);
  });
  await Promise.race([runnable.ready?.(stopping.signal), ended]);
  return {
    stop: async () => {
      stopping.abort();
      await ended;
    },
  };
}

/** A client for tests in which no request may be made. */
export const nobody = createClient({
  transport: {
    request: () => Promise.reject(new Error('no request was expected')),
    close: () => Promise.resolve(),
  },
});
