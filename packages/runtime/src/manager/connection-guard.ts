/**
 * Keeps a server within its memory and answering, whoever connects to it.
 *
 * In: the connections of one server. Out: at most `most` of them. Guarantees: a new connection is always taken; if that
 * is one too many, the oldest connection of the address that holds most of them is closed for it. So a flood from one address costs that address its own connections, and a
 * kubelet's probe is answered in the middle of it. A peer that neither sends nor reads for a while is cut off.
 */
import type { Socket } from 'node:net';

/** How many connections, and how long one may take. */
export interface ConnectionGuardOptions {
  /** Connections at once. Default 256: with 8 KiB of headers each, that is 2 MiB. */
  readonly most?: number;
  /** A connection on which nothing moves for so long is closed. Default 90 s. */
  readonly idleMs?: number;
}

/** For servers that speak plain HTTP or TLS: what nobody needs to send a probe or a token. */
export const REQUEST_LIMITS = {
  maxHeaderSize: 8 * 1024,
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 75_000,
  // Node looks only every 30 s unless told otherwise.
  connectionsCheckingInterval: 1_000,
} as const;

const MOST = 256;
const IDLE_MS = 90_000;

type Peer = Pick<Socket, 'remoteAddress' | 'destroy' | 'on' | 'once' | 'setTimeout'>;

/** Bounds the connections of a server: one too many costs the address that holds most of them its oldest. */
export class ConnectionGuard {
  readonly #most: number;
  readonly #idleMs: number;
  /** Open connections, the oldest first, and whether an answer is due on each. */
  readonly #connections = new Map<Peer, { readonly address: string; isBusy: boolean }>();
  readonly #byAddress = new Map<string, number>();

  constructor({ most = MOST, idleMs = IDLE_MS }: ConnectionGuardOptions = {}) {
    this.#most = most;
    this.#idleMs = idleMs;
  }

  get size(): number {
    return this.#connections.size;
  }

  /** For the event `connection` of a server. */
  admit(socket: Peer): void {
    // Undefined once the peer has gone again; the address is needed when it is forgotten, too.
    const address = socket.remoteAddress ?? '';
    this.#connections.set(socket, { address, isBusy: false });
    this.#byAddress.set(address, (this.#byAddress.get(address) ?? 0) + 1);
    socket.setTimeout(this.#idleMs).on('timeout', () => socket.destroy());
    socket.once('close', () => this.#forget(socket));
    if (this.#connections.size > this.#most) this.#closeOneFor(socket);
  }

  /**
   * An answer is due on this connection; nothing has to move on it while the answer is being made. False where another
   * one is due already.
   */
  begin(socket: Peer): boolean {
    const known = this.#connections.get(socket);
    if (known?.isBusy) return false;
    if (known) known.isBusy = true;
    socket.setTimeout(0);
    return true;
  }

  /** The answer was taken. */
  end(socket: Peer): void {
    const known = this.#connections.get(socket);
    if (known) known.isBusy = false;
  }

  /** The answer is on its way: whoever does not take it is cut off like anybody else. */
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
    // Its own event comes later, and until then it would be counted.
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
