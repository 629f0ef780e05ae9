/**
 * A small HTTP server for probes, metrics and other endpoints of a controller.
 *
 * In: routes. Out: a runnable that is ready once it listens. Guarantees: a handler that fails answers 500 and affects
 * no other request; slow senders are disconnected; callers can occupy only a bounded amount of memory (see
 * `ConnectionGuard`); waiting requests are answered in turns of the event loop, so that a flood of them delays
 * nothing else for longer than one answer takes; a stop lets answers finish, and idle connections do not delay it. It
 * speaks plain HTTP: an endpoint that needs TLS or its own body limit is another server.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Runnable, RunSignals } from '../lifecycle/runnable.ts';
import { silentLogger } from '../logging/create-logger.ts';
import type { Logger } from '../logging/logger.ts';
import { parseAddress } from './address.ts';
import { ConnectionGuard, REQUEST_LIMITS } from './connection-guard.ts';
import { keepDoor, knownAs } from './door.ts';
import { Turns } from './turns.ts';

/** A request as a handler sees it. */
export interface HttpRequest {
  readonly message: IncomingMessage;
  /** The path as sent, without the query and not decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** By `performance.now()`: the request may have waited since. */
  readonly arrivedAt: number;
}

/** Answers requests to one path. */
export type HttpHandler = (request: HttpRequest, response: ServerResponse) => void | Promise<void>;

/** Methods and authorization of a path. */
export interface RouteOptions {
  /**
   * Answered at once, before waiting requests: for probes, which are cheap, and without which the kubelet restarts
   * us.
   */
  readonly isUrgent?: boolean;
}

interface Route extends RouteOptions {
  readonly handler: HttpHandler;
}

/** Address and limits of a server. */
export interface HttpServerOptions {
  /** `host:port` or `:port`; port 0 takes any that is free. */
  readonly address: string;
  readonly name?: string | undefined;
  readonly logger?: Logger | undefined;
  /** Concurrent connections: see `ConnectionGuard`. */
  readonly maxConnections?: number | undefined;
}

/** The listen backlog; when it is full, a new client has to retry a second later. */
const BACKLOG = 1024;

/** A small HTTP server for probes, metrics and inspection, as a runnable. */
export class HttpServer implements Runnable {
  readonly name: string;
  readonly stage = 'http';
  readonly #address: string;
  readonly #logger: Logger;
  readonly #routes = new Map<string, Route>();
  readonly #turns = new Turns();
  readonly #server: Server;
  readonly #listening: Promise<void>;
  readonly #guard: ConnectionGuard;
  #onListening: () => void = () => undefined;

  constructor(options: HttpServerOptions) {
    this.name = options.name ?? `http ${options.address}`;
    this.#address = options.address;
    this.#logger = options.logger ?? silentLogger;
    parseAddress(options.address);
    const { maxConnections: most } = options;
    this.#guard = new ConnectionGuard(most === undefined ? {} : { most });
    this.#server = createServer(REQUEST_LIMITS, (message, response) => void this.#serve(message, response));
    keepDoor(this.#server, (socket) => this.#guard.admit(socket));
    this.#listening = new Promise((resolve) => {
      this.#onListening = resolve;
    });
  }

  /** Serves a path, or everything below it when it ends with `/`. The longest match wins. */
  route(path: string, handler: HttpHandler, options: RouteOptions = {}): this {
    if (this.#routes.has(path)) throw new TypeError(`The path "${path}" of ${this.name} is taken`);
    this.#routes.set(path, { handler, ...options });
    return this;
  }

  /** The port that it listens on. */
  get port(): number {
    return (this.#server.address() as AddressInfo | null)?.port ?? parseAddress(this.#address).port;
  }

  ready(): Promise<void> {
    return this.#listening;
  }

  async start({ stopping, abort }: RunSignals): Promise<void> {
    const { host, port } = parseAddress(this.#address);
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (error) => {
        reject(new Error(`Cannot listen on ${this.#address}: ${error.message}`, { cause: error }));
      });
      this.#server.listen({ port, host, backlog: BACKLOG }, resolve);
    });
    this.#logger.info('Listening', { server: this.name, port: this.port });
    this.#onListening();
    const cut = (): void => this.#server.closeAllConnections();
    abort.addEventListener('abort', cut, { once: true });
    try {
      await new Promise<void>((resolve) => {
        const close = (): void => {
          this.#server.close(() => resolve());
          // Node's own closeIdleConnections spares those that never sent a request.
          this.#guard.closeIdle();
        };
        if (stopping.aborted) close();
        else stopping.addEventListener('abort', close, { once: true });
      });
    } finally {
      abort.removeEventListener('abort', cut);
    }
  }

  async #serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const socket = knownAs(message.socket);
    const arrivedAt = performance.now();
    // No known client pipelines requests, and their answers would pile up.
    if (!this.#guard.begin(socket)) return void message.socket.destroy();
    // The client may send its next request before we are told that the answer was sent.
    response.once('prefinish', () => this.#guard.end(socket));
    response.once('close', () => {
      if (!response.writableEnded) this.#guard.end(socket);
      if (!this.#server.listening) message.socket.end();
    });
    const [path = '/', search = ''] = (message.url ?? '/').split('?', 2);
    const route = this.#find(path);
    if (!route) return respond(response, 404, 'not found\n');
    if (!route.isUrgent) await this.#turns.next();
    // The client has disconnected and needs no answer.
    if (response.destroyed) return;
    try {
      await route.handler({ message, path, query: new URLSearchParams(search), arrivedAt }, response);
      this.#guard.answered(socket);
    } catch (error) {
      this.#logger.error('A request could not be answered', { server: this.name, path, error });
      if (response.headersSent) response.destroy();
      else respond(response, 500, 'internal error\n');
    }
  }

  #find(path: string): Route | undefined {
    const exact = this.#routes.get(path);
    if (exact) return exact;
    for (let end = path.lastIndexOf('/'); end >= 0; end = end > 0 ? path.lastIndexOf('/', end - 1) : -1) {
      const below = this.#routes.get(path.slice(0, end + 1));
      if (below) return below;
    }
    return undefined;
  }
}

/** Answers 405 with the methods that the path has. */
export function refuseMethod(response: ServerResponse, allow = 'GET, HEAD'): void {
  response.setHeader('allow', allow);
  respond(response, 405, `only ${allow}\n`);
}

/** Answers with a status and a text. */
export function respond(
  response: ServerResponse,
  status: number,
  body: string | Uint8Array,
  contentType = 'text/plain; charset=utf-8',
): void {
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(body),
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
  response.end(body);
}
