/** Tunnels through a proxy: CONNECT, then the connection is ours. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { ConnectionError } from '../errors.ts';
import type { Endpoint } from './endpoint.ts';
import { dialTcp } from './tcp.ts';

export async function tunnel(
  endpoint: Endpoint,
  proxy: NonNullable<Endpoint['proxy']>,
  signal: AbortSignal,
): Promise<Socket> {
  const { request } = await import('node:http');
  const socket = await dialTcp(endpoint, proxy, signal);
  const host = endpoint.host.includes(':') ? `[${endpoint.host}]` : endpoint.host;
  const target = `${host}:${endpoint.port}`;
  return new Promise((resolve, reject) => {
    const connect = request({
      method: 'CONNECT',
      path: target,
      headers: {
        host: target,
        ...(proxy.authorization !== undefined && { 'proxy-authorization': proxy.authorization }),
      },
      createConnection: () => socket,
      signal,
    });
    const fail = (why: string, cause?: unknown): void => {
      socket.destroy();
      const message = `The proxy ${proxy.host}:${proxy.port} of ${endpoint.source} gives no way to ${endpoint.server}: ${why}`;
      reject(signal.aborted ? signal.reason : new ConnectionError(message, { cause, notSent: true }));
    };
    connect.once('error', (error) => fail(error.message, error));
    connect.once('response', (response: IncomingMessage) => fail(`it answered ${response.statusCode}`));
    connect.once('connect', (response: IncomingMessage, tunnelled: Socket) => {
      if (response.statusCode === 200) resolve(tunnelled);
      else
        fail(
          `it answered ${response.statusCode} ${response.statusMessage}, check its rules and the login in proxy-url`,
        );
    });
    connect.end();
  });
}
