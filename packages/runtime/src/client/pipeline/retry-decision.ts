/** Decides whether and when a failed request is retried. Pure. */
import { ApiError, ConnectionError, isResourceVersionTooLarge } from '../errors.ts';
import type { ClientRequest } from './request.ts';

/** Retry policy. */
export interface RetryPolicy {
  /** Maximum number of attempts. */
  readonly maxAttempts: number;
  /** Longest wait before the second attempt if the server sends no Retry-After; doubles with each further attempt. */
  readonly baseMs: number;
  readonly maxMs: number;
  /** If the server asks for a longer wait, its error goes to the caller instead. */
  readonly maxRetryAfterMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = {
  maxAttempts: 4,
  baseMs: 100,
  maxMs: 5_000,
  maxRetryAfterMs: 30_000,
};

/** Jitter on top of Retry-After, so that clients refused together do not retry together. */
const RETRY_AFTER_JITTER = 0.2;

/** Milliseconds to wait, or undefined if the error is final. `attempt` counts from 1. */
export function retryDelay(
  error: unknown,
  request: Pick<ClientRequest, 'idempotent'>,
  attempt: number,
  policy: RetryPolicy,
  random: () => number,
): number | undefined {
  if (attempt >= policy.maxAttempts || !mayRepeat(error, request.idempotent)) return undefined;
  const asked = error instanceof ApiError ? error.retryAfterMs : undefined;
  if (asked === undefined) {
    const longest = Math.min(policy.baseMs * 2 ** (attempt - 1), policy.maxMs);
    return longest * (0.5 + 0.5 * random());
  }
  return asked > policy.maxRetryAfterMs ? undefined : asked * (1 + RETRY_AFTER_JITTER * random());
}

function mayRepeat(error: unknown, idempotent: boolean): boolean {
  if (error instanceof ConnectionError) return error.notSent || idempotent;
  if (!(error instanceof ApiError)) return false;
  // These two are about the object, not the server's load: the caller decides.
  if (error.hasCause('DisruptionBudget') || isResourceVersionTooLarge(error)) return false;
  if (error.code === 429) return true;
  const asked = error.retryAfterMs !== undefined;
  if (error.code === 503) return asked || idempotent;
  return error.code >= 500 && asked && idempotent;
}
