/**
 * Failures by meaning. An answer of the API server becomes an `ApiError` subclass by its reason and code;
 * what happened before or after an answer is a `ConnectionError`, `RequestTimeoutError`, `DecodeError` or
 * `ConfigError`.
 */
import type { Status, StatusCause } from '../model/types.ts';

export interface ApiErrorContext {
  /** What was asked, in words: `list secrets in namespace "a"`. */
  readonly request?: string;
  readonly retryAfterMs?: number;
  /** What to do about it, where we know better than the server's message. */
  readonly advice?: string;
}

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

export class BadRequestError extends ApiError {
  override name = 'BadRequestError';
}
export class UnauthorizedError extends ApiError {
  override name = 'UnauthorizedError';
}
export class ForbiddenError extends ApiError {
  override name = 'ForbiddenError';
}
export class NotFoundError extends ApiError {
  override name = 'NotFoundError';
}
export class MethodNotAllowedError extends ApiError {
  override name = 'MethodNotAllowedError';
}
export class AlreadyExistsError extends ApiError {
  override name = 'AlreadyExistsError';
}
export class ConflictError extends ApiError {
  override name = 'ConflictError';
}
/** 410: the resourceVersion or continue token is too old (reasons Gone and Expired). */
export class GoneError extends ApiError {
  override name = 'GoneError';
}
export class InvalidError extends ApiError {
  override name = 'InvalidError';
}
export class TooLargeError extends ApiError {
  override name = 'TooLargeError';
}
export class UnsupportedMediaTypeError extends ApiError {
  override name = 'UnsupportedMediaTypeError';
}
export class TooManyRequestsError extends ApiError {
  override name = 'TooManyRequestsError';
}
export class InternalServerError extends ApiError {
  override name = 'InternalServerError';
}
/** The server gave up in time, the request may or may not have been carried out (reason ServerTimeout). */
export class ServerTimeoutError extends ApiError {
  override name = 'ServerTimeoutError';
}
/** The request took too long on the server (reason Timeout); also the carrier of ResourceVersionTooLarge. */
export class TimeoutError extends ApiError {
  override name = 'TimeoutError';
}
export class ServiceUnavailableError extends ApiError {
  override name = 'ServiceUnavailableError';
}

export interface ConnectionErrorOptions extends ErrorOptions {
  readonly notSent?: boolean | undefined;
}

/** No answer: the connection could not be made or was lost. Whether a write took effect is unknown. */
export class ConnectionError extends Error {
  override name = 'ConnectionError';
  /** The server has certainly not begun to work on the request, so that sending it again is safe. */
  readonly notSent: boolean;

  constructor(message?: string, options?: ConnectionErrorOptions) {
    super(message, options);
    this.notSent = options?.notSent ?? false;
  }
}

/** Our own deadline for one request passed. Whether a write took effect is unknown. */
export class RequestTimeoutError extends Error {
  override name = 'RequestTimeoutError';
}

/** The server sent something that cannot be read, or more than the limit allows. */
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

/** Picks the class by the reason, and by the code where a proxy or an old server gave no reason. */
export function apiErrorFrom(status: Status, context?: ApiErrorContext): ApiError {
  const type = BY_REASON[status.reason ?? ''] ?? BY_CODE[status.code ?? 0] ?? ApiError;
  return new type(status, context);
}

/** An event or list of a resourceVersion that the server has not reached yet. */
export function isResourceVersionTooLarge(error: unknown): boolean {
  return error instanceof ApiError && error.hasCause('ResourceVersionTooLarge');
}
