/** The API server's address, parsed once. */
import type { ClusterConfig } from '../config/cluster-config.ts';

export interface Endpoint {
  readonly secure: boolean;
  /** Name or address, without the brackets of IPv6. */
  readonly host: string;
  readonly port: number;
  /** The Host or :authority header. */
  readonly authority: string;
  /** Put before every path; empty for most servers, not for those behind a multi-cluster proxy. */
  readonly prefix: string;
  readonly proxy?: { readonly host: string; readonly port: number; readonly authorization?: string };
  /** For messages: the server's address and where it was configured. */
  readonly server: string;
  readonly source: string;
}

export function endpointOf(config: Pick<ClusterConfig, 'server' | 'source' | 'proxyUrl'>): Endpoint {
  const url = new URL(config.server);
  const secure = url.protocol === 'https:';
  return {
    secure,
    host: hostOf(url),
    port: portOf(url, secure ? 443 : 80),
    authority: url.host,
    prefix: url.pathname.replace(/\/+$/, ''),
    server: config.server,
    source: config.source,
    ...(config.proxyUrl !== undefined && { proxy: proxyOf(new URL(config.proxyUrl)) }),
  };
}

function proxyOf(url: URL): NonNullable<Endpoint['proxy']> {
  const login = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return {
    host: hostOf(url),
    port: portOf(url, 80),
    ...(url.username && { authorization: `Basic ${Buffer.from(login).toString('base64')}` }),
  };
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

function portOf(url: URL, standard: number): number {
  return url.port ? Number(url.port) : standard;
}
