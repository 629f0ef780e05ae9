import { setTimeout as delay } from 'node:timers/promises';

export interface PollOptions {
  /** The awaited state, in words that complete "waited 10 s for". */
  readonly what: string;
  readonly timeout: number;
  readonly every?: number;
}

/** Asks again until the answer is true; an error counts as "not yet" and is reported on timeout. */
export async function poll(
  ask: () => boolean | Promise<boolean>,
  { what, timeout, every = 50 }: PollOptions,
  signal?: AbortSignal,
): Promise<void> {
  const deadline = performance.now() + timeout;
  let cause: unknown;
  while (true) {
    signal?.throwIfAborted();
    try {
      if (await ask()) return;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    if (performance.now() > deadline) {
      const reason = cause instanceof Error ? `: ${cause.message}` : '';
      throw new Error(`waited ${timeout / 1000} s in vain for ${what}${reason}`, { cause });
    }
    await delay(every, undefined, signal === undefined ? {} : { signal });
  }
}
