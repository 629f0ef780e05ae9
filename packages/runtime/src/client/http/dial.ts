/**
 * Opens a connection to the API server: TCP, through a proxy if there is one, and TLS.
 *
 * Guarantees: resolves with a connected socket, or rejects with an error that says what to do and leaves no
 * socket behind, also when the signal aborts.
 */
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, checkServerIdentity, connect as connectTls, type TLSSocket } from 'node:tls';
import type { TlsMaterial } from '../auth/tls.ts';
import { cannotConnect, unusableTls } from './connection-errors.ts';
import type { Endpoint } from './endpoint.ts';
import { tunnel } from './proxy.ts';

/** Finds peers that vanished on connections that have no PING of their own. */
const TCP_KEEPALIVE_MS = 15_000;

export interface DialOptions {
  readonly signal: AbortSignal;
  /** Offered to the server, best first. */
  readonly protocols: readonly string[];
}

/** Plain TCP for a server whose address begins with http://. */
export async function dialPlain(endpoint: Endpoint, signal: AbortSignal): Promise<Socket> {
  return endpoint.proxy ? tunnel(endpoint, endpoint.proxy, signal) : dialTcp(endpoint, endpoint, signal);
}

export async function dialTls(
  endpoint: Endpoint,
  material: TlsMaterial,
  options: DialOptions,
): Promise<TLSSocket> {
  const raw = await dialPlain(endpoint, options.signal);
  let socket: TLSSocket;
  try {
    socket = connectTls({
      ...tlsOptions(endpoint, material),
      socket: raw,
      ALPNProtocols: [...options.protocols],
    });
  } catch (error) {
    raw.destroy();
    throw unusableTls(endpoint, error);
  }
  await connected(socket, 'secureConnect', endpoint, options.signal);
  return socket;
}

export async function dialTcp(
  endpoint: Endpoint,
  to: { readonly host: string; readonly port: number },
  signal: AbortSignal,
): Promise<Socket> {
  const socket = connectTcp({
    host: to.host,
    port: to.port,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: TCP_KEEPALIVE_MS,
  });
  await connected(socket, 'connect', endpoint, signal);
  return socket;
}

function tlsOptions(endpoint: Endpoint, material: TlsMaterial): ConnectionOptions {
  const name = material.serverName ?? endpoint.host;
  return {
    host: endpoint.host,
    rejectUnauthorized: !material.insecure,
    checkServerIdentity: (_, certificate) => checkServerIdentity(name, certificate),
    // An address must not be sent as server name.
    ...(isIP(name) === 0 && { servername: name }),
    ...(material.ca !== undefined && { ca: material.ca }),
    ...material.certificate,
  };
}

function connected(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  endpoint: Endpoint,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (action: () => void): void => {
      signal.removeEventListener('abort', onAbort);
      socket.off(event, onConnect).off('error', onError).off('close', onClose);
      action();
    };
    const fail = (error: unknown): void =>
      settle(() => {
        // Errors that still come while it goes down concern nobody.
        socket.on('error', () => {});
        socket.destroy();
        reject(error);
      });
    const onConnect = (): void => settle(resolve);
    const onError = (error: Error): void => fail(cannotConnect(endpoint, error));
    const onClose = (): void => fail(cannotConnect(endpoint, new Error('the server closed the connection')));
    const onAbort = (): void => fail(signal.reason);
    socket.once(event, onConnect).once('error', onError).once('close', onClose);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}
