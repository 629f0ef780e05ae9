/**
 * One HTTP/2 connection.
 *
 * In: a connected TLS socket. Out: requests on it. Guarantees: a peer that vanished silently is detected by an
 * unanswered PING, the connection is destroyed, and every request on it fails with a `ConnectionError`; after a
 * GOAWAY (on which Node closes the session gracefully) open streams finish and no new one starts; a slow reader slows
 * only its own stream; leaving a body early resets its stream.
 */
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '../../clock/clock.ts';
import type { TlsMaterial } from '../auth/tls.ts';
import { ConnectionError } from '../errors.ts';
import type { TransportRequest, TransportResponse } from '../transport.ts';
import { ClosedAfterHandshake, cannotConnect, connectionLost } from './connection-errors.ts';
import type { Endpoint } from './endpoint.ts';
import { Heartbeat } from './heartbeat.ts';
import { bodyOf, requestHeaders, responseHeaders } from './response.ts';

/**
 * Per stream: measured to halve the time of a large list against the default of 64 KiB. A larger window would fill
 * memory faster than it can be decoded.
 */
const STREAM_WINDOW_BYTES = 256 * 1024;
/** For all streams together. Node makes sure that a paused stream uses up only its own window. */
const SESSION_WINDOW_BYTES = 512 * 1024;

/** Error codes of RFC 9113. Not from node:http2, which is loaded only when it is needed. */
const NO_ERROR = 0;
const REFUSED_STREAM = 7;
const CANCEL = 8;

export interface H2Options {
  readonly endpoint: Endpoint;
  readonly clock: Clock;
  readonly pingIntervalMs: number;
  readonly pingTimeoutMs: number;
}

export class H2Session {
  /** The material used for this connection: if it differs from the current one, the connection is out of date. */
  readonly material: TlsMaterial;
  /** Resolves when the connection is closed, for any reason. */
  readonly closed: Promise<void>;
  readonly #session: ClientHttp2Session;
  readonly #endpoint: Endpoint;
  readonly #heartbeat: Heartbeat;
  #active = 0;
  #retired = false;

