/**
 * HTTPS for callers with a token.
 *
 * In: a source of certificates, routes. Out: a runnable; it does not delay the start of the others while its
 * certificate is missing. Guarantees: a new certificate is used by the next connection; the memory that callers can
 * make it use is bounded, as on the plain server; a stop lets answers finish and does not wait for idle connections.
 * Authorization is up to the routes.
 */
import type { IncomingMessage } from 'node:http';
import { createSecureServer } from 'node:http2';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import {
  type CertificateSource,
  ConnectionGuard,
  keepDoor,
  type Logger,
  OneAtATime,
  parseAddress,
  REQUEST_LIMITS,
  type Runnable,
  type RunSignals,
  type ServingPair,
} from '@reloader/runtime';
import type { Asked, Response } from './api-http.ts';

export interface SecureServerOptions {
  readonly name: string;
  readonly address: string;
  readonly http2: boolean;
  readonly certificates: CertificateSource;
  /** By path; a path that ends with `/` covers everything below it. */
  readonly routes: Readonly<Record<string, SecureHandler>>;
  /** Likewise, for handlers that write the answer themselves: files, streams. */
  readonly writers?: Readonly<Record<string, SecureWriter>>;
  readonly logger: Logger;
}

export type SecureWriter = (
  asked: Asked & { readonly message: Message; readonly token: string | undefined },
  response: Response,
) => void | Promise<void>;

/** The common part of HTTP/1 and HTTP/2 requests. */
export interface SecureRequest {
  readonly method: string | undefined;
  readonly path: string;
  readonly query: URLSearchParams;
  /** The bearer token of the Authorization header. */
  readonly token: string | undefined;
  /** Aborts when the client no longer waits for the answer. */
  readonly signal: AbortSignal;
}

export interface SecureAnswer {
  readonly status: number;
  readonly body: string;
  readonly contentType?: string;
  /** The methods that the path has, if it was asked by another. */
  readonly allow?: string;
}

export type SecureHandler = (request: SecureRequest) => Promise<SecureAnswer>;

type Message = Pick<IncomingMessage, 'method' | 'url' | 'headers'> & AsyncIterable<unknown>;

/** Streams of one connection: a browser opens a dozen at most, a scraper one. */
const MOST_STREAMS = 32;

export class SecureServer implements Runnable {
  readonly name: string;
  readonly stage = 'http';
  readonly listening: Promise<void>;
  readonly #options: SecureServerOptions;
  readonly #guard = new ConnectionGuard();
  #onListening: () => void = () => undefined;
  #onIdle: () => void = () => undefined;
  #answering = 0;
  #port: number | undefined;

  constructor(options: SecureServerOptions) {
    this.name = options.name;
    this.#options = options;
    this.listening = new Promise((resolve) => {
      this.#onListening = resolve;
    });
  }

  /** Undefined while it is not listening. */
  get port(): number | undefined {
    return this.#port;
  }

