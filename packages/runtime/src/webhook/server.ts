/**
 * The admission server.
 *
 * In: handlers by path and a source of certificates. Out: HTTPS on port 9443 for the API server to ask.
 * Guarantees: a new certificate is used by the next connection, without a restart or a lost request; nothing
 * that a client sends, and nothing that a handler throws, ends the process or harms another request. A body that
 * is no AdmissionReview is answered 400, one that is too large 413, one too many at the same time 503, a handler that
 * fails or takes too long 500: then the configuration's failurePolicy decides, as it does when nobody answers. What callers
 * can make it hold in memory is bounded, as on the plain server, and a crowd of them delays nothing else.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { abortable, deadline } from '../client/abort.ts';
import { type Clock, systemClock } from '../clock/clock.ts';
import type { Runnable, RunSignals } from '../lifecycle/runnable.ts';
import { silentLogger } from '../logging/create-logger.ts';
import type { Logger } from '../logging/logger.ts';
import { ConnectionGuard, REQUEST_LIMITS } from '../manager/connection-guard.ts';
import { keepDoor } from '../manager/door.ts';
import { OneAtATime } from '../manager/one-at-a-time.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { AdmissionHandler } from './admission.ts';
import { BodyReader, BodyTooLargeError, TooManyBodiesError } from './body.ts';
import type { CertificateSource, ServingPair } from './certificate-source.ts';
import { type WebhookMetrics, webhookMetrics } from './metrics.ts';
import { parseReview, ReviewError, renderReview } from './review.ts';

/** Address, certificates and handlers of the webhook server. */
export interface WebhookServerOptions {
  readonly certificates: CertificateSource;
  /** By path: `/validate-webapp`. */
  readonly handlers: Readonly<Record<string, AdmissionHandler>>;
  /** Default 9443; 0 for any free one. */
  readonly port?: number | undefined;
  /** Default: all addresses. */
  readonly host?: string | undefined;
  /** Default 7 MiB: two objects of the largest size that the API server takes, and their wrapping. */
  readonly bodyLimitBytes?: number | undefined;
  /** Timeout of handlers, unless the API server announces a shorter one. Default 10 s, the API's own default. */
  readonly handlerTimeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
}

/** The admission server as a runnable. */
export interface WebhookServer extends Runnable {
  readonly stage: 'webhooks';
  /** The port in use; undefined while it does not listen. */
  readonly port: number | undefined;
  ready(signal: AbortSignal): Promise<void>;
}

/** As long as the API server keeps an idle connection. */
const IDLE_TIMEOUT_MS = 90_000;
/** The body may be large, and the network slow; the API server waits no longer than this. */
const REQUEST_TIMEOUT_MS = 30_000;
const LARGEST_BODY_BYTES = 7 * 1024 * 1024;
/** This many of the largest bodies at once. Usual ones have a few kilobytes. */
const LARGEST_BODIES = 4;

/**
 * Serves admission webhooks over HTTPS.
 *
 * @example
 * ```ts
 * const server = createWebhookServer({
 *   certificates: managedCertificates({
 *     client,
 *     secret: { namespace, name: 'webhook-cert' },
 *     service: { namespace, name: 'webhook' },
 *     configurations: [{ kind: 'ValidatingWebhookConfiguration', name: 'my-operator' }],
 *   }),
 *   handlers: {
 *     '/validate-webapp': validator<WebApp>({
 *       update: (app, old) => (app.spec.host === old.spec.host ? undefined : deny('spec.host cannot be changed')),
 *     }),
 *     '/default-webapp': defaulter<WebApp>((draft) => {
 *       draft.spec.replicas ??= 2;
 *     }),
 *   },
 * });
 * manager.add(server);
 * ```
 */
export function createWebhookServer(options: WebhookServerOptions): WebhookServer {
  return new AdmissionServer(options);
}

class AdmissionServer implements WebhookServer {
  readonly name = 'webhook server';
  readonly stage = 'webhooks';
  readonly #options: WebhookServerOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #metrics: WebhookMetrics;
  readonly #listening: Promise<void>;
  #onListening: () => void = () => {};
  /** Tracks all connections, also those still in their handshake, which the server itself does not count. */
  readonly #guard = new ConnectionGuard({ idleMs: IDLE_TIMEOUT_MS });
  readonly #oneAtATime = new OneAtATime();
  readonly #bodies: BodyReader;
  #port: number | undefined;

