/** Turns socket and TLS failures into messages that say what to do. */
import { ConfigError, ConnectionError } from '../errors.ts';
import type { Endpoint } from './endpoint.ts';

const UNTRUSTED: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_SIGNATURE_FAILURE',
]);

/** TLS 1.3 completes the handshake first, so this is how some servers reject a client certificate. */
export class ClosedAfterHandshake extends Error {
  override message = 'the server closed the connection right after the TLS handshake';
}

/** The connection could not be opened: nothing was sent. */
export function cannotConnect(endpoint: Endpoint, cause: unknown): ConnectionError | ConfigError {
  if (cause instanceof ConnectionError || cause instanceof ConfigError) return cause;
  const error = asErrno(cause);
  return new ConnectionError(
    `Cannot connect to ${endpoint.server}: ${describe(error)}: ${advice(error, endpoint)}`,
    { cause, notSent: true },
  );
}

/** The connection was lost: whether the server acted on the request is unknown. */
export function connectionLost(endpoint: Endpoint, cause: unknown, notSent = false): ConnectionError {
  if (cause instanceof ConnectionError) return cause;
  const why = cause ? describe(asErrno(cause)) : 'it was closed before the answer was complete';
  return new ConnectionError(`Lost the connection to ${endpoint.server}: ${why}`, {
    notSent,
    ...(cause !== undefined && { cause }),
  });
}

export function connectTimedOut(endpoint: Endpoint, timeoutMs: number): ConnectionError {
  return new ConnectionError(
    `Cannot connect to ${endpoint.server}: no answer within ${timeoutMs / 1000} s: ${reachability(endpoint)}`,
    { notSent: true },
  );
}

/** OpenSSL rejects the certificate or key itself. */
export function unusableTls(endpoint: Endpoint, cause: unknown): ConfigError {
  return new ConfigError(
    `The CA, client certificate or client key of ${endpoint.source} cannot be used: ${describe(asErrno(cause))}: check that each is a complete PEM text and that key and certificate belong together`,
    { cause },
  );
}

function advice(error: NodeJS.ErrnoException, endpoint: Endpoint): string {
  const code = error.code ?? '';
  if (UNTRUSTED.has(code)) {
    return `the server's certificate is not signed by the CA of ${endpoint.source}, set certificate-authority(-data) to the CA of this server`;
  }
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    return 'renew the certificate of the server, and check the clocks of both machines';
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return `its certificate is for another name, correct the server address in ${endpoint.source} or set tls-server-name`;
  }
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG') {
    return `it does not speak TLS there, check scheme and port in ${endpoint.source}`;
  }
  if (code.includes('ALERT') || error instanceof ClosedAfterHandshake) {
    return `the server refused our side of TLS, check the client certificate of ${endpoint.source} (expired, or of another CA)`;
  }
  return reachability(endpoint);
}

function reachability(endpoint: Endpoint): string {
  const via = endpoint.proxy ? ` and the proxy ${endpoint.proxy.host}:${endpoint.proxy.port}` : '';
  return `check that the API server runs and can be reached from here, and the server address${via} in ${endpoint.source}`;
}

function describe(error: NodeJS.ErrnoException): string {
  // If all of several addresses fail, Node throws one error with an empty message.
  const message = error.message || error.code || 'unknown error';
  const code = error.code && !message.includes(error.code) ? ` (${error.code})` : '';
  return `${message}${code}`;
}

function asErrno(cause: unknown): NodeJS.ErrnoException {
  return cause instanceof Error ? cause : new Error(String(cause));
}
