/**
 * `/metrics` over TLS, for callers whom the API server lets get it.
 *
 * In: a source of certificates, an authorizer. Out: a runnable; it does not hold up the start of the others while its
 * certificate is not there yet. Guarantees: a new certificate is used by the next connection; nobody gets in while the
 * API server cannot be asked; a stop lets answers finish and waits for no idle connection.
 */
import { createSecureServer } from 'node:http2';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  type CertificateSource,
  type Logger,
  METRICS_CONTENT_TYPE,
  type Metrics,
  parseAddress,
  type RequestAuthorizer,
  type Runnable,
  type RunSignals,
  type ServingPair,
} from '@reloader/runtime';

export interface SecureMetricsOptions {
  readonly address: string;
  readonly http2: boolean;
  readonly certificates: CertificateSource;
  readonly authorize: RequestAuthorizer;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** What HTTP/1 and HTTP/2 requests have in common. */
interface Asked {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: { readonly authorization?: string | undefined };
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly contentType?: string;
}

const PATH = '/metrics';
const IDLE_TIMEOUT_MS = 90_000;

export class SecureMetricsServer implements Runnable {
  readonly name = 'secure metrics';
  readonly stage = 'http';
  readonly listening: Promise<void>;
  readonly #options: SecureMetricsOptions;
  readonly #sockets = new Set<Duplex>();
  #onListening: () => void = () => undefined;
  #onIdle: () => void = () => undefined;
  #answering = 0;
  #port: number | undefined;

  constructor(options: SecureMetricsOptions) {
    this.#options = options;
    this.listening = new Promise((resolve) => {
      this.#onListening = resolve;
    });
  }

  /** Undefined while it does not listen. */
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
        logger.error('Cannot serve metrics with the new certificate; keeping the old one', { error });
      }
    }, stopping);
    await aborted(stopping);
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    await Promise.race([this.#idle(), aborted(abort)]);
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    this.#port = undefined;
    await following;
  }

  #create({ cert, key }: ServingPair) {
    const serve = (
      asked: Asked,
      reply: (answer: Answer) => void,
      onClose: (call: () => void) => void,
    ): void => {
      this.#answering += 1;
      onClose(() => {
        this.#answering -= 1;
        if (this.#answering === 0) this.#onIdle();
      });
      void this.#answer(asked).then(reply);
    };
    const server = this.#options.http2
      ? createSecureServer({ cert, key, allowHTTP1: true }, (request, response) =>
          serve(
            request,
            (answer) => void response.writeHead(answer.status, headersOf(answer)).end(answer.body),
            (call) => response.once('close', call),
          ),
        )
      : createServer({ cert, key, headersTimeout: 32_000, requestTimeout: 60_000 }, (request, response) =>
          serve(
            request,
            (answer) => void response.writeHead(answer.status, headersOf(answer)).end(answer.body),
            (call) => response.once('close', call),
          ),
        );
    server.on('connection', (socket: Duplex & { setTimeout(ms: number, then: () => void): unknown }) => {
      this.#sockets.add(socket);
      socket.setTimeout(IDLE_TIMEOUT_MS, () => socket.destroy());
      socket.once('close', () => this.#sockets.delete(socket));
    });
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
        server.on('error', (error: Error) => logger.error('The metrics server reported trouble', { error }));
        this.#port = (server.address() as AddressInfo).port;
        logger.info('Listening', { server: this.name, port: this.#port });
        this.#onListening();
        resolve();
      });
    });
  }

  /** Never rejects. */
  async #answer({ method, url, headers }: Asked): Promise<Answer> {
    if (url?.split('?', 1)[0] !== PATH) return { status: 404, body: 'not found\n' };
    if (method !== 'GET' && method !== 'HEAD') return { status: 405, body: 'only GET\n' };
    try {
      const token = /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1];
      const verdict = await this.#options.authorize({ token, path: PATH, verb: 'get' });
      if (verdict === 'unauthenticated') return { status: 401, body: 'a valid bearer token is needed\n' };
      if (verdict === 'forbidden') return { status: 403, body: `not allowed to get ${PATH}\n` };
      return { status: 200, body: this.#options.metrics.render(), contentType: METRICS_CONTENT_TYPE };
    } catch (error) {
      this.#options.logger.error('Cannot tell whether somebody may read the metrics', { error });
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

function headersOf({
  body,
  contentType = 'text/plain; charset=utf-8',
}: Answer): Record<string, string | number> {
  return {
    'content-type': contentType,
    'content-length': Buffer.byteLength(body),
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
