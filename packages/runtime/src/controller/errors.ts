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
  return [...withCauses(error)].some((each) => each instanceof SupersededError);
}

/** `TypeError: no such field`. Anything can be thrown, also what has no text: it must not end the worker. */
export function errorInWords(error: unknown): string {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  } catch {
    return 'something that cannot be read';
  }
}

/** An error and its causes, each once: a chain may lead back to itself. */
function* withCauses(error: unknown): Generator<unknown, void, undefined> {
  const seen = new Set<unknown>();
  for (let each = error; each !== undefined && !seen.has(each); ) {
    seen.add(each);
    yield each;
    each = each instanceof Error ? each.cause : undefined;
  }
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
  for (const each of withCauses(error)) {
    const known = classOf(each);
    if (known) return known;
    if (each instanceof AggregateError && each.errors.length > 0) {
      const found = each.errors.map(classifyError);
      const hopeful: readonly ErrorClass[] = ['retryable', 'unknown', 'configuration', 'terminal'];
      return hopeful.find((name) => found.includes(name)) ?? 'unknown';
    }
  }
  return 'unknown';
}

function classOf(error: unknown): ErrorClass | undefined {
  return CLASSES.find(([, types]) => types.some((type) => error instanceof type))?.[0];
}

/** Whether the author said with a `TerminalError` that no retry helps: the error itself, one of its causes, or all of several. */
export function endsRetries(error: unknown): boolean {
  for (const each of withCauses(error)) {
    if (each instanceof TerminalError) return true;
    if (classOf(each)) return false;
    if (each instanceof AggregateError && each.errors.length > 0) return each.errors.every(endsRetries);
  }
  return false;
}

/** Requeue interval after a configuration error. Any event comes first. */
export const CONFIGURATION_RETRY_MS = 300_000;

/**
 * Minimum wait: the server's Retry-After, or the slow interval if a person has to act. Of several errors the longest
 * counts, among those of the class that decides: an error that can be retried does not wait for a person.
 */
export function retryAfterOf(error: unknown): number {
  for (const each of withCauses(error)) {
    if (each instanceof ConfigurationError) return CONFIGURATION_RETRY_MS;
    if (each instanceof ApiError && each.retryAfterMs !== undefined) return each.retryAfterMs;
    if (each instanceof AggregateError) {
      const decisive = classifyError(each);
      const waits = each.errors.filter((one) => classifyError(one) === decisive).map(retryAfterOf);
      return Math.max(0, ...waits);
    }
  }
  return 0;
}

/**
 * The equivalent of a Go panic: a thrown value that is no `Error`, or an `Error` that points at a bug (TypeError,
 * ReferenceError, RangeError, SyntaxError, a failed assertion). It is retried like any other failure and counted
 * separately, so that an alert on bugs is possible.
 */
export function isPanic(error: unknown): boolean {
  return !(error instanceof Error) || pointsAtBug(error);
}
