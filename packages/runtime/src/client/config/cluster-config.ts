import type { Credentials } from '../auth/credentials.ts';
import type { TlsSource } from '../auth/tls.ts';

/** Everything needed to talk to one API server as one user. Made by `loadConfig`, or by hand. */
export interface ClusterConfig {
  /** URL of the API server, with its path prefix if it has one, without a slash at the end. */
  readonly server: string;
  /** Where this came from, for messages: `context "dev" of /home/me/.kube/config`. */
  readonly source: string;
  /** The namespace to use where a request names none. */
  readonly namespace: string;
  /** Names in the kubeconfig; undefined in a cluster. */
  readonly context?: string;
  readonly user?: string;
  readonly tls: TlsSource;
  readonly credentials: Credentials;
  /** `http://host:port` of a proxy that understands CONNECT. */
  readonly proxyUrl?: string;
}
