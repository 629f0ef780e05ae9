/**
 * An in-process transport: requests become calls, watches become async iterables.
 *
 * Guarantees: there are only promises between the two sides, so under a virtual clock every run is the same. Unread
 * chunks are buffered; a client that is too slow loses its watch, as it would over the network.
 */
import {
  type ApiRequest,
  type ApiResponse,
  type Handler,
  isLive,
  type LiveBody,
} from '../request/request.ts';

/** The interface `Transport` of @reloader/runtime, and of anything else that speaks HTTP in objects. */
export interface InProcessRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  readonly signal?: AbortSignal;
}

export interface InProcessResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** A transport for `createClient` that needs no socket. */
export interface InProcessTransport {
  request(request: InProcessRequest): Promise<InProcessResponse>;
  close(): Promise<void>;
}

/** How many chunks a watch may lag before it is ended. */
const MOST_UNREAD_CHUNKS = 100_000;

export function inProcessTransport(
  handler: Handler,
  extra: Pick<ApiRequest, 'replica'> & { readonly token?: string | undefined } = {},
): InProcessTransport {
  const open = new Set<() => void>();
  let closed = false;
  return {
    async request(request) {
      if (closed) throw new Error(`The in-process transport is closed: ${request.method} ${request.path}`);
      request.signal?.throwIfAborted();
      const response = await handler(withCredentials(request, extra));
      return { ...response, body: readable(response, request.signal, open) };
    },
    async close() {
      closed = true;
      for (const stop of [...open]) stop();
    },
  };
}

function withCredentials(
  request: InProcessRequest,
  { token, replica }: Pick<ApiRequest, 'replica'> & { readonly token?: string | undefined },
): ApiRequest {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) headers[name.toLowerCase()] = value;
  if (token !== undefined) headers.authorization ??= `Bearer ${token}`;
  return { ...request, headers, ...(replica && { replica }) };
}

function readable(
  { body }: ApiResponse,
  signal: AbortSignal | undefined,
  open: Set<() => void>,
): AsyncIterable<Uint8Array> {
  if (isLive(body)) return liveChunks(body, signal, open);
  return (async function* () {
    if (body.length > 0) yield body;
  })();
}

/** The watch starts at once, whether it is read or not, as over a socket. */
function liveChunks(
  body: LiveBody,
  signal: AbortSignal | undefined,
  open: Set<() => void>,
): AsyncIterable<Uint8Array> {
  let unread: Uint8Array[] = [];
  let read = 0;
  let ended = false;
  let failure: { readonly error: unknown } | undefined;
  let wake: (() => void) | undefined;
  let stop: (() => void) | undefined;
  const finish = (): void => {
    ended = true;
    signal?.removeEventListener('abort', onAbort);
    open.delete(cancel);
    wake?.();
  };
  const cancel = (): void => {
    if (ended) return;
    finish();
    stop?.();
  };
  const onAbort = (): void => {
    failure = { error: signal?.reason };
    cancel();
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  open.add(cancel);
  stop = body.open({
    write(chunk) {
      if (ended) return;
      unread.push(chunk);
      wake?.();
      if (unread.length - read > MOST_UNREAD_CHUNKS) cancel();
    },
    end: finish,
    fail(error) {
      if (ended) return;
      failure = { error };
      finish();
    },
  });
  // Ended before there was anything to stop.
  if (ended) stop();
  const iterator: AsyncIterator<Uint8Array> = {
    async next() {
      for (;;) {
        if (failure) throw failure.error;
        const chunk = unread[read];
        if (chunk) {
          read++;
          return { done: false, value: chunk };
        }
        unread = [];
        read = 0;
        if (ended) return { done: true, value: undefined };
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        wake = undefined;
      }
    },
    async return() {
      cancel();
      unread = [];
      return { done: true, value: undefined };
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}
