/**
 * Authenticates a request: by bearer token (static, or a service account's), by client certificate, or as anonymous.
 *
 * Guarantees: an invalid, expired or revoked bearer token gets a 401, even if anonymous requests are allowed.
 */

import { unauthorized } from '../model/status.ts';
import type { ApiRequest } from '../request/request.ts';
import {
  ISSUER,
  type ServiceAccountTokens,
  type TokenRequest,
  type VerifiedToken,
} from './service-account-tokens.ts';
import { ANONYMOUS, authenticated, type User } from './user.ts';

export interface AuthenticatorOptions {
  readonly serviceAccounts: ServiceAccountTokens;
  /** Requests without credentials are `system:anonymous` instead of 401. */
  readonly anonymous: boolean;
}

export class Authenticator {
  readonly #tokens = new Map<string, User>();
  readonly #serviceAccounts: ServiceAccountTokens;
  readonly #anonymous: boolean;

  constructor(options: AuthenticatorOptions) {
    this.#serviceAccounts = options.serviceAccounts;
    this.#anonymous = options.anonymous;
  }

  /** Registers `token` for `user`. */
  addToken(token: string, user: User): void {
    this.#tokens.set(token, user);
  }

  /** Revokes `token`, static or of a service account: it gets a 401. */
  revokeToken(token: string): void {
    this.#tokens.delete(token);
    this.#serviceAccounts.revoke(token);
  }

  /** Throws 401. */
  authenticate(request: ApiRequest): User {
    const token = bearerToken(request.headers.authorization);
    if (token !== undefined) {
      const user = this.byToken(token);
      if (!user) throw unauthorized();
      return user;
    }
    const { certificate } = request;
    if (certificate) return authenticated({ name: certificate.user, groups: certificate.groups });
    if (!this.#anonymous) throw unauthorized();
    return ANONYMOUS;
  }

  /** The user of a token; a token for another audience is refused. */
  byToken(token: string): User | undefined {
    const verified = this.#serviceAccounts.verify(token);
    const account = verified?.audiences.includes(ISSUER) ? verified.user : undefined;
    const user = this.#tokens.get(token) ?? account;
    return user && authenticated(user);
  }

  /** A token for a service account. */
  issue(request: TokenRequest): { readonly token: string; readonly expires: number } {
    return this.#serviceAccounts.issue(request);
  }

  /** The claims of a service account's token; undefined for other and invalid tokens. */
  verify(token: string): VerifiedToken | undefined {
    return this.#serviceAccounts.verify(token);
  }
}

function bearerToken(header: string | undefined): string | undefined {
  const match = /^bearer\s+(\S+)\s*$/i.exec(header ?? '');
  return match?.[1];
}