  async start({ stopping, abort }: RunSignals): Promise<void> {
    const { certificates, logger } = this.#options;
    let pair: ServingPair;
    try {
      pair = await certificates.first(stopping);
    } catch (error) {
      if (stopping.aborted) return;
      throw error;
    }
    const server = this.#create(pair);
    await this.#listen(server);
    const following = certificates.watch((next) => {
      try {
        server.setSecureContext({ cert: next.cert, key: next.key });
      } catch (error) {
        logger.error('Cannot serve with the new certificate; keeping the old one', {
          server: this.name,
          error,
        });
      }
    }, stopping);
    await aborted(stopping);
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    await Promise.race([this.#idle(), aborted(abort)]);
    this.#guard.closeAll();
    await closed;
    this.#port = undefined;
    await following;
  }

  #create({ cert, key }: ServingPair) {
    const serve = (message: Message, response: Response): void => {
      const ending = new AbortController();
      this.#answering += 1;
      response.once('close', () => {
        ending.abort();
        this.#answering -= 1;
        if (this.#answering === 0) this.#onIdle();
      });
      void this.#write(message, response, ending.signal);
    };
    const oneAtATime = new OneAtATime();
    const limits = { ...REQUEST_LIMITS, handshakeTimeout: REQUEST_LIMITS.headersTimeout };
    const server = this.#options.http2
      ? createSecureServer(
          {
            ...limits,
            cert,
            key,
            allowHTTP1: true,
            maxHeaderListPairs: 64,
            settings: {
              maxConcurrentStreams: MOST_STREAMS,
              maxHeaderListSize: REQUEST_LIMITS.maxHeaderSize,
            },
          },
          (request, response) => {
            if (request.httpVersionMajor === 1 && !oneAtATime.begin(request, response)) return;
            // Features that only HTTP/2 has are not used.
            serve(request, response as unknown as Response);
          },
        )
      : createServer({ ...limits, cert, key }, (request, response) => {
          if (!oneAtATime.begin(request, response)) return;
          serve(request, response);
        });
    keepDoor(server, (socket) => this.#guard.admit(socket));
    server.on('tlsClientError', (error) => this.#options.logger.debug('TLS handshake failed', { error }));
    return server;
  }

  #listen(server: ReturnType<typeof createServer> | ReturnType<typeof createSecureServer>): Promise<void> {
    const { address, logger } = this.#options;
    const { host, port } = parseAddress(address);
    return new Promise((resolve, reject) => {
      const refuse = (error: Error): void =>
        reject(new Error(`Cannot listen on ${address}: ${error.message}`, { cause: error }));
      server.once('error', refuse);
      server.listen({ port, ...(host !== undefined && { host }) }, () => {
        server.off('error', refuse);
        server.on('error', (error: Error) =>
          logger.error('The server reported trouble', { server: this.name, error }),
        );
        this.#port = (server.address() as AddressInfo).port;
        logger.info('Listening', { server: this.name, port: this.#port });
        this.#onListening();
        resolve();
      });
    });
  }

  /** Never rejects. */
  async #write(message: Message, response: Response, signal: AbortSignal): Promise<void> {
    const [path = '/', search = ''] = (message.url ?? '/').split('?', 2);
    const query = new URLSearchParams(search);
    const token = /^Bearer\s+(\S+)$/i.exec(message.headers.authorization ?? '')?.[1];
    const writer = found(this.#options.writers ?? {}, path);
    if (!writer) {
      const answer = await this.#answer({ method: message.method, path, query, token, signal });
      response.writeHead(answer.status, headersOf(answer)).end(answer.body);
      return;
    }
    try {
      await writer({ message, path, query, token }, response);
    } catch (error) {
      this.#options.logger.error('A request could not be answered', { server: this.name, path, error });
      response.destroy();
    }
  }

  /** Never rejects. */
  async #answer(request: SecureRequest): Promise<SecureAnswer> {
    const { method, path } = request;
    const handler = found(this.#options.routes, path);
    if (!handler) return { status: 404, body: 'not found\n' };
    if (method !== 'GET' && method !== 'HEAD')
      return { status: 405, body: 'only GET, HEAD\n', allow: 'GET, HEAD' };
    try {
      return await handler(request);
    } catch (error) {
      this.#options.logger.error('A request could not be answered', { server: this.name, path, error });
      return { status: 500, body: 'internal error\n' };
    }
  }

  #idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#answering === 0) resolve();
      else this.#onIdle = resolve;
    });
  }
}

function found<T>(routes: Readonly<Record<string, T>>, path: string): T | undefined {
  if (Object.hasOwn(routes, path)) return routes[path];
  const below = Object.keys(routes).find((each) => each.endsWith('/') && path.startsWith(each));
  return below === undefined ? undefined : routes[below];
}

function headersOf({
  body,
  contentType = 'text/plain; charset=utf-8',
  allow,
}: SecureAnswer): Record<string, string | number> {
  return {
    'content-type': contentType,
    'content-length': Buffer.byteLength(body),
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    ...(allow !== undefined && { allow }),
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
