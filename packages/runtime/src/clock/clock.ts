/**
 * Time as a dependency.
 *
 * Everything in this package that waits, expires or writes timestamps takes a `Clock`, so that tests and simulations
 * use a `VirtualClock` and never sleep.
 */
export interface Clock {
  /** Wall-clock time in milliseconds since the epoch: for timestamps, never for durations. */
  now(): number;
  /** Milliseconds from an arbitrary start that never jump back: for durations and deadlines. */
  monotonic(): number;
  /** Calls back once after `ms`. Any length is allowed, also beyond Node's limit of 24.8 days. */
  setTimeout(callback: () => void, ms: number): Timer;
}

/** A timer that can be cancelled. */
export interface Timer {
  /** Cancels the callback. Does nothing if it already ran. */
  cancel(): void;
  /** This timer does not keep the process alive. Absent on clocks whose timers never do. */
  unref?(): void;
}

/** Node fires a timer at once if its delay does not fit in 31 bits, so longer waits are split. */
const LONGEST_NODE_TIMER_MS = 2 ** 31 - 1;

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout(callback, ms) {
    if (ms <= LONGEST_NODE_TIMER_MS) {
      const only = setTimeout(callback, Math.max(0, ms));
      return { cancel: () => clearTimeout(only), unref: () => void only.unref() };
    }
    let handle: NodeJS.Timeout;
    let keepsAlive = true;
    const arm = (left: number): void => {
      const step = Math.min(left, LONGEST_NODE_TIMER_MS);
      handle = setTimeout(() => (left > step ? arm(left - step) : callback()), step);
      if (!keepsAlive) handle.unref();
    };
    arm(ms);
    return {
      cancel: () => clearTimeout(handle),
      unref: () => {
        keepsAlive = false;
        handle.unref();
      },
    };
  },
};

/** Resolves after `ms`; rejects with the signal's reason as soon as the signal aborts. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = (): void => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = clock.setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
