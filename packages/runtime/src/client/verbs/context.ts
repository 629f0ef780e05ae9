/** Shared by all verbs: how to send, and the client's settings. */
import type { Clock } from '../../clock/clock.ts';
import type { Logger } from '../../logging/logger.ts';
import type { KubernetesObject, Stored } from '../../model/types.ts';
import { type Deadline, deadline } from '../abort.ts';
import type { RequestOptions } from '../client.ts';
import { RequestTimeoutError } from '../errors.ts';
import type { ClientRequest } from '../pipeline/request.ts';
import type { ResourceType } from '../resource.ts';
import type { TransportResponse } from '../transport.ts';

/** Called with every object that the server stored for us. */
export type OnWritten = (type: ResourceType, object: Stored<KubernetesObject>) => void;

export interface VerbContext {
  /** Through credentials, retries and typed errors. */
  readonly send: (request: ClientRequest, limit?: Deadline) => Promise<TransportResponse>;
  readonly clock: Clock;
  readonly logger: Logger | undefined;
  readonly timeoutMs: number;
  readonly maxObjectBytes: number;
  readonly fieldManager: string | undefined;
  readonly onWritten: OnWritten | undefined;
}

/**
 * Sends, and lets `read` consume the answer, both within the request's timeout. Errors caused by the timeout or the
 * caller's signal are replaced by that reason.
 */
export async function exchange<R>(
  context: VerbContext,
  request: ClientRequest,
  options: RequestOptions | undefined,
  read: (response: TransportResponse) => Promise<R>,
): Promise<R> {
  const timeoutMs = options?.timeoutMs ?? context.timeoutMs;
  const timedOut = (): Error =>
    new RequestTimeoutError(
      `${request.summary}: no complete answer within ${timeoutMs / 1000} s: look at the load of the API server, or allow more time by timeoutMs`,
    );
  const limit = deadline(context.clock, timeoutMs, timedOut, options?.signal);
  try {
    const response = await context.send({ ...request, signal: limit.signal }, limit);
    return await read(response);
  } catch (error) {
    throw limit.signal.aborted ? limit.signal.reason : error;
  } finally {
    limit.dispose();
  }
}
