/** The one function that a controller's author writes. */
import type { Clock } from '../clock/clock.ts';
import type { Logger } from '../logging/logger.ts';
import type { Result } from '../model/result.ts';
import type { ObjectKey } from '../model/types.ts';

/** What a reconcile is given beside its key. */
export interface ReconcileContext {
  /** Aborts when the reconcile has used up its time, or the program must end. Pass it to everything that waits. */
  readonly signal: AbortSignal;
  /**
   * Aborts when an event for the same key comes in while this reconcile runs. For those who wait for something
   * (a rollout, a health check) and would rather begin again with what is newer; the key is queued already.
   */
  readonly superseded: AbortSignal;
  /** Every line carries the controller, the object and the reconcileID. */
  readonly logger: Logger;
  readonly reconcileID: string;
  readonly clock: Clock;
  /** 1, or one more than the failures in a row before this run. */
  readonly attempt: number;
  /** After a failure of this run the key is not retried. Always false without `maxRetries`. */
  readonly isLastAttempt: boolean;
  /** What caused this run, in words, for logs and traces. Never decide by it: causes merge and get lost. */
  readonly reason: string;
}

/**
 * Brings the world of one object to its wanted state. It is told only which object, reads the rest itself, and
 * must come to the same end however often it is called.
 */
export type Reconciler<R extends ObjectKey = ObjectKey> = (
  request: R,
  context: ReconcileContext,
  // biome-ignore lint/suspicious/noConfusingVoidType: lets authors leave out the return where nothing is asked for
) => Promise<Result | undefined | void> | Result | undefined | void;
