/** A signal that aborts when its parent does or when time is up, and leaves no listener or timer behind. */
import type { Clock } from '../clock/clock.ts';

export interface Deadline {
  readonly signal: AbortSignal;
  /** Must be called when the work is over. */
  dispose(): void;
}

export class DeadlineError extends Error {
  override name = 'DeadlineError';
}

export function startDeadline(clock: Clock, ms: number, what: string, parent?: AbortSignal): Deadline {
  const controller = new AbortController();
  const onParent = (): void => controller.abort(parent?.reason);
  const timer = clock.setTimeout(
    () => controller.abort(new DeadlineError(`${what} did not end within ${Math.round(ms)} ms`)),
    ms,
  );
  parent?.addEventListener('abort', onParent, { once: true });
  if (parent?.aborted) onParent();
  return {
    signal: controller.signal,
    dispose() {
      timer.cancel();
      parent?.removeEventListener('abort', onParent);
    },
  };
}

/** Rejects as soon as the signal aborts, even when the promise itself never settles. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
