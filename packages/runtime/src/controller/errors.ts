/** Classifies errors of a reconcile by what helps: waiting, a person, or nothing. */
import {
  AlreadyExistsError,
  ApiError,
  BadRequestError,
  ConfigError,
  ConflictError,
  ConnectionError,
  ForbiddenError,
  GoneError,
  InternalServerError,
  InvalidError,
  MethodNotAllowedError,
  NotFoundError,
  RequestTimeoutError,
  ServerTimeoutError,
  ServiceUnavailableError,
  TimeoutError,
  TooLargeError,
  TooManyRequestsError,
  UnauthorizedError,
  UnsupportedMediaTypeError,
} from '../client/errors.ts';
import { pointsAtBug } from '../logging/plain-value.ts';
import { ConfigurationError, TerminalError } from '../model/errors.ts';

/** The reconcile exceeded its timeout. It is the reason of the aborted signal. */
export class ReconcileTimeoutError extends Error {
  override name = 'ReconcileTimeoutError';
}

/** The program stops and the grace period is over. It is the reason of the aborted signal. */
export class ShutdownError extends Error {
  override name = 'ShutdownError';
}

/** A newer event for the same key arrived. It is the reason of `context.superseded`. */
export class SupersededError extends Error {
  override name = 'SupersededError';
}

/** Whether a pass ended because it was superseded: the error itself or one of its causes. */
export function isSuperseded(error: unknown): boolean {
  if (error instanceof SupersededError) return true;
  return error instanceof Error && error.cause !== undefined && isSuperseded(error.cause);
}

/**
 * - `retryable`: temporary; retry with backoff.
 * - `configuration`: a person has to change an object, a permission or a setting first.
 * - `terminal`: no retry can succeed.
 * - `unknown`: treated as retryable, but logged as unknown.
 */
export type ErrorClass = 'retryable' | 'configuration' | 'terminal' | 'unknown';

const CLASSES: readonly (readonly [ErrorClass, readonly (abstract new (...args: never[]) => Error)[]])[] = [
  ['terminal', [TerminalError, MethodNotAllowedError, UnsupportedMediaTypeError]],
  [
    'retryable',
    [
      ConflictError,
      // Another client created it between our read and our create: the next read will find it.
      AlreadyExistsError,
      GoneError,
      TooManyRequestsError,
      InternalServerError,
      ServerTimeoutError,
      TimeoutError,
      ServiceUnavailableError,
      // A token that is being rotated.
      UnauthorizedError,
      ConnectionError,
      RequestTimeoutError,
      ReconcileTimeoutError,
    ],
  ],
  [
    'configuration',
    [
      ConfigurationError,
      InvalidError,
      BadRequestError,
      TooLargeError,
      // A referenced object does not exist yet.
      NotFoundError,
      // A permission, a quota or an admission policy.
      ForbiddenError,
      ConfigError,
    ],
  ],
];

/** Follows causes; of several errors the most retryable class wins, so that none is dropped too early. */
export function classifyError(error: unknown): ErrorClass {
  for (const [name, types] of CLASSES) {
    if (types.some((type) => error instanceof type)) return name;
  }
  if (error instanceof AggregateError && error.errors.length > 0) {
    const found = error.errors.map(classifyError);
    const hopeful: readonly ErrorClass[] = ['retryable', 'unknown', 'configuration', 'terminal'];
    return hopeful.find((name) => found.includes(name)) ?? 'unknown';
  }
  return error instanceof Error && error.cause !== undefined ? classifyError(error.cause) : 'unknown';
}

/** Requeue interval after a configuration error. Any event comes first. */
export const CONFIGURATION_RETRY_MS = 300_000;

/** Minimum wait: the server's Retry-After, or the slow interval if a person has to act; the longest of several. */
export function retryAfterOf(error: unknown): number {
  if (error instanceof ConfigurationError) return CONFIGURATION_RETRY_MS;
  if (error instanceof ApiError && error.retryAfterMs !== undefined) return error.retryAfterMs;
  if (error instanceof AggregateError) return Math.max(0, ...error.errors.map(retryAfterOf));
  return error instanceof Error && error.cause !== undefined ? retryAfterOf(error.cause) : 0;
}

/**
 * The equivalent of a Go panic: a thrown value that is no `Error`, or an `Error` that points at a bug (TypeError,
 * ReferenceError, RangeError, SyntaxError, a failed assertion). It is retried like any other failure and counted
 * separately, so that an alert on bugs is possible.
 */
export function isPanic(error: unknown): boolean {
  return !(error instanceof Error) || pointsAtBug(error);
}
