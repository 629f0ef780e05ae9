/**
 * A connection of its own to the API server, for what is not a request and its answer: the upgrade to another protocol
 * that exec, attach and port-forward begin with.
 *
 * In: a cluster. Out: a connected socket on which HTTP/1.1 is spoken, through the proxy and with the certificates that
 * the cluster's settings name, and what each request on it has to carry. Whoever asked owns the socket.
 */
import type { Socket } from 'node:net';
import type { ClusterConfig } from '../config/cluster-config.ts';
import { dialPlain, dialTls } from './dial.ts';
import { endpointOf } from './endpoint.ts';

/** A bare connection to the API server, for protocols that are no requests and answers. */
export interface ServerConnection {
  readonly socket: Socket;
  readonly secure: boolean;
  /** What goes into the Host header. */
  readonly authority: string;
  /** Put before every path. */
  readonly prefix: string;
  /** Who we are; a name with several values is sent once for each. */
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
