/**
 * The transport over real connections: HTTP/2 over TLS, HTTP/1.1 where the server does not offer it.
 *
 * In: a `ClusterConfig`. Out: a `Transport`. Guarantees: one connection carries all requests and watches until
 * the server's limit of concurrent streams is reached, then another is opened beside it; a connection made
 * with a CA or certificate that has been replaced since takes no new requests; a request that certainly did
 * not reach the server because its connection was going down is sent once more on a new one.
 * Two transports never share a connection: give work that must not wait for others a client of its own.
 */
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { type Clock, systemClock } from '../../clock/clock.ts';
import { abortable, type Deadline, deadline } from '../abort.ts';
import type { TlsMaterial } from '../auth/tls.ts';
import type { ClusterConfig } from '../config/cluster-config.ts';
import { ConnectionError } from '../errors.ts';
import type { Transport, TransportRequest, TransportResponse } from '../transport.ts';
import { connectTimedOut } from './connection-errors.ts';
import { dialPlain, dialTls } from './dial.ts';
import { type Endpoint, endpointOf } from './endpoint.ts';
import { H1Connections } from './h1.ts';
import { H2Session } from './h2-session.ts';

/** Options of the transport. */
export interface HttpTransportOptions {
  readonly clock?: Clock | undefined;
  /** Timeout for TCP, proxy, TLS and the HTTP/2 SETTINGS together. Default 10 s. */
  readonly connectTimeoutMs?: number | undefined;
  /** Silence after which an HTTP/2 connection is checked by a PING. Default 15 s. */
  readonly pingIntervalMs?: number | undefined;
  /** Timeout for the answer to a PING. Default 10 s. */
  readonly pingTimeoutMs?: number | undefined;
}

/** A transport over HTTP/2, or HTTP/1.1 if the server does not offer HTTP/2. */
export function createHttpTransport(config: ClusterConfig, options: HttpTransportOptions = {}): Transport {
  return new HttpTransport(config, options);
}

class HttpTransport implements Transport {
  readonly #config: ClusterConfig;
  readonly #endpoint: Endpoint;
  readonly #options: { readonly [K in keyof HttpTransportOptions]-?: NonNullable<HttpTransportOptions[K]> };
  readonly #closing = new AbortController();
  readonly #sessions = new Set<H2Session>();
  #opening: Promise<void> | undefined;
  /** Set once the server turned out not to offer HTTP/2; never reset. */
  #h1: { readonly connections: H1Connections; readonly material: TlsMaterial | undefined } | undefined;

  constructor(config: ClusterConfig, options: HttpTransportOptions) {
    this.#config = config;
    this.#endpoint = endpointOf(config);
    this.#options = {
      clock: options.clock ?? systemClock,
      connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
      pingIntervalMs: options.pingIntervalMs ?? 15_000,
      pingTimeoutMs: options.pingTimeoutMs ?? 10_000,
    };
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    for (let first = true; ; first = false) {
      const place = await this.#place(request.signal);
      try {
        return await place.request(request);
      } catch (error) {
        const refused = place instanceof H2Session && error instanceof ConnectionError && error.notSent;
        if (!first || !refused) throw error;
      }
    }
  }

  async close(): Promise<void> {
    const closed = new ConnectionError(`The client for ${this.#endpoint.server} was closed`);
    this.#closing.abort(closed);
    this.#h1?.connections.destroy();
    await Promise.all([...this.#sessions].map((session) => session.destroy(closed)));
  }

  /** A connection with a free stream, opened if needed. */
  async #place(signal: AbortSignal | undefined): Promise<H2Session | H1Connections> {
    for (;;) {
      this.#closing.signal.throwIfAborted();
      signal?.throwIfAborted();
      const material = this.#endpoint.secure ? await this.#config.tls.current(signal) : undefined;
      if (this.#h1 && this.#h1.material === material) return this.#h1.connections;
      if (this.#h1 || !material) return this.#useH1(material);
      for (const session of this.#sessions) {
        if (session.material !== material) session.retire();
        else if (session.take()) return session;
      }
      this.#opening ??= this.#open(material).finally(() => {
        this.#opening = undefined;
      });
      await abortable(this.#opening, signal);
    }
  }

  async #open(material: TlsMaterial): Promise<void> {
    const limit = this.#connectLimit();
    try {
      const socket = await dialTls(this.#endpoint, material, {
        signal: limit.signal,
        protocols: ['h2', 'http/1.1'],
      });
      if (socket.alpnProtocol === 'h2') await this.#addSession(socket, material, limit.signal);
      else this.#useH1(material, socket);
    } finally {
      limit.dispose();
    }
  }

  async #addSession(socket: TLSSocket, material: TlsMaterial, signal: AbortSignal): Promise<void> {
    const { clock, pingIntervalMs, pingTimeoutMs } = this.#options;
    const session = await H2Session.open(
      socket,
      material,
      {
        endpoint: this.#endpoint,
        clock,
        pingIntervalMs,
        pingTimeoutMs,
      },
      signal,
    );
    this.#sessions.add(session);
    void session.closed.then(() => this.#sessions.delete(session));
  }

  /** `spare` is the connection whose TLS handshake just selected HTTP/1.1. */
  #useH1(material: TlsMaterial | undefined, spare?: Socket): H1Connections {
    this.#h1?.connections.retire();
    let unused = spare?.on('error', () => {});
    const open = (): Promise<Socket> => {
      const ready = unused;
      unused = undefined;
      return ready && !ready.destroyed ? Promise.resolve(ready) : this.#dialH1(material);
    };
    const connections = new H1Connections(this.#endpoint, open);
    this.#h1 = { connections, material };
    return connections;
  }

  async #dialH1(material: TlsMaterial | undefined): Promise<Socket> {
    const limit = this.#connectLimit();
    const { signal } = limit;
    try {
      return material
        ? await dialTls(this.#endpoint, material, { signal, protocols: ['http/1.1'] })
        : await dialPlain(this.#endpoint, signal);
    } finally {
      limit.dispose();
    }
  }

  #connectLimit(): Deadline {
    const { clock, connectTimeoutMs } = this.#options;
    const timedOut = (): Error => connectTimedOut(this.#endpoint, connectTimeoutMs);
    return deadline(clock, connectTimeoutMs, timedOut, this.#closing.signal);
  }
}
