/** Translates the error of a failed write to an outcome of the plan. */
import {
  ApiError,
  BadRequestError,
  ConflictError,
  ForbiddenError,
  InvalidError,
  MethodNotAllowedError,
  NotFoundError,
  TooLargeError,
  UnsupportedMediaTypeError,
} from '@reloader/runtime';
import type { Outcome } from '../model/plan.ts';

/** The API server's only message for a JSON patch that does not apply, because of a failed test or a missing path. */
const DOES_NOT_APPLY = 'the server rejected our request due to an error in our request';
/** A 403 of admission concerns the written content, not the operator's rights: a retry fails the same way. */
const REFUSED_BY_POLICY = /admission webhook|denied (the )?request|exceeded quota|admission polic/i;

/** Throws transient errors: an overloaded or unreachable API server, an expired token, an abort. */
export function outcomeOf(error: unknown): Outcome {
  if (!(error instanceof ApiError)) throw error;
  const { message } = error;
  if (error instanceof ConflictError || error instanceof NotFoundError) return { kind: 'conflict', message };
  if (error instanceof InvalidError) {
    return { kind: error.status.message === DOES_NOT_APPLY ? 'conflict' : 'rejected', message };
  }
  if (error instanceof ForbiddenError) {
    if (error.hasCause('NamespaceTerminating')) return { kind: 'conflict', message };
    return { kind: REFUSED_BY_POLICY.test(message) ? 'rejected' : 'forbidden', message };
  }
  if (
    error instanceof BadRequestError ||
    error instanceof TooLargeError ||
    error instanceof MethodNotAllowedError ||
    error instanceof UnsupportedMediaTypeError
  ) {
    return { kind: 'rejected', message };
  }
  throw error;
}
