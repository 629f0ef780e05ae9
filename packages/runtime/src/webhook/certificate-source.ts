/** Where a server's certificate comes from, and how it learns of a new one. */
export interface ServingPair {
  /** PEM, the serving certificate first, then any intermediates. */
  readonly cert: string;
  readonly key: string;
}

/** Where a server's certificate comes from, and who hears of a new one. */
export interface CertificateSource {
  /** Names it in logs and errors. */
  readonly name: string;
  /** Resolves with the first usable pair; waits for it if need be. */
  first(signal: AbortSignal): Promise<ServingPair>;
  /** Calls back with every later pair, until the signal aborts. Never rejects for trouble that may pass. */
  watch(onChange: (pair: ServingPair) => void, signal: AbortSignal): Promise<void>;
}

/** The pair cannot be used; the server keeps the one that it has. */
export class CertificateError extends Error {
  override name = 'CertificateError';
}
