/**
 * Who we are, as headers that go with every request.
 *
 * Each implementation answers two questions: what to send now, and what else to send after the server said
 * 401. Nothing here talks to the API server.
 */
import type { FileContent } from './file-content.ts';

/** A header that may stand several times has a list of values. */
export type AuthHeaders = Readonly<Record<string, string | readonly string[]>>;

export interface ClientCertificate {
  /** PEM, both. */
  readonly cert: string;
  readonly key: string;
}

export interface Credentials {
  current(signal?: AbortSignal): Promise<AuthHeaders>;
  /**
   * The server answered 401 to `rejected`. Returns what to try instead, or undefined when there is nothing
   * else to offer. Many requests may fail at once: whoever comes late gets what the first one fetched.
   */
  renew(rejected: AuthHeaders, signal?: AbortSignal): Promise<AuthHeaders | undefined>;
  /** Where the credentials bring their own certificate for the TLS connection. */
  clientCertificate?(signal?: AbortSignal): Promise<ClientCertificate | undefined>;
}

/** Headers that never change: a token from a file read once, a password, or none for nobody in particular. */
export function fixedCredentials(headers: AuthHeaders = {}): Credentials {
  return {
    current: async () => headers,
    renew: async () => undefined,
  };
}

export function bearer(token: string): AuthHeaders {
  return { authorization: `Bearer ${token.trim()}` };
}

export function basic(username: string, password: string): AuthHeaders {
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}

/** A token that somebody else keeps fresh: read again every minute, and at once after a 401. */
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

export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: ReadonlyMap<string, readonly string[]>;
}

/** Acts as somebody else; the credentials inside must have the permission to impersonate. */
export function impersonating(inner: Credentials, who: Impersonation): Credentials {
  const added = impersonationHeaders(who);
  /** What the inner credentials gave, so that they recognise it when it was rejected. */
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
    // The server lower-cases header names and undoes the percent encoding to get the key back.
    headers[`impersonate-extra-${encodeURIComponent(key.toLowerCase())}`] = values;
  }
  return headers;
}
