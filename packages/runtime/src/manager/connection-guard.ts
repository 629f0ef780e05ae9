/**
 * Bounds a server's memory and keeps it responsive, whatever connects to it.
 *
 * In: the connections of one server. Out: at most `most` of them. Guarantees: a new connection is always accepted; if
 * the limit is exceeded, the oldest connection of the address with the most connections is closed. So a flood from
 * one address costs that address its own connections, and a kubelet's probe is still answered. A peer that neither
 * sends nor reads for a while is disconnected.
 */
import type { Socket } from 'node:net';

/** Number of connections and timeouts. */
export interface ConnectionGuardOptions {
  /** Concurrent connections. Default 256: with 8 KiB of headers each, that is 2 MiB. */
  readonly most?: number;
  /** An idle connection is closed after this long. Default 90 s. */
  readonly idleMs?: number;
}

/** Limits for HTTP and TLS servers: far above what a probe or a token needs. */
export const REQUEST_LIMITS = {
  maxHeaderSize: 8 * 1024,
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 75_000,
  // Node checks only every 30 s by default.
  connectionsCheckingInterval: 1_000,
} as const;

const MOST = 256;
const IDLE_MS = 90_000;

type Peer = Pick<Socket, 'remoteAddress' | 'destroy' | 'on' | 'once' | 'setTimeout'>;

/** Bounds the connections of a server: above the limit, the address with the most connections loses its oldest. */
export class ConnectionGuard {
  readonly #most: number;
  readonly #idleMs: number;
  /** Open connections, oldest first, and whether each has an answer pending. */
  readonly #connections = new Map<Peer, { readonly address: string; isBusy: boolean }>();
  readonly #byAddress = new Map<string, number>();

  constructor({ most = MOST, idleMs = IDLE_MS }: ConnectionGuardOptions = {}) {
    this.#most = most;
    this.#idleMs = idleMs;
  }

  get size(): number {
    return this.#connections.size;
  }

  /** To be called for a server's `connection` event. */
  admit(socket: Peer): void {
    // Undefined once the peer has disconnected; it is also needed when the connection is removed.
    const address = socket.remoteAddress ?? '';
    this.#connections.set(socket, { address, isBusy: false });
    this.#byAddress.set(address, (this.#byAddress.get(address) ?? 0) + 1);
    socket.setTimeout(this.#idleMs).on('timeout', () => socket.destroy());
    socket.once('close', () => this.#forget(socket));
    if (this.#connections.size > this.#most) this.#closeOneFor(socket);
  }

  /** An answer is pending on this connection, so it is not idle. False if another answer is already pending. */
  begin(socket: Peer): boolean {
    const known = this.#connections.get(socket);
    if (known?.isBusy) return false;
    if (known) known.isBusy = true;
    socket.setTimeout(0);
    return true;
  }

  /** The peer has received the answer. */
  end(socket: Peer): void {
    const known = this.#connections.get(socket);
    if (known) known.isBusy = false;
  }

  /** The answer is being sent: a peer that does not read it is disconnected like any idle one. */
  answered(socket: Peer): void {
    if (this.#connections.has(socket)) socket.setTimeout(this.#idleMs);
  }

  closeIdle(): void {
    for (const [socket, { isBusy }] of this.#connections) if (!isBusy) socket.destroy();
  }

  closeAll(): void {
    for (const socket of this.#connections.keys()) socket.destroy();
  }

  #closeOneFor(newcomer: Peer): void {
    const most = Math.max(...this.#byAddress.values());
    let victim: Peer | undefined;
    for (const [socket, { address }] of this.#connections) {
      if (socket === newcomer) continue;
      victim ??= socket;
      if (this.#byAddress.get(address) !== most) continue;
      victim = socket;
      break;
    }
    if (!victim) return;
    // Its `close` event comes later, and until then it would be counted.
    this.#forget(victim);
    victim.destroy();
  }

  #forget(socket: Peer): void {
    const known = this.#connections.get(socket);
    if (!known || !this.#connections.delete(socket)) return;
    const left = (this.#byAddress.get(known.address) ?? 1) - 1;
    if (left > 0) this.#byAddress.set(known.address, left);
    else this.#byAddress.delete(known.address);
  }
}