  constructor(options: WebhookServerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? silentLogger;
    const { bodyLimitBytes: one = LARGEST_BODY_BYTES } = options;
    this.#bodies = new BodyReader({ one, all: LARGEST_BODIES * one });
    this.#metrics = webhookMetrics(options.metrics, Object.keys(options.handlers));
    this.#listening = new Promise((resolve) => {
      this.#onListening = resolve;
    });
  }

  get port(): number | undefined {
    return this.#port;
  }

  async ready(signal: AbortSignal): Promise<void> {
    await abortable(this.#listening, signal);
  }

  async start({ stopping, abort }: RunSignals): Promise<void> {
    const { certificates } = this.#options;
    let pair: ServingPair;
    try {
      pair = await certificates.first(stopping);
    } catch (error) {
      if (stopping.aborted) return;
      throw error;
    }
    const server = this.#create(pair);
    await this.#listen(server);
    const following = certificates.watch((next) => this.#swap(server, next), stopping);
    await aborted(stopping);
    const cut = (): void => this.#guard.closeAll();
    abort.addEventListener('abort', cut, { once: true });
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeIdleConnections();
      if (abort.aborted) cut();
    });
    abort.removeEventListener('abort', cut);
    this.#port = undefined;
    await following;
  }

  #create({ cert, key }: ServingPair): Server {
    const limits = {
      ...REQUEST_LIMITS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: IDLE_TIMEOUT_MS,
      handshakeTimeout: REQUEST_LIMITS.headersTimeout,
    };
    const server = createServer({ ...limits, cert, key }, (request, response) => {
      if (this.#oneAtATime.begin(request, response)) void this.#serve(request, response);
    });
    keepDoor(server, (socket) => this.#guard.admit(socket));
    // Scanners and health probes abort handshakes all the time; ignore that.
    server.on('tlsClientError', (error) => this.#logger.debug('TLS handshake failed', { error }));
    return server;
  }

  #listen(server: Server): Promise<void> {
    const { port = 9443, host } = this.#options;
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen({ port, ...(host !== undefined && { host }) }, () => {
        server.off('error', reject);
        server.on('error', (error) => this.#logger.error('The webhook server reported an error', { error }));
        this.#port = (server.address() as AddressInfo).port;
        this.#logger.info('Serving webhooks', {
          port: this.#port,
          paths: Object.keys(this.#options.handlers),
        });
        this.#onListening();
        resolve();
      });
    });
  }

  #swap(server: Server, { cert, key }: ServingPair): void {
    try {
      server.setSecureContext({ cert, key });
      this.#logger.info('Serving with a new certificate', { source: this.#options.certificates.name });
    } catch (error) {
      this.#logger.error('Cannot serve with the new certificate; keeping the old one', { error });
    }
  }

  /** Never rejects. */
  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = '', query = ''] = (request.url ?? '').split('?', 2);
    const handler = this.#options.handlers[path];
    const refusal = refuse(request, handler);
    if (refusal?.allow) response.setHeader('Allow', refusal.allow);
    if (!handler || refusal)
      return reply(response, refusal?.code ?? 404, `${refusal?.message ?? 'Not found'}\n`);
    const start = this.#clock.monotonic();
    this.#metrics.started(path);
    let code = 200;
    try {
      const body = await this.#answer(handler, request, new URLSearchParams(query).get('timeout'));
      reply(response, code, body, 'application/json');
    } catch (error) {
      code = codeOf(error);
      this.#logger[code === 500 ? 'error' : 'warn']('Could not answer an admission request', {
        path,
        code,
        error,
      });
      reply(response, code, `${messageOf(error, code)}\n`);
    } finally {
      this.#metrics.finished(path, code, (this.#clock.monotonic() - start) / 1000);
    }
  }

  async #answer(
    handler: AdmissionHandler,
    request: IncomingMessage,
    timeout: string | null,
  ): Promise<string> {
    const { handlerTimeoutMs = 10_000 } = this.#options;
    const review = parseReview(await this.#bodies.read(request));
    const ms = Math.min(handlerTimeoutMs, parseTimeout(timeout) ?? handlerTimeoutMs);
    const limit = deadline(this.#clock, ms, () => new Error(`The handler did not answer within ${ms} ms`));
    try {
      const { signal } = limit;
      const answer = await abortable(handler(review, { signal }), signal);
      return renderReview(review.uid, answer);
    } finally {
      limit.dispose();
    }
  }
}

function refuse(
  request: IncomingMessage,
  handler: AdmissionHandler | undefined,
): { readonly code: number; readonly message: string; readonly allow?: string } | undefined {
  if (request.method === 'GET' && request.url === '/healthz') return { code: 200, message: 'ok' };
  if (!handler) return { code: 404, message: 'No webhook has this path' };
  if (request.method !== 'POST')
    return { code: 405, message: 'Admission reviews come by POST', allow: 'POST' };
  const type = request.headers['content-type']?.split(';')[0]?.trim();
  return type === 'application/json' ? undefined : { code: 415, message: 'Send application/json' };
}

function codeOf(error: unknown): number {
  if (error instanceof ReviewError) return 400;
  if (error instanceof TooManyBodiesError) return 503;
  return error instanceof BodyTooLargeError ? 413 : 500;
}

/** Internal errors go to our log, not to the caller. */
function messageOf(error: unknown, code: number): string {
  return code !== 500 && error instanceof Error ? error.message : 'The webhook failed';
}

function reply(
  response: ServerResponse,
  code: number,
  body: string,
  type = 'text/plain; charset=utf-8',
): void {
  if (response.destroyed || response.headersSent) return;
  // The unread rest of a body would be parsed as the next request.
  if (code !== 200) response.setHeader('Connection', 'close');
  response.writeHead(code, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}

/** The API server sends its timeout as `?timeout=10s`. */
function parseTimeout(text: string | null): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s)$/.exec(text ?? '');
  return match ? Number(match[1]) * (match[2] === 's' ? 1000 : 1) : undefined;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
