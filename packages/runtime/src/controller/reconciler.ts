/** The function that a controller's author writes. */
import type { Clock } from '../clock/clock.ts';
import type { Logger } from '../logging/logger.ts';
import type { Result } from '../model/result.ts';
import type { ObjectKey } from '../model/types.ts';

/** Context of a reconcile besides its key. */
export interface ReconcileContext {
  /** Aborts when the reconcile times out or the program must end. Pass it to everything that waits. */
  readonly signal: AbortSignal;
  /**
   * Aborts when an event for the same key arrives during this reconcile. For reconcilers that wait for something (a
   * rollout, a health check) and would rather start again with the newer state; the key is already queued.
   */
  readonly superseded: AbortSignal;
  /** Every line carries the controller, the object and the reconcileID. */
  readonly logger: Logger;
  /** Names this run in logs. */
  readonly reconcileID: string;
  /** The time; wait with `sleep(clock, …)`. */
  readonly clock: Clock;
  /** 1, or one more than the failures in a row before this run. */
  readonly attempt: number;
  /** A failure of this run will not be retried. Always false without `maxRetries`. */
  readonly isLastAttempt: boolean;
  /**
   * The causes of this run in words, for logs and traces. Never base decisions on it: causes are merged and dropped.
   */
  readonly reason: string;
}

/**
 * Brings one object to its wanted state. It gets only the key, reads everything else itself, and must be idempotent.
 */
export type Reconciler<R extends ObjectKey = ObjectKey> = (
  request: R,
  context: ReconcileContext,
  // biome-ignore lint/suspicious/noConfusingVoidType: lets authors omit the return value
) => Promise<Result | undefined | void> | Result | undefined | void;
