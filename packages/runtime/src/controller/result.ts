/** The result of a reconcile, and what the controller does next. */

import type { Result } from '../model/result.ts';
import type { AddOptions } from '../queue/options.ts';
import { endsRetries, isSuperseded, retryAfterOf } from './errors.ts';

export type ResultLabel = 'success' | 'error' | 'requeue' | 'requeue_after';

export interface Outcome {
  readonly label: ResultLabel;
  /** How to requeue the key; undefined drops it until its next event. */
  readonly add: AddOptions | undefined;
  /** Reset the backoff. */
  readonly forget: boolean;
  readonly error: unknown;
  /** The error was a `TerminalError`, or was caused by one. */
  readonly terminal: boolean;
  /** The last allowed retry failed. */
  readonly gaveUp: boolean;
  /** A warning for the reconciler's author about the result. */
  readonly warning: string | undefined;
}

export interface Pass {
  /** The priority with which the key was taken from the queue. */
  readonly priority: number;
  /** Retries left; a failure at 0 is the last. */
  readonly retriesLeft: number;
}

const SUCCESS: Outcome = {
  label: 'success',
  add: undefined,
  forget: true,
  error: undefined,
  terminal: false,
  gaveUp: false,
  warning: undefined,
};

/** A pure function of the result. */
export function outcomeOf(result: Result | undefined, pass: Pass): Outcome {
  if (!result) return SUCCESS;
  if (result.error !== undefined) {
    const both = result.requeue || result.requeueAfterMs !== undefined;
    const warning = 'The result has both a requeue and an error: the error takes precedence, with backoff';
    return { ...outcomeOfError(result.error, pass), warning: both ? warning : undefined };
  }
  const { requeueAfterMs, priority = pass.priority } = result;
  if (requeueAfterMs !== undefined && Number.isNaN(requeueAfterMs)) {
    return outcomeOfError(new TypeError('requeueAfterMs is not a number'), pass);
  }
  if (requeueAfterMs !== undefined && requeueAfterMs > 0) {
    return { ...SUCCESS, label: 'requeue_after', add: { after: requeueAfterMs, priority } };
  }
  // A negative delay must neither be dropped nor become a loop without a pause.
  if (result.requeue || requeueAfterMs !== undefined) {
    return { ...SUCCESS, label: 'requeue', forget: false, add: { rateLimited: true, priority } };
  }
  return SUCCESS;
}

/** A pure function of the error. */
export function outcomeOfError(error: unknown, pass: Pass): Outcome {
  // Not a failure: it starts again at once with the newer state, and earlier failures still count.
  if (isSuperseded(error))
    return { ...SUCCESS, label: 'requeue', forget: false, add: { priority: pass.priority } };
  const terminal = endsRetries(error);
  const gaveUp = !terminal && pass.retriesLeft <= 0;
  const add = { rateLimited: true, notBefore: retryAfterOf(error), priority: pass.priority };
  const again = !terminal && !gaveUp;
  return {
    label: 'error',
    add: again ? add : undefined,
    // An event after the retries are used up starts a new count.
    forget: !again,
    error,
    terminal,
    gaveUp,
    warning: undefined,
  };
}
