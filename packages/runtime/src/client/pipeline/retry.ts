/**
 * Retries requests that may be retried.
 *
 * Guarantees: no wait goes beyond the request's deadline; where it would, the last error is thrown at once instead of
 * a timeout later.
 */
import { type Clock, sleep } from '../../clock/clock.ts';
import type { Logger } from '../../logging/logger.ts';
import type { Deadline } from '../abort.ts';
import type { TransportResponse } from '../transport.ts';
import type { ClientRequest, Send } from './request.ts';
import { type RetryPolicy, retryDelay } from './retry-decision.ts';

export interface Retrying {
  readonly policy: RetryPolicy;
  readonly clock: Clock;
  readonly random: () => number;
  readonly logger: Logger | undefined;
  /** True once the client was closed: then no failure is retried. */
  readonly closed: () => boolean;
}

export async function sendWithRetries(
  request: ClientRequest,
  limit: Deadline | undefined,
  retrying: Retrying,
  send: Send,
): Promise<TransportResponse> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send(request);
    } catch (error) {
      if (request.signal?.aborted) throw request.signal.reason;
      const delay = retryDelay(error, request, attempt, retrying.policy, retrying.random);
      const inTime = delay !== undefined && delay < (limit?.remaining() ?? Number.POSITIVE_INFINITY);
      if (!inTime || retrying.closed()) throw error;
      retrying.logger?.debug('Request failed, trying again', {
        request: request.summary,
        attempt,
        delayMs: Math.round(delay),
        error,
      });
      await sleep(retrying.clock, delay, request.signal);
    }
  }
}
