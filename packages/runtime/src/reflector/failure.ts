/** Classifies failed requests and broken streams for a reflector. A bounded set, also used as metric label. */
import {
  ApiError,
  ConnectionError,
  DecodeError,
  ForbiddenError,
  GoneError,
  isResourceVersionTooLarge,
  NotFoundError,
  RequestTimeoutError,
  TooManyRequestsError,
  UnauthorizedError,
} from '../client/errors.ts';

export const FAILURE_KINDS = [
  /** 410: the resourceVersion or continue token left the server's window. */
  'expired',
  /** The server has not reached the resourceVersion that we know. */
  'too-large',
  /** 429. */
  'throttled',
  /** No connection, or it was lost, or the answer timed out. */
  'connection',
  'unauthorized',
  /** 403. */
  'forbidden',
  /** 404: the kind is not served. */
  'missing',
  /** The server understood the request and will never serve it this way. */
  'unsupported',
  /** The data could not be decoded. */
  'decode',
  /** Any other error answer, including 500 and 503. */
  'server',
  /** Not from the server: unreadable credentials, or a bug. */
  'local',
] as const;

export type FailureKind = (typeof FAILURE_KINDS)[number];

export interface Failure {
  readonly kind: FailureKind;
  readonly error: Error;
  readonly retryAfterMs?: number;
}

const UNSUPPORTED_CODES: ReadonlySet<number> = new Set([400, 405, 406, 415, 422, 501]);

export function failureFrom(thrown: unknown): Failure {
  const error =
    thrown instanceof Error ? thrown : new Error(`A value that is not an Error was thrown: ${thrown}`);
  const kind = kindOf(error);
  const retryAfterMs = error instanceof ApiError ? error.retryAfterMs : undefined;
  return retryAfterMs === undefined ? { kind, error } : { kind, error, retryAfterMs };
}

function kindOf(error: Error): FailureKind {
  if (isResourceVersionTooLarge(error)) return 'too-large';
  if (error instanceof GoneError) return 'expired';
  if (error instanceof TooManyRequestsError) return 'throttled';
  if (error instanceof ForbiddenError) return 'forbidden';
  if (error instanceof NotFoundError) return 'missing';
  if (error instanceof UnauthorizedError) return 'unauthorized';
  if (error instanceof ApiError) return UNSUPPORTED_CODES.has(error.code) ? 'unsupported' : 'server';
  if (error instanceof DecodeError) return 'decode';
  if (error instanceof ConnectionError || error instanceof RequestTimeoutError) return 'connection';
  return 'local';
}
