/**
 * A raw connection to the API server, for the protocol upgrades that exec, attach and port-forward start with.
 *
 * In: a cluster. Out: a connected socket that speaks HTTP/1.1, through the proxy and with the certificates of the
 * cluster's settings, and the headers that each request on it needs. The caller owns the socket.
 */
import type { Socket } from 'node:net';
import type { ClusterConfig } from '../config/cluster-config.ts';
import { dialPlain, dialTls } from './dial.ts';
import { endpointOf } from './endpoint.ts';

/** A raw connection to the API server, for protocols other than plain requests and answers. */
export interface ServerConnection {
  readonly socket: Socket;
  readonly secure: boolean;
  /** The Host header. */
  readonly authority: string;
  /** Put before every path. */
  readonly prefix: string;
  /** Credentials; a header with several values is sent once for each. */
  readonly headers: Readonly<Record<string, string | string[]>>;
}

/** Connects to the API server, through a proxy where the configuration names one. The socket is the caller's. */
export async function connectToServer(config: ClusterConfig, signal: AbortSignal): Promise<ServerConnection> {
  const endpoint = endpointOf(config);
  const { secure, authority, prefix } = endpoint;
  const given = await config.credentials.current(signal);
  const headers = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  );
  const socket = secure
    ? await dialTls(endpoint, await config.tls.current(signal), { signal, protocols: ['http/1.1'] })
    : await dialPlain(endpoint, signal);
  return { socket, secure, authority, prefix, headers };
}
