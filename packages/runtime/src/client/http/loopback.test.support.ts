/** Real servers on the loopback interface, behind a wire that can be cut or frozen. */
import { readFileSync } from 'node:fs';
import {
  createSecureServer,
  type Http2SecureServer,
  type IncomingHttpHeaders,
  type SecureServerOptions,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../clock/clock.ts';
import { fixedCredentials } from '../auth/credentials.ts';
import { createTlsSource, type TlsSourceOptions } from '../auth/tls.ts';
import type { ClusterConfig } from '../config/cluster-config.ts';
import type { Transport, TransportRequest, TransportResponse } from '../transport.ts';
import { createHttpTransport, type HttpTransportOptions } from './http-transport.ts';

export function pem(name: string): string {
  return readFileSync(new URL(`./testdata/${name}`, import.meta.url), 'utf8');
}

export function testdataPath(name: string): string {
  return new URL(`./testdata/${name}`, import.meta.url).pathname;
}

export type StreamHandler = (
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  rawHeaders: readonly string[],
) => void;

export interface H2Server {
  readonly port: number;
  readonly url: string;
  readonly sessions: ServerHttp2Session[];
  readonly paths: string[];
}

export async function h2Server(
  onStream: StreamHandler,
  options: SecureServerOptions = {},
): Promise<H2Server> {
  const server = createSecureServer({ key: pem('server.key'), cert: pem('server.crt'), ...options });
  const sessions: ServerHttp2Session[] = [];
  const paths: string[] = [];
  server.on('session', (session) => {
    sessions.push(session);
    session.on('error', () => {});
  });
  server.on(
    'stream',
    (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, _flags: number, rawHeaders: string[]) => {
      paths.push(String(headers[':path']));
      stream.on('error', () => {});
      onStream(stream, headers, rawHeaders);
    },
  );
  const port = await listen(server);
  onTestFinished(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  return { port, url: `https://127.0.0.1:${port}`, sessions, paths };
}

export async function listen(server: Server | Http2SecureServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

export interface Wire {
  readonly port: number;
  readonly url: string;
  /** Connections made so far. */
  readonly connections: number;
  /** From now on no bytes are forwarded in either direction, and neither side is told. New connections work. */
  freeze(): void;
  /** Resets all connections. */
  cut(): void;
}

/** A wire to a server on the same machine. */
export async function wireTo(port: number): Promise<Wire> {
  const pairs: [Socket, Socket][] = [];
  const server = createTcpServer((near) => {
    const far = connect(port, '127.0.0.1');
    pairs.push([near, far]);
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
    near.pipe(far);
    far.pipe(near);
  });
  const wirePort = await listen(server);
  onTestFinished(() => {
    for (const socket of pairs.flat()) socket.destroy();
    server.close();
  });
  return {
    port: wirePort,
    url: `https://127.0.0.1:${wirePort}`,
    get connections() {
      return pairs.length;
    },
    freeze() {
      for (const [near, far] of pairs) {
        near.unpipe(far).pause();
        far.unpipe(near).pause();
      }
    },
    cut() {
      for (const [near, far] of pairs) {
        near.resetAndDestroy();
        far.destroy();
      }
    },
  };
}

export function configFor(server: string, tls: TlsSourceOptions = { ca: pem('ca.crt') }): ClusterConfig {
  return {
    server,
    source: 'the test',
    namespace: 'default',
    tls: createTlsSource(tls),
    credentials: fixedCredentials(),
  };
}

export function transportFor(
  target: { readonly url: string } | ClusterConfig,
  options: HttpTransportOptions & { readonly clock?: Clock } = {},
): Transport {
  const config = 'url' in target ? configFor(target.url) : target;
  const transport = createHttpTransport(config, options);
  onTestFinished(() => transport.close());
  return transport;
}

export function get(path: string, rest: Partial<TransportRequest> = {}): TransportRequest {
  return { method: 'GET', path, headers: {}, ...rest };
}

export async function text(response: TransportResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** The first value that `read` gives, tried again after each turn of the event loop. The test's own timeout ends it. */
export async function eventually<T>(read: () => T | undefined | false): Promise<T> {
  for (;;) {
    const value = read();
    if (value !== undefined && value !== false) return value;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
