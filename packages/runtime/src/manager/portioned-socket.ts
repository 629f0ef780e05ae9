/**
 * A connection whose bytes reach the HTTP parser in small portions.
 *
 * In: an open socket. Out: the same as a stream, for a server to read. Guarantees: nothing is read behind a `destroy`, so
 * that a server which hangs up on the second of many requests has not met the other thousands; what arrives on all
 * connections together is handed on for a few milliseconds in each turn of the event loop, a portion of each in turn;
 * timeouts, errors and ends are those of the socket.
 *
 * Node reads 64 KB at a time, and its parser reports everything in them at once, also when the first request has made the
 * server hang up: 2,300 requests, which hold up everything else for a quarter of a second. And it reads from everybody
 * who has sent something in one turn: hundreds of headers without an end hold it up for as long.
 */
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { type InSteps, SharedTurns } from './shared-turns.ts';

/** The shortest request has 26 bytes: no more than five of them are met at once. */
const PORTION_BYTES = 128;

/** The event loop is one for all servers of a process, and so is this. */
const OF_ALL = new SharedTurns();

type Done = (error?: Error | null) => void;

export class PortionedSocket extends Duplex implements InSteps {
  /** Servers look for themselves here, or write themselves down. */
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
    // Else the first listener would set it flowing, whether anybody reads here or not.
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

  /** Of TLS: servers that speak HTTP/2 ask for it. */
  get alpnProtocol(): string | false | null {
    return (this.#raw as Partial<TLSSocket>).alpnProtocol ?? false;
  }

  setTimeout(ms: number, onTimeout?: () => void): this {
    this.#raw.setTimeout(ms);
    if (onTimeout) this.once('timeout', onTimeout);
    return this;
  }

  /** As of sockets: an end, and then no waiting for the other side. */
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

  /** Hands on one portion. Stops where nobody takes more, and goes on when `_read` asks. */
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
