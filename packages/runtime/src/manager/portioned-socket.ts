/**
 * A connection whose bytes reach the HTTP parser in small portions.
 *
 * In: an open socket. Out: the same as a stream, for a server to read. Guarantees: nothing is parsed after a
 * `destroy`, so a server that closes the connection at the second of many requests never sees the thousands after it;
 * bytes of all connections together are passed on for a few milliseconds per turn of the event loop, one portion of
 * each in turn; timeouts, errors and ends are those of the socket.
 *
 * Node reads 64 KB at a time, and its parser reports all requests in them at once, even if the server closed the
 * connection at the first: 2,300 requests block the process for a quarter of a second. Node also reads from all
 * connections with data in one turn: hundreds of unfinished headers block it for as long.
 */
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { type InSteps, SharedTurns } from './shared-turns.ts';

/** The shortest request has 26 bytes: at most five are parsed at once. */
const PORTION_BYTES = 128;

/** All servers of a process share the event loop, and therefore this queue. */
const OF_ALL = new SharedTurns();

type Done = (error?: Error | null) => void;

export class PortionedSocket extends Duplex implements InSteps {
  /** Servers look up or store themselves here. */
  server: unknown;
  readonly #raw: Socket;
  readonly #turns: SharedTurns;
  #rest: Buffer = Buffer.alloc(0);
  #hasEnded = false;

  constructor(raw: Socket, turns = OF_ALL) {
    super({ allowHalfOpen: true, readableHighWaterMark: PORTION_BYTES });
    this.#raw = raw;
    this.#turns = turns;
    this.server = (raw as { readonly server?: unknown }).server;
    // Otherwise the first `data` listener would start the flow.
    raw.pause();
    raw.on('data', (chunk: Buffer) => {
      raw.pause();
      this.#rest = chunk;
      turns.add(this);
    });
    raw.once('end', () => {
      this.#hasEnded = true;
      if (this.#rest.length === 0) this.push(null);
    });
    raw.on('timeout', () => this.emit('timeout'));
    raw.on('error', () => this.destroy());
    raw.once('close', () => this.destroy());
  }

  get raw(): Socket {
    return this.#raw;
  }

  get remoteAddress(): string | undefined {
    return this.#raw.remoteAddress;
  }

  get localAddress(): string | undefined {
    return this.#raw.localAddress;
  }

  /** For TLS: HTTP/2 servers ask for it. */
  get alpnProtocol(): string | false | null {
    return (this.#raw as Partial<TLSSocket>).alpnProtocol ?? false;
  }

  setTimeout(ms: number, onTimeout?: () => void): this {
    this.#raw.setTimeout(ms);
    if (onTimeout) this.once('timeout', onTimeout);
    return this;
  }

  /** Like a socket: after the end of one side, do not wait for the other. */
  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }

  override _read(): void {
    if (this.#rest.length > 0) this.#turns.add(this);
    else if (!this.#hasEnded) this.#raw.resume();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: Done): void {
    this.#raw.write(chunk, encoding, done);
  }

  override _writev(chunks: readonly { chunk: Buffer; encoding: BufferEncoding }[], done: Done): void {
    this.#raw.cork();
    for (const { chunk, encoding } of chunks.slice(0, -1)) this.#raw.write(chunk, encoding);
    for (const { chunk, encoding } of chunks.slice(-1)) this.#raw.write(chunk, encoding, done);
    this.#raw.uncork();
  }

  override _final(done: Done): void {
    this.#raw.end(() => done());
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#rest = Buffer.alloc(0);
    this.#raw.destroy();
    done(error);
  }

  /** Passes on one portion. Stops under backpressure, and resumes when `_read` is called. */
  step(): boolean {
    if (this.destroyed || this.#rest.length === 0) return false;
    const portion = this.#rest.subarray(0, PORTION_BYTES);
    this.#rest = this.#rest.subarray(PORTION_BYTES);
    const isTaken = this.push(portion);
    const isMore = this.#rest.length > 0;
    if (this.#hasEnded && !isMore) this.push(null);
    return isTaken && isMore;
  }
}