  private constructor(
    session: ClientHttp2Session,
    socket: TLSSocket,
    material: TlsMaterial,
    options: H2Options,
  ) {
    this.#session = session;
    this.#endpoint = options.endpoint;
    this.material = material;
    this.#heartbeat = new Heartbeat({
      clock: options.clock,
      intervalMs: options.pingIntervalMs,
      timeoutMs: options.pingTimeoutMs,
      received: () => socket.bytesRead,
      ping: (answered) => void (!session.destroyed && session.ping(answered)),
      onDead: (message) =>
        this.destroy(new ConnectionError(`Lost the connection to ${options.endpoint.server}: ${message}`)),
    });
    session.setLocalWindowSize(SESSION_WINDOW_BYTES);
    // A connection keeps the process alive only while a request is under way.
    session.unref();
    // Each stream reports the error to its own reader; without this listener it would end the process.
    session.on('error', () => {});
    this.closed = new Promise((resolve) => {
      session.once('close', () => {
        this.#retired = true;
        this.#heartbeat.stop();
        resolve();
      });
    });
  }

  /** Resolves when the server has sent its SETTINGS: it is alive and its stream limit is known. */
  static async open(
    socket: TLSSocket,
    material: TlsMaterial,
    options: H2Options,
    signal: AbortSignal,
  ): Promise<H2Session> {
    const { connect } = await import('node:http2');
    const session = connect(`https://${options.endpoint.authority}`, {
      createConnection: () => socket,
      settings: { initialWindowSize: STREAM_WINDOW_BYTES, enablePush: false },
    });
    await new Promise<void>((resolve, reject) => {
      const fail = (error: unknown): void => {
        settle();
        session.on('error', () => {});
        session.destroy();
        reject(error);
      };
      const onReady = (): void => {
        settle();
        resolve();
      };
      const onError = (error: Error): void => fail(cannotConnect(options.endpoint, error));
      const onClose = (): void => fail(cannotConnect(options.endpoint, new ClosedAfterHandshake()));
      const onAbort = (): void => fail(signal.reason);
      const settle = (): void => {
        session.off('remoteSettings', onReady).off('error', onError).off('close', onClose);
        signal.removeEventListener('abort', onAbort);
      };
      session.once('remoteSettings', onReady).once('error', onError).once('close', onClose);
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
    });
    return new H2Session(session, socket, material, options);
  }

  /** Reserves a stream for one request; false if the connection is full. */
  take(): boolean {
    const limit = this.#session.remoteSettings.maxConcurrentStreams ?? Number.POSITIVE_INFINITY;
    if (this.#retired || this.#session.closed || this.#session.destroyed || this.#active >= limit)
      return false;
    if (this.#active === 0) this.#session.ref();
    this.#active++;
    return true;
  }

  /** Sends on the stream reserved by `take`. */
  request(request: TransportRequest): Promise<TransportResponse> {
    return new Promise((resolve, reject) => {
      const { signal } = request;
      let stream: ClientHttp2Stream;
      try {
        const headers = requestHeaders(request);
        headers[':method'] = request.method;
        headers[':path'] = `${this.#endpoint.prefix}${request.path}`;
        stream = this.#session.request(headers, { endStream: request.body === undefined });
      } catch (error) {
        this.#free();
        reject(connectionLost(this.#endpoint, error, true));
        return;
      }
      let failure: unknown;
      let holding = true;
      let isAnswered = false;
      // At the end of the body the server has already freed the stream, shortly before it is closed.
      const release = (): void => {
        if (!holding) return;
        holding = false;
        this.#free();
        if (this.#retired && this.#active === 0) this.#session.close();
      };
      const cancel = (): void => {
        stream.close(CANCEL);
        stream.destroy();
      };
      const lost = (cause: unknown): unknown =>
        signal?.aborted
          ? signal.reason
          : connectionLost(
              this.#endpoint,
              cause ?? failure ?? resetCause(stream),
              stream.rstCode === REFUSED_STREAM,
            );
      const onAbort = (): void => {
        cancel();
        reject(signal?.reason);
        // The caller may have given up because the server vanished: check with a PING.
        this.#heartbeat.probe();
      };
      stream.on('error', (error) => {
        failure = error;
      });
      stream.once('response', (headers) => {
        isAnswered = true;
        resolve({
          status: headers[':status'] ?? 0,
          headers: responseHeaders(headers),
          body: bodyOf({
            stream,
            cancel,
            failure: lost,
            complete: () => stream.rstCode === NO_ERROR,
          }),
        });
      });
      stream.once('end', release);
      stream.once('close', () => {
        signal?.removeEventListener('abort', onAbort);
        release();
        // Creating an Error with its stack is expensive, so it is only made when needed.
        if (!isAnswered) reject(lost(undefined));
      });
      if (signal?.aborted) onAbort();
      else signal?.addEventListener('abort', onAbort, { once: true });
      if (request.body !== undefined) stream.end(request.body);
    });
  }

  #free(): void {
    this.#active--;
    if (this.#active === 0 && !this.#session.destroyed) this.#session.unref();
  }

  /** Accepts no more requests and closes after the last running one. */
  retire(): void {
    this.#retired = true;
    if (this.#active === 0) this.#session.close();
  }

  /** Closes at once; all running requests fail with `error`. */
  destroy(error: ConnectionError): Promise<void> {
    this.#retired = true;
    this.#session.destroy(error);
    return this.closed;
  }
}

function resetCause(stream: ClientHttp2Stream): Error | undefined {
  const code = stream.rstCode;
  if (code === undefined || code === NO_ERROR || code === CANCEL) return undefined;
  return new Error(`the server reset the stream with code ${code}`);
}
