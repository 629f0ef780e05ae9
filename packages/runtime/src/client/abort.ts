/** Cancellable waiting that leaves no listeners behind. */
import type { Clock } from '../clock/clock.ts';

/** Settles as `promise` does, or rejects with the signal's reason as soon as the signal aborts. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    const stop = (): void => signal.removeEventListener('abort', onAbort);
    promise.then(resolve, reject).finally(stop);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}

export interface Deadline {
  readonly signal: AbortSignal;
  /** Milliseconds left. */
  remaining(): number;
  /** Cancels the timeout: only the parent can abort the signal from now on. */
  stopTimer(): void;
  /** Must be called when the work is over: clears the timer and unsubscribes from the parent signal. */
  dispose(): void;
}

/** A signal that aborts with its parent, or with `reason()` after `timeoutMs`. */
export function deadline(
  clock: Clock,
  timeoutMs: number,
  reason: () => Error,
  parent?: AbortSignal,
): Deadline {
  const controller = new AbortController();
  const onParent = (): void => controller.abort(parent?.reason);
  const end = clock.monotonic() + timeoutMs;
  const timer = Number.isFinite(timeoutMs)
    ? clock.setTimeout(() => controller.abort(reason()), timeoutMs)
    : undefined;
  if (parent?.aborted) onParent();
  else parent?.addEventListener('abort', onParent, { once: true });
  return {
    signal: controller.signal,
    remaining: () => end - clock.monotonic(),
    stopTimer: () => timer?.cancel(),
    dispose() {
      timer?.cancel();
      parent?.removeEventListener('abort', onParent);
    },
  };
}
