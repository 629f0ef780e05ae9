/**
 * Credentials: the headers that authenticate every request.
 *
 * Each implementation answers two questions: which headers to send now, and which to try after a 401. Nothing here
 * talks to the API server.
 */
import type { FileContent } from './file-content.ts';

/** A header that is sent several times has a list of values. */
export type AuthHeaders = Readonly<Record<string, string | readonly string[]>>;

/** A certificate that authenticates the client, and its private key. */
export interface ClientCertificate {
  /** PEM. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
}

/** Authenticates requests: the headers to send now, and those to try after a 401. */
export interface Credentials {
  /** The headers to send now. */
  current(signal?: AbortSignal): Promise<AuthHeaders>;
  /**
   * The server answered 401 to `rejected`. Returns the headers to try next, or undefined if there are no others. Many
   * requests may fail at once: later callers get what the first call fetched.
   */
  renew(rejected: AuthHeaders, signal?: AbortSignal): Promise<AuthHeaders | undefined>;
  /** A client certificate for the TLS connection, if the credentials include one. */
  clientCertificate?(signal?: AbortSignal): Promise<ClientCertificate | undefined>;
}

/** Constant headers: a token, a password, or none for anonymous access. */
export function fixedCredentials(headers: AuthHeaders = {}): Credentials {
  return {
    current: async () => headers,
    renew: async () => undefined,
  };
}

/** The header of a bearer token. */
export function bearer(token: string): AuthHeaders {
  return { authorization: `Bearer ${token.trim()}` };
}

/** The header of a user name and a password. */
export function basic(username: string, password: string): AuthHeaders {
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}

/** A token that another process rotates: read again every minute, and at once after a 401. */
export function tokenFileCredentials(file: FileContent): Credentials {
  const headers = async (again: boolean): Promise<AuthHeaders> => bearer(await file.read(again));
  return {
    current: () => headers(false),
    async renew(rejected) {
      const fresh = await headers(true);
      return fresh.authorization === rejected.authorization ? undefined : fresh;
    },
  };
}

/** The user as whom requests are made. */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: ReadonlyMap<string, readonly string[]>;
}

/** Impersonation; the inner credentials need the `impersonate` permission. */
export function impersonating(inner: Credentials, who: Impersonation): Credentials {
  const added = impersonationHeaders(who);
  /** The inner credentials' own headers, so that they recognise them when rejected. */
  const originals = new WeakMap<AuthHeaders, AuthHeaders>();
  const withAdded = (headers: AuthHeaders): AuthHeaders => {
    const outer = { ...headers, ...added };
    originals.set(outer, headers);
    return outer;
  };
  return {
    ...inner,
    current: async (signal) => withAdded(await inner.current(signal)),
    async renew(rejected, signal) {
      const fresh = await inner.renew(originals.get(rejected) ?? rejected, signal);
      return fresh && withAdded(fresh);
    },
  };
}

function impersonationHeaders(who: Impersonation): AuthHeaders {
  const headers: Record<string, string | readonly string[]> = { 'impersonate-user': who.user };
  if (who.uid) headers['impersonate-uid'] = who.uid;
  if (who.groups && who.groups.length > 0) headers['impersonate-group'] = who.groups;
  for (const [key, values] of who.extra ?? []) {
    // The server lower-cases header names and decodes the percent encoding to get the key back.
    headers[`impersonate-extra-${encodeURIComponent(key.toLowerCase())}`] = values;
  }
  return headers;
}
