/**
 * Typed errors. An error answer of the API server becomes an `ApiError` subclass by its reason and code; a failure
 * without an answer is a `ConnectionError`, `RequestTimeoutError`, `DecodeError` or `ConfigError`.
 */
import type { Status, StatusCause } from '../model/types.ts';

/** The request that the server refused. */
export interface ApiErrorContext {
  /** The request in words: `list secrets in namespace "a"`. */
  readonly request?: string;
  readonly retryAfterMs?: number;
  /** A hint on what to do, if we know more than the server's message says. */
  readonly advice?: string;
}

/** The server refused; its `Status` is in `status`. The subclasses say why. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly code: number;
  readonly reason: string;
  readonly status: Status;
  /** How long the server asks us to wait, from the header or the Status. */
  readonly retryAfterMs: number | undefined;

  constructor(status: Status, context?: ApiErrorContext) {
    const { code = 0, reason = 'Unknown' } = status;
    const request = context?.request ? `${context.request}: ` : '';
    const advice = context?.advice ? `: ${context.advice}` : '';
    super(`${request}${status.message || reason} (${code} ${reason})${advice}`);
    this.code = code;
    this.reason = reason;
    this.status = status;
    const seconds = status.details?.retryAfterSeconds;
    this.retryAfterMs = context?.retryAfterMs ?? (seconds ? seconds * 1000 : undefined);
  }

  get causes(): readonly StatusCause[] {
    return this.status.details?.causes ?? [];
  }

  hasCause(reason: string): boolean {
    return this.causes.some((cause) => cause.reason === reason);
  }
}

/** 400: the request itself is wrong. */
export class BadRequestError extends ApiError {
  override name = 'BadRequestError';
}
/** 401: the server did not accept our credentials. */
export class UnauthorizedError extends ApiError {
  override name = 'UnauthorizedError';
}
/** 403: our user lacks the permission. */
export class ForbiddenError extends ApiError {
  override name = 'ForbiddenError';
}
/** 404: no such object, or no such kind. */
export class NotFoundError extends ApiError {
  override name = 'NotFoundError';
}
/** 405: this resource does not support the verb. */
export class MethodNotAllowedError extends ApiError {
  override name = 'MethodNotAllowedError';
}
/** 409: an object of that name exists already. */
export class AlreadyExistsError extends ApiError {
  override name = 'AlreadyExistsError';
}
/** 409: the object changed since it was read. Read it and decide again. */
export class ConflictError extends ApiError {
  override name = 'ConflictError';
}
/** 410: the resourceVersion or continue token is too old (reasons Gone and Expired). */
export class GoneError extends ApiError {
  override name = 'GoneError';
}
/** 422: the object breaks a rule of its kind; the causes name the fields. */
export class InvalidError extends ApiError {
  override name = 'InvalidError';
}
/** 413: more than the server stores in one object. */
export class TooLargeError extends ApiError {
  override name = 'TooLargeError';
}
/** 415: the resource does not accept this patch or body type. */
export class UnsupportedMediaTypeError extends ApiError {
  override name = 'UnsupportedMediaTypeError';
}
/** 429: too many requests; `retryAfterMs` holds the server's Retry-After, if it sent one. */
export class TooManyRequestsError extends ApiError {
  override name = 'TooManyRequestsError';
}
/** 500: the server failed. */
export class InternalServerError extends ApiError {
  override name = 'InternalServerError';
}
/** The server timed out; it may or may not have carried out the request (reason ServerTimeout). */
export class ServerTimeoutError extends ApiError {
  override name = 'ServerTimeoutError';
}
/** The request took too long on the server (reason Timeout); ResourceVersionTooLarge arrives as this too. */
export class TimeoutError extends ApiError {
  override name = 'TimeoutError';
}
/** 503: the server is not ready; retried where that is safe. */
export class ServiceUnavailableError extends ApiError {
  override name = 'ServiceUnavailableError';
}

/** How far a request got before the connection failed. */
export interface ConnectionErrorOptions extends ErrorOptions {
  readonly notSent?: boolean | undefined;
}

/** No answer: the connection could not be made or was lost. Whether a write took effect is unknown. */
export class ConnectionError extends Error {
  override name = 'ConnectionError';
  /** The server certainly did not start on the request, so a retry is safe. */
  readonly notSent: boolean;

  constructor(message?: string, options?: ConnectionErrorOptions) {
    super(message, options);
    this.notSent = options?.notSent ?? false;
  }
}

/** Our own deadline for a request passed. Whether a write took effect is unknown. */
export class RequestTimeoutError extends Error {
  override name = 'RequestTimeoutError';
}

/** The server sent data that cannot be decoded, or more than the limit. */
export class DecodeError extends Error {
  override name = 'DecodeError';
}

/** The kubeconfig, in-cluster files or credentials cannot be used; the message says which and what to do. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

type ApiErrorClass = new (...args: ConstructorParameters<typeof ApiError>) => ApiError;

const BY_REASON: Readonly<Record<string, ApiErrorClass>> = {
  BadRequest: BadRequestError,
  Unauthorized: UnauthorizedError,
  Forbidden: ForbiddenError,
  NotFound: NotFoundError,
  MethodNotAllowed: MethodNotAllowedError,
  AlreadyExists: AlreadyExistsError,
  Conflict: ConflictError,
  Gone: GoneError,
  Expired: GoneError,
  Invalid: InvalidError,
  RequestEntityTooLarge: TooLargeError,
  UnsupportedMediaType: UnsupportedMediaTypeError,
  TooManyRequests: TooManyRequestsError,
  InternalError: InternalServerError,
  ServerTimeout: ServerTimeoutError,
  Timeout: TimeoutError,
  ServiceUnavailable: ServiceUnavailableError,
};

const BY_CODE: Readonly<Record<number, ApiErrorClass>> = {
  400: BadRequestError,
  401: UnauthorizedError,
  403: ForbiddenError,
  404: NotFoundError,
  405: MethodNotAllowedError,
  408: TimeoutError,
  409: ConflictError,
  410: GoneError,
  413: TooLargeError,
  415: UnsupportedMediaTypeError,
  422: InvalidError,
  429: TooManyRequestsError,
  500: InternalServerError,
  502: ServiceUnavailableError,
  503: ServiceUnavailableError,
  504: TimeoutError,
};

/** Picks the class by reason, or by code if a proxy or an old server gave no reason. */
export function apiErrorFrom(status: Status, context?: ApiErrorContext): ApiError {
  const type = BY_REASON[status.reason ?? ''] ?? BY_CODE[status.code ?? 0] ?? ApiError;
  return new type(status, context);
}

/** An event or list of a resourceVersion that the server has not reached yet. */
export function isResourceVersionTooLarge(error: unknown): boolean {
  return error instanceof ApiError && error.hasCause('ResourceVersionTooLarge');
}
