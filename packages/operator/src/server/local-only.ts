/**
 * Accepts only requests on loopback, with a name of loopback in `Host`, and not from another site.
 *
 * The first condition keeps out the network: a port-forward ends on loopback, in the pod's own network namespace, and
 * Kubernetes decides who may open one. The second keeps out pages in a browser whose own name was rebound to 127.0.0.1:
 * they can reach the port, but cannot change `Host`. The third keeps out pages that make the browser send a request.
 */
import type { IncomingMessage } from 'node:http';
import { type HttpHandler, respond } from '@reloader/runtime';
import { isLoopback } from '../settings/loopback.ts';
import { PAGE_HEADERS } from './page-headers.ts';

const LOOPBACK_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
const OWN_SITES: readonly string[] = ['same-origin', 'none'];

/** A page in its own window, not in a frame of another page and not read by one. */
const OPENED = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' } as const;

export interface LocalOnlyOptions {
  /** Names allowed in `Host` besides those of loopback: of a proxy in the same pod. */
  readonly allowedHosts?: readonly string[];
  /** Links on other sites may lead here: for files that say nothing about the cluster. */
  readonly isLinked?: boolean;
}

export function localOnly(handler: HttpHandler, options: LocalOnlyOptions = {}): HttpHandler {
  const names = new Set([...LOOPBACK_NAMES, ...(options.allowedHosts ?? [])]);
  return (request, response) => {
    const why = refusalOf(request.message, names, options.isLinked);
    if (!why) return handler(request, response);
    for (const [name, value] of Object.entries(PAGE_HEADERS)) response.setHeader(name, value);
    respond(response, why.status, `${JSON.stringify({ error: why.error })}\n`, 'application/json');
  };
}

/** Undefined if the request is accepted. */
function refusalOf(
  { socket, headers }: IncomingMessage,
  names: ReadonlySet<string>,
  isLinked = false,
): { readonly status: number; readonly error: string } | undefined {
  if (!isLoopback(socket.localAddress) || !isLoopback(socket.remoteAddress)) {
    return {
      status: 403,
      error:
        'This is answered on loopback only: use the reloader command, or kubectl port-forward to the pod, or a token at the address of --api-bind-address',
    };
  }
  return foreignRequest(headers, names, isLinked);
}

/** Checks headers that a page in a browser cannot omit or change: another host, another site. Undefined for our own. */
export function foreignRequest(
  headers: IncomingMessage['headers'],
  names: ReadonlySet<string>,
  isLinked = false,
): { readonly status: number; readonly error: string } | undefined {
  // HTTP/2 sends it as `:authority`.
  const host = headers.host ?? headers[':authority'];
  if (!names.has(nameIn(typeof host === 'string' ? host : undefined))) {
    return {
      status: 421,
      error: `Not for the host that the request names: use localhost, or allow the name with --api-allowed-hosts`,
    };
  }
  const site = headers['sec-fetch-site'];
  const { origin } = headers;
  const isOwnOrigin = origin === undefined || origin.replace(/^https?:\/\//, '') === host;
  const isOwnSite = site === undefined || OWN_SITES.includes(String(site));
  if (!isOwnOrigin || !(isOwnSite || (isLinked && isOpened(headers)))) {
    return { status: 403, error: 'Not for requests that another site makes' };
  }
  return undefined;
}

/** Whether the browser shows the answer to the user, who followed a link. */
export function isOpened(headers: IncomingMessage['headers']): boolean {
  return Object.entries(OPENED).every(([name, value]) => headers[name] === value);
}

/** Without the port, in lower case. */
function nameIn(host: string | undefined): string {
  return (host ?? '').toLowerCase().replace(/:\d+$/, '');
}
