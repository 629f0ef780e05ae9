/** Trying again after somebody else wrote first. */
import { ConflictError } from '../client/errors.ts';
import { type Clock, sleep, systemClock } from '../clock/clock.ts';

/** How long conflicts are answered by another try. */
export interface ConflictRetryOptions {
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
  /** All tries together. Default 5. */
  readonly tries?: number | undefined;
}

const PAUSE_MS = 10;
const JITTER = 0.1;

/**
 * Calls `attempt` until it does not fail with a `ConflictError`. It must read and decide again each time:
 * sending the old body again would undo what the other writer did.
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
