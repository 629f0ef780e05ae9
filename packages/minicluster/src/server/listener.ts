/**
 * The server on a port: HTTPS with HTTP/2 and HTTP/1.1, or plain HTTP.
 *
 * In: connections. Out: requests to the handler, answers back. Guarantees: a broken connection ends only its own
 * requests and watches; `close` ends every watch and connection and leaves no timer. A client that does not read its
 * watch loses it before the buffers grow without limit.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { constants, createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { BODY_LIMIT, tooLarge } from '../api/body.ts';
import { errorResponse } from '../api/respond.ts';
import { type ApiRequest, type ApiResponse, type Handler, isLive } from '../request/request.ts';
import type { Certificate } from './certificates.ts';

export interface ListenOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Absent: plain HTTP. */
  readonly tls?: { readonly server: Certificate; readonly ca: string };
}

export interface Listener {
  readonly port: number;
  close(): Promise<void>;
}

type Incoming = IncomingMessage | Http2ServerRequest;
type Outgoing = ServerResponse | Http2ServerResponse;

/** A watch whose client lags this far is ended. */
const MOST_UNSENT_BYTES = 64 * 1024 * 1024;

/** How long a connection without requests stays open, as in servers written in Go. */
const IDLE_MS = 90_000;

export async function listen(handler: Handler, options: ListenOptions): Promise<Listener> {
  const stops = new Set<() => void>();
  const sockets = new Set<Socket>();
  const onRequest = (incoming: Incoming, outgoing: Outgoing): void => {
    void serve(handler, incoming, outgoing, stops);
  };
  const server: Server = options.tls
    ? createSecureServer(
        {
          allowHTTP1: true,
          cert: options.tls.server.certificate,
          key: options.tls.server.key,
          ca: options.tls.ca,
          requestCert: true,
          rejectUnauthorized: false,
        },
        onRequest,
      )
    : createServer({ keepAliveTimeout: IDLE_MS }, onRequest);
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // A broken connection is not the server's error.
    socket.on('error', () => socket.destroy());
  };
  server.on('connection', keep);
  server.on('secureConnection', keep);
  server.on('sessionError', () => undefined);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        for (const stop of [...stops]) stop();
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

async function serve(
  handler: Handler,
  incoming: Incoming,
  outgoing: Outgoing,
  stops: Set<() => void>,
): Promise<void> {
  const gone = new AbortController();
  const onClose = (): void => gone.abort();
  outgoing.on('close', onClose);
  outgoing.on('error', onClose);
  incoming.on('error', onClose);
  try {
    const body = await readBody(incoming);
    const response =
      body === undefined ? errorResponse(tooLarge()) : await handler(toRequest(incoming, body, gone.signal));
    if (!gone.signal.aborted) send(response, incoming, outgoing, gone.signal, stops);
  } catch {
    // The client disconnected while it sent its body, or an injected fault must look like a lost connection.
    breakOff(outgoing);
  }
}

/** Undefined if it exceeds the size limit; the rest is read and dropped. */
async function readBody(incoming: Incoming): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    size += (chunk as Buffer).length;
    if (size <= BODY_LIMIT) chunks.push(chunk as Buffer);
  }
  return size > BODY_LIMIT ? undefined : Buffer.concat(chunks);
}

function toRequest(incoming: Incoming, body: Buffer, signal: AbortSignal): ApiRequest {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value === undefined || name.startsWith(':')) continue;
    headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  const authority = incoming.headers[':authority'];
  if (typeof authority === 'string') headers.host ??= authority;
  const certificate = clientCertificate(incoming.socket as TLSSocket);
  return {
    method: incoming.method ?? 'GET',
    path: incoming.url ?? '/',
    headers,
    ...(body.length > 0 && { body }),
    signal,
    ...(certificate && { certificate }),
  };
}

function clientCertificate(socket: TLSSocket): ApiRequest['certificate'] {
  if (!socket.authorized) return undefined;
  const { subject } = socket.getPeerCertificate();
  if (!subject?.CN) return undefined;
  return { user: [subject.CN].flat()[0] ?? '', groups: subject.O ? [subject.O].flat() : [] };
}

function send(
  response: ApiResponse,
  incoming: Incoming,
  outgoing: Outgoing,
  signal: AbortSignal,
  stops: Set<() => void>,
): void {
  const { status, headers, body } = response;
  if (!isLive(body)) {
    outgoing.writeHead(status, { ...headers, 'content-length': body.length });
    end(outgoing, incoming.method === 'HEAD' ? undefined : body);
    return;
  }
  outgoing.writeHead(status, headers as Record<string, string>);
  if ('flushHeaders' in outgoing) outgoing.flushHeaders();
  const finish = (): void => {
    signal.removeEventListener('abort', cancel);
    stops.delete(cancel);
  };
  let stop: (() => void) | undefined;
  const cancel = (): void => {
    finish();
    stop?.();
    if (!signal.aborted) end(outgoing);
  };
  signal.addEventListener('abort', cancel, { once: true });
  stops.add(cancel);
  stop = body.open({
    write(chunk) {
      (outgoing as ServerResponse).write(chunk);
      if (outgoing.writableLength > MOST_UNSENT_BYTES) cancel();
    },
    end() {
      finish();
      end(outgoing);
    },
    fail() {
      finish();
      breakOff(outgoing);
    },
  });
}

/** Breaks the connection for the client: a reset, of only this stream if there are several. */
function breakOff(outgoing: Outgoing): void {
  if ('stream' in outgoing) outgoing.stream?.close(constants.NGHTTP2_INTERNAL_ERROR);
  else outgoing.destroy();
}

/** The two response types behave alike here, but their TypeScript types differ. */
function end(outgoing: Outgoing, body?: Uint8Array): void {
  const response = outgoing as ServerResponse;
  if (body) response.end(body);
  else response.end();
}
