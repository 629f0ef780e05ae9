/** Waiting under a virtual clock: for a promise that needs time to pass, and for a state to be reached. */
import type { VirtualClock } from '../clock/virtual-clock.ts';

/** How long to wait, in the clock's time. */
export interface WaitOptions {
  /** Virtual time after which it fails. One hour unless given. */
  readonly withinMs?: number | undefined;
  /** How far time moves between two checks. 100 ms unless given. */
  readonly everyMs?: number | undefined;
}

const HOUR = 3_600_000;

/**
 * Advances time until a promise has settled, and returns its result: a request to a simulated server, or
 * a manager that is stopping, needs the clock to advance meanwhile.
 *
 * @example
 * ```ts
 * stop.abort();
 * await settle(clock, running); // the grace period passes in no time
 * ```
 */
export async function settle<T>(
  clock: VirtualClock,
  promise: Promise<T>,
  options: WaitOptions = {},
): Promise<T> {
  const { withinMs = HOUR, everyMs = 100 } = options;
  let done = false;
  const end = promise.finally(() => {
    done = true;
  });
  end.catch(() => {});
  for (let passed = 0; !done; passed += everyMs) {
    if (passed > withinMs) throw new Error(`The promise did not settle within ${withinMs} virtual ms`);
    await clock.advance(everyMs);
  }
  return await end;
}

/**
 * Moves time until `check` no longer throws, and gives what it returned. When time is up, the last failure is thrown.
 *
 * @example
 * ```ts
 * await eventually(clock, async () => {
 *   const { data } = await client.get(kinds.ConfigMap, key);
 *   expect(data).toEqual({ text: 'Hello Ada' });
 * });
 * ```
 */
export async function eventually<T>(
  clock: VirtualClock,
  check: () => T | Promise<T>,
  options: WaitOptions = {},
): Promise<T> {
  const { withinMs = HOUR, everyMs = 100 } = options;
  const end = clock.monotonic() + withinMs;
  for (;;) {
    try {
      return await settle(clock, Promise.resolve().then(check), options);
    } catch (error) {
      if (clock.monotonic() >= end) throw error;
    }
    await clock.advance(everyMs);
  }
}
