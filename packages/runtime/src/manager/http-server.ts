/**
 * A small HTTP server for probes, metrics and whatever else a controller shows.
 *
 * In: routes. Out: a runnable that listens from its start and is ready when it does. Guarantees: a handler that
 * fails answers 500 and harms nobody else; slow senders are cut off; a stop lets answers finish, and idle
 * connections do not hold it up. It speaks plain HTTP: what needs TLS or a body limit of its own is another server.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Runnable, RunSignals } from '../lifecycle/runnable.ts';
import { silentLogger } from '../logging/create-logger.ts';
import type { Logger } from '../logging/logger.ts';
import { parseAddress } from './address.ts';

export interface HttpRequest {
  readonly message: IncomingMessage;
  /** As it was sent, without the query; escapes are not decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
}

export type HttpHandler = (request: HttpRequest, response: ServerResponse) => void | Promise<void>;

export interface HttpServerOptions {
  /** `host:port` or `:port`; port 0 takes any that is free. */
  readonly address: string;
  readonly name?: string | undefined;
  readonly logger?: Logger | undefined;
}

export class HttpServer implements Runnable {
  readonly name: string;
  readonly stage = 'http';
  readonly #address: string;
  readonly #logger: Logger;
  readonly #routes = new Map<string, HttpHandler>();
  readonly #server: Server;
  readonly #listening: Promise<void>;
  /** Open connections, and whether an answer is due on each. */
  readonly #connections = new Map<Socket, boolean>();
  #onListening: () => void = () => undefined;

  constructor(options: HttpServerOptions) {
    this.name = options.name ?? `http ${options.address}`;
    this.#address = options.address;
    this.#logger = options.logger ?? silentLogger;
    parseAddress(options.address);
    this.#server = createServer(
      { headersTimeout: 32_000, requestTimeout: 60_000, keepAliveTimeout: 90_000, maxHeaderSize: 1 << 20 },
      (message, response) => void this.#serve(message, response),
    );
    this.#server.on('connection', (socket) => {
      this.#connections.set(socket, false);
      socket.once('close', () => this.#connections.delete(socket));
    });
    this.#listening = new Promise((resolve) => {
      this.#onListening = resolve;
    });
  }

  /** Serves a path, or everything below it when it ends with `/`. The longest match wins. */
  route(path: string, handler: HttpHandler): this {
    if (this.#routes.has(path)) throw new TypeError(`The path "${path}" of ${this.name} is taken`);
    this.#routes.set(path, handler);
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
      this.#server.listen(port, host, resolve);
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
          for (const [socket, isBusy] of this.#connections) if (!isBusy) socket.destroy();
        };
        if (stopping.aborted) close();
        else stopping.addEventListener('abort', close, { once: true });
      });
    } finally {
      abort.removeEventListener('abort', cut);
    }
  }

  async #serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket } = message;
    this.#connections.set(socket, true);
    response.once('close', () => {
      if (this.#connections.has(socket)) this.#connections.set(socket, false);
      if (!this.#server.listening) socket.end();
    });
    const [path = '/', search = ''] = (message.url ?? '/').split('?', 2);
    const handler = this.#find(path);
    if (!handler) return respond(response, 404, 'not found\n');
    try {
      await handler({ message, path, query: new URLSearchParams(search) }, response);
    } catch (error) {
      this.#logger.error('A request could not be answered', { server: this.name, path, error });
      if (response.headersSent) response.destroy();
      else respond(response, 500, 'internal error\n');
    }
  }

  #find(path: string): HttpHandler | undefined {
    const exact = this.#routes.get(path);
    if (exact) return exact;
    for (let end = path.lastIndexOf('/'); end >= 0; end = end > 0 ? path.lastIndexOf('/', end - 1) : -1) {
      const below = this.#routes.get(path.slice(0, end + 1));
      if (below) return below;
    }
    return undefined;
  }
}

export function respond(
  response: ServerResponse,
  status: number,
  body: string,
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
