/**
 * Opens a connection to the API server: TCP, through a proxy if configured, and TLS.
 *
 * Guarantees: resolves with a connected socket, or rejects with an error that says what to do and leaves no socket
 * behind, also when the signal aborts.
 */
import { isIP, type Socket } from 'node:net';
import { type ConnectionOptions, checkServerIdentity, connect as connectTls, type TLSSocket } from 'node:tls';
import type { TlsMaterial } from '../auth/tls.ts';
import { unusableTls } from './connection-errors.ts';
import type { Endpoint } from './endpoint.ts';
import { tunnel } from './proxy.ts';
import { connected, dialTcp } from './tcp.ts';

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

function tlsOptions(endpoint: Endpoint, material: TlsMaterial): ConnectionOptions {
  const name = material.serverName ?? endpoint.host;
  return {
    host: endpoint.host,
    rejectUnauthorized: !material.insecure,
    checkServerIdentity: (_, certificate) => checkServerIdentity(name, certificate),
    // TLS does not allow an IP address as server name.
    ...(isIP(name) === 0 && { servername: name }),
    ...(material.ca !== undefined && { ca: material.ca }),
    ...material.certificate,
  };
}
