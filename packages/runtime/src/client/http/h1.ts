/**
 * HTTP/1.1, for servers and proxies that do not offer HTTP/2 and for plain http:// servers.
 *
 * In: a function that opens sockets. Out: requests on them. Connections are kept alive and reused. HTTP/1.1 has no
 * PING, so a vanished peer is detected by TCP keep-alive, by the request's timeout, or by the reader's idle timer.
 */
import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TransportRequest, TransportResponse } from '../transport.ts';
import { connectionLost } from './connection-errors.ts';
import type { Endpoint } from './endpoint.ts';
import { bodyOf, requestHeaders, responseHeaders } from './response.ts';

const IDLE_CONNECTIONS = 8;

export type OpenSocket = () => Promise<Socket>;

/** Node's connection pool, with our sockets. */
class SocketPool extends Agent {
  readonly #open: OpenSocket;

  constructor(open: OpenSocket) {
    super({ keepAlive: true, maxFreeSockets: IDLE_CONNECTIONS });
    this.#open = open;
  }

  override createConnection(
    _options: object,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    this.#open().then(
      (socket) => callback?.(null, socket),
      // Node looks at the stream only when there is no error.
      (error: Error) => (callback as ((error: Error) => void) | undefined)?.(error),
    );
    return undefined;
  }
}

export class H1Connections {
  readonly #endpoint: Endpoint;
  readonly #pool: SocketPool;

  constructor(endpoint: Endpoint, open: OpenSocket) {
    this.#endpoint = endpoint;
    this.#pool = new SocketPool(open);
  }

  request(request: TransportRequest): Promise<TransportResponse> {
    return new Promise((resolve, reject) => {
      const { signal } = request;
      const outgoing = httpRequest({
        agent: this.#pool,
        host: this.#endpoint.host,
        port: this.#endpoint.port,
        method: request.method,
        path: `${this.#endpoint.prefix}${request.path}`,
        headers: { ...requestHeaders(request), host: this.#endpoint.authority },
      });
      const lost = (cause: unknown): unknown =>
        signal?.aborted ? signal.reason : connectionLost(this.#endpoint, cause, neverConnected(outgoing));
      const onAbort = (): void => {
        outgoing.destroy();
        reject(signal?.reason);
      };
      outgoing.once('error', (error) => reject(lost(error)));
      outgoing.once('close', () => signal?.removeEventListener('abort', onAbort));
      outgoing.once('response', (incoming: IncomingMessage) => {
        // Until the body is read, nothing else listens for its errors.
        incoming.on('error', () => {});
        resolve({
          status: incoming.statusCode ?? 0,
          headers: responseHeaders(incoming.headers),
          body: bodyOf({
            stream: incoming,
            cancel: () => void outgoing.destroy(),
            complete: () => incoming.complete,
            failure: lost,
          }),
        });
      });
      if (signal?.aborted) onAbort();
      else signal?.addEventListener('abort', onAbort, { once: true });
      outgoing.end(request.body);
    });
  }

  /** Running requests finish; no connection is kept for later. */
  retire(): void {
    this.#pool.maxFreeSockets = 0;
    for (const sockets of Object.values(this.#pool.freeSockets))
      for (const socket of sockets ?? []) socket.destroy();
  }

  destroy(): void {
    this.#pool.destroy();
  }
}

function neverConnected(outgoing: ClientRequest): boolean {
  return outgoing.socket === null;
}
