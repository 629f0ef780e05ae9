/**
 * Keeps the TLS settings of connections to the API server up to date.
 *
 * In: PEM texts or files, and credentials that may include a client certificate. Out: `TlsMaterial`. Guarantees: the
 * same object as long as nothing changed, so a connection can compare identities to see whether its material is
 * current.
 */
import type { ClientCertificate, Credentials } from './credentials.ts';
import type { FileContent } from './file-content.ts';

/** Certificates and settings of one TLS connection. */
export interface TlsMaterial {
  /** PEM bundle; the system's roots when left out. */
  readonly ca?: string;
  readonly certificate?: ClientCertificate;
  /** The name that the server's certificate must carry, if not its host name. */
  readonly serverName?: string;
  readonly insecure: boolean;
}

/** Source of TLS material: files are read again when they change. */
export interface TlsSource {
  current(signal?: AbortSignal): Promise<TlsMaterial>;
}

export type Pem = string | FileContent;

/** The files or bytes that a TLS source reads. */
export interface TlsSourceOptions {
  readonly ca?: Pem | undefined;
  readonly cert?: Pem | undefined;
  readonly key?: Pem | undefined;
  readonly serverName?: string | undefined;
  readonly insecure?: boolean | undefined;
  readonly credentials?: Credentials | undefined;
}

/** TLS material from files or bytes; the next connection uses a rotated certificate. */
export function createTlsSource(options: TlsSourceOptions): TlsSource {
  let last: TlsMaterial | undefined;
  return {
    async current(signal) {
      const [ca, cert, key, brought] = await Promise.all([
        textOf(options.ca),
        textOf(options.cert),
        textOf(options.key),
        options.credentials?.clientCertificate?.(signal),
      ]);
      const certificate = cert !== undefined && key !== undefined ? { cert, key } : brought;
      const unchanged =
        last?.ca === ca &&
        last?.certificate?.cert === certificate?.cert &&
        last?.certificate?.key === certificate?.key;
      if (!last || !unchanged) {
        last = {
          insecure: options.insecure ?? false,
          ...(ca !== undefined && { ca }),
          ...(certificate && { certificate }),
          ...(options.serverName !== undefined && { serverName: options.serverName }),
        };
      }
      return last;
    },
  };
}

async function textOf(pem: Pem | undefined): Promise<string | undefined> {
  return typeof pem === 'object' ? pem.read() : pem;
}
