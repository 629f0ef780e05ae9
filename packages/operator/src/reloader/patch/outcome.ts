/** What a failed write means for the decision that led to it. */
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

/** The API server's only words for a JSON patch that does not apply, be it a test or a path that is not there. */
const DOES_NOT_APPLY = 'the server rejected our request due to an error in our request';
/** A 403 of admission is about what was written, not about who wrote it: another attempt ends alike. */
const REFUSED_BY_POLICY = /admission webhook|denied (the )?request|exceeded quota|admission polic/i;

/** Throws what may pass by itself: an overloaded or unreachable server, an expired token, an abort. */
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
