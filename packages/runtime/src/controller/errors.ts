/**
 * What went wrong in a reconcile, by what helps: waiting, a person, or nothing.
 */
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

/** The reconcile was still running when its time was up. It is the reason of the aborted signal. */
export class ReconcileTimeoutError extends Error {
  override name = 'ReconcileTimeoutError';
}

/** The program stops and the grace period is over. It is the reason of the aborted signal. */
export class ShutdownError extends Error {
  override name = 'ShutdownError';
}

/** A newer event for the same key came in. It is the reason of `context.superseded`. */
export class SupersededError extends Error {
  override name = 'SupersededError';
}

/** Whether a pass ended because something newer came: the error itself, or what led to it. */
export function isSuperseded(error: unknown): boolean {
  if (error instanceof SupersededError) return true;
  return error instanceof Error && error.cause !== undefined && isSuperseded(error.cause);
}

/**
 * - `retryable`: passes by itself; try again with backoff.
 * - `configuration`: somebody has to change an object, a permission or a setting first.
 * - `terminal`: this program can never do it.
 * - `unknown`: treat as retryable, but say so.
 */
export type ErrorClass = 'retryable' | 'configuration' | 'terminal' | 'unknown';

const CLASSES: readonly (readonly [ErrorClass, readonly (abstract new (...args: never[]) => Error)[]])[] = [
  ['terminal', [TerminalError, MethodNotAllowedError, UnsupportedMediaTypeError]],
  [
    'retryable',
    [
      ConflictError,
      // Somebody created it between our look and our create: the next look will find it.
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
      // Something that the object refers to is not there yet.
      NotFoundError,
      // A permission, a quota or an admission policy.
      ForbiddenError,
      ConfigError,
    ],
  ],
];

/** Looks through causes; of several errors the most hopeful class counts, so that none is given up too early. */
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

/** When to look again at what somebody has to put right. Any event comes first. */
export const CONFIGURATION_RETRY_MS = 300_000;

/** How long to wait at least: as the server asked, or slowly where a person has to act; the longest of several. */
export function retryAfterOf(error: unknown): number {
  if (error instanceof ConfigurationError) return CONFIGURATION_RETRY_MS;
  if (error instanceof ApiError && error.retryAfterMs !== undefined) return error.retryAfterMs;
  if (error instanceof AggregateError) return Math.max(0, ...error.errors.map(retryAfterOf));
  return error instanceof Error && error.cause !== undefined ? retryAfterOf(error.cause) : 0;
}

/**
 * What Go calls a panic: something was thrown that is no `Error`, or an `Error` that says the code itself is
 * wrong (TypeError, ReferenceError, RangeError, SyntaxError, a failed assertion). It is retried like any other
 * failure, and counted on its own, so that an alert on bugs is possible.
 */
export function isPanic(error: unknown): boolean {
  return !(error instanceof Error) || pointsAtBug(error);
}
