/** Retries after a conflict. */
import { ConflictError } from '../client/errors.ts';
import { type Clock, sleep, systemClock } from '../clock/clock.ts';

/** Limit of the retries. */
export interface ConflictRetryOptions {
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
  /** Number of attempts. Default 5. */
  readonly tries?: number | undefined;
}

const PAUSE_MS = 10;
const JITTER = 0.1;

/**
 * Calls `attempt` until it does not fail with a `ConflictError`. It must read and decide again each time: resending
 * the old body would undo the other writer's change.
 */
export async function retryOnConflict<R>(
  attempt: (tryNumber: number) => Promise<R>,
  options: ConflictRetryOptions = {},
): Promise<R> {
  const { signal, clock = systemClock, random = Math.random, tries = 5 } = options;
  for (let tryNumber = 1; ; tryNumber++) {
    signal?.throwIfAborted();
    try {
      return await attempt(tryNumber);
    } catch (error) {
      if (!(error instanceof ConflictError) || tryNumber >= tries) throw error;
    }
    await sleep(clock, PAUSE_MS * (1 + JITTER * random()), signal);
  }
}
