/** What a reconcile returns, and what follows from it. */

import { TerminalError } from '../model/errors.ts';
import type { Result } from '../model/result.ts';
import type { AddOptions } from '../queue/options.ts';
import { isSuperseded, retryAfterOf } from './errors.ts';

export type ResultLabel = 'success' | 'error' | 'requeue' | 'requeue_after';

export interface Outcome {
  readonly label: ResultLabel;
  /** How to add the key again; undefined leaves it until its next event. */
  readonly add: AddOptions | undefined;
  /** The backoff begins anew. */
  readonly forget: boolean;
  readonly error: unknown;
  /** The error was a `TerminalError`. */
  readonly terminal: boolean;
  /** The last allowed retry has failed. */
  readonly gaveUp: boolean;
  /** Something about the result that its author should know. */
  readonly warning: string | undefined;
}

export interface Pass {
  /** The priority with which the key was handed out. */
  readonly priority: number;
  /** Retries that are left; a failure at 0 is the last. */
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

/** A pure function of what was returned. */
export function outcomeOf(result: Result | undefined, pass: Pass): Outcome {
  if (!result) return SUCCESS;
  if (result.error !== undefined) {
    const both = result.requeue || result.requeueAfterMs !== undefined;
    const warning = 'The result asked to requeue and carried an error: the error wins, with its backoff';
    return { ...outcomeOfError(result.error, pass), warning: both ? warning : undefined };
  }
  const { requeueAfterMs, priority = pass.priority } = result;
  if (requeueAfterMs !== undefined && Number.isNaN(requeueAfterMs)) {
    return outcomeOfError(new TypeError('requeueAfterMs is not a number'), pass);
  }
  if (requeueAfterMs !== undefined && requeueAfterMs > 0) {
    return { ...SUCCESS, label: 'requeue_after', add: { after: requeueAfterMs, priority } };
  }
  // A time that has passed already must not be forgotten, nor become a loop without pause.
  if (result.requeue || requeueAfterMs !== undefined) {
    return { ...SUCCESS, label: 'requeue', forget: false, add: { rateLimited: true, priority } };
  }
  return SUCCESS;
}

/** A pure function of what was thrown. */
export function outcomeOfError(error: unknown, pass: Pass): Outcome {
  // No failure: it begins again with what is newer, at once, and whatever failed before it counts on.
  if (isSuperseded(error))
    return { ...SUCCESS, label: 'requeue', forget: false, add: { priority: pass.priority } };
  const terminal = error instanceof TerminalError;
  const gaveUp = !terminal && pass.retriesLeft <= 0;
  const add = { rateLimited: true, notBefore: retryAfterOf(error), priority: pass.priority };
  const again = !terminal && !gaveUp;
  return {
    label: 'error',
    add: again ? add : undefined,
    // An event after the end of the budget gets a new one.
    forget: !again,
    error,
    terminal,
    gaveUp,
    warning: undefined,
  };
}
