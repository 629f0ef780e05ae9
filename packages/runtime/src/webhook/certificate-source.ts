/** Certificates and private key of a server. */
export interface ServingPair {
  /** PEM, the serving certificate first, then any intermediates. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
}

/** The source of a server's certificate, with notification of new ones. */
export interface CertificateSource {
  /** Names it in logs and errors. */
  readonly name: string;
  /** Resolves with the first usable pair; waits for it if needed. */
  first(signal: AbortSignal): Promise<ServingPair>;
  /** Calls back with every later pair, until the signal aborts. Never rejects for temporary failures. */
  watch(onChange: (pair: ServingPair) => void, signal: AbortSignal): Promise<void>;
}

/** The pair cannot be used; the server keeps the one that it has. */
export class CertificateError extends Error {
  override name = 'CertificateError';
}
