/** Requests that fit no other verb, with the client's credentials, retries and typed errors. */
import { type Deadline, deadline } from '../abort.ts';
import { RequestTimeoutError } from '../errors.ts';
import type { TransportRequest, TransportResponse } from '../transport.ts';
import type { VerbContext } from './context.ts';

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The timeout covers only the headers, since the body may be a stream of any length. */
export async function sendRaw(context: VerbContext, request: TransportRequest): Promise<TransportResponse> {
  const summary = `${request.method} ${request.path}`;
  const timedOut = (): Error =>
    new RequestTimeoutError(`${summary}: no answer within ${context.timeoutMs / 1000} s`);
  const limit = deadline(context.clock, context.timeoutMs, timedOut, request.signal);
  try {
    const response = await context.send(
      {
        ...request,
        verb: 'raw',
        summary,
        idempotent: READING.has(request.method.toUpperCase()),
        signal: limit.signal,
      },
      limit,
    );
    limit.stopTimer();
    return { ...response, body: withRelease(response.body, limit) };
  } catch (error) {
    limit.dispose();
    throw limit.signal.aborted ? limit.signal.reason : error;
  }
}

/** The caller's signal must also abort a body that is still being read. */
async function* withRelease(
  body: AsyncIterable<Uint8Array>,
  limit: Deadline,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* body;
  } finally {
    limit.dispose();
  }
}
