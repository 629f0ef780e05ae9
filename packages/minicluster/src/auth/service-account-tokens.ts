/**
 * Service account tokens: JSON web tokens that name the account, expire on the clock, and become invalid with the
 * objects they are bound to.
 *
 * In: an account, an audience, a lifetime. Out: a token; later its user, or nothing. Guarantees: a token is accepted
 * only while its account (same uid), and its pod or secret if it is bound to one, exist. The signature is an HMAC, so
 * that the same seed gives the same tokens; only this server can check them.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@reloader/runtime';
import type { KubeObject } from '../model/object.ts';
import { objectKey, type Store } from '../storage/store.ts';
import { serviceAccountGroups, serviceAccountName, type User } from './user.ts';

export const ISSUER = 'https://kubernetes.default.svc';

export interface BoundObject {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

export interface TokenRequest {
  readonly account: KubeObject;
  readonly audiences: readonly string[];
  readonly seconds: number;
  readonly bound?: BoundObject | undefined;
  readonly id: string;
}

export interface VerifiedToken {
  readonly user: User;
  readonly audiences: readonly string[];
}

interface Claims {
  aud: string[];
  exp: number;
  iat: number;
  nbf: number;
  iss: string;
  jti: string;
  sub: string;
  'kubernetes.io': {
    namespace: string;
    serviceaccount: { name: string; uid: string };
    pod?: { name: string; uid: string };
    secret?: { name: string; uid: string };
    node?: { name: string; uid: string };
  };
}

const BOUND_RESOURCES: Readonly<Record<string, string>> = { pod: 'pods', secret: 'secrets', node: 'nodes' };

export class ServiceAccountTokens {
  readonly #key: Uint8Array;
  readonly #clock: Clock;
  readonly #store: Store;
  readonly #revoked = new Set<string>();

  constructor(options: { readonly key: Uint8Array; readonly clock: Clock; readonly store: Store }) {
    this.#key = options.key;
    this.#clock = options.clock;
    this.#store = options.store;
  }

  issue(request: TokenRequest): { readonly token: string; readonly expires: number } {
    const { account, audiences, seconds, bound, id } = request;
    const { name, uid, namespace = '' } = account.metadata;
    const now = Math.floor(this.#clock.now() / 1000);
    const claims: Claims = {
      aud: audiences.length > 0 ? [...audiences] : [ISSUER],
      exp: now + seconds,
      iat: now,
      nbf: now,
      iss: ISSUER,
      jti: id,
      sub: serviceAccountName(namespace, name),
      'kubernetes.io': {
        namespace,
        serviceaccount: { name, uid },
        ...(bound && { [bound.kind.toLowerCase()]: { name: bound.name, uid: bound.uid } }),
      },
    };
    const content = `${encode({ alg: 'HS256', kid: 'minicluster' })}.${encode(claims)}`;
    return { token: `${content}.${this.#sign(content).toString('base64url')}`, expires: claims.exp * 1000 };
  }

  /** Undefined for anything but a currently valid token of this server. */
  verify(token: string): VerifiedToken | undefined {
    const claims = this.#read(token);
    if (!claims || this.#revoked.has(claims.jti)) return undefined;
    const now = this.#clock.now() / 1000;
    if (now >= claims.exp || now < claims.nbf) return undefined;
    const { namespace, serviceaccount } = claims['kubernetes.io'];
    const account = this.#store.get('serviceaccounts', objectKey(namespace, serviceaccount.name));
    if (account?.metadata.uid !== serviceaccount.uid) return undefined;
    if (!this.#boundObjectsExist(claims)) return undefined;
    return { user: userOf(claims), audiences: claims.aud };
  }

  /** Revokes the token. */
  revoke(token: string): void {
    const claims = this.#read(token);
    if (claims) this.#revoked.add(claims.jti);
  }

  #boundObjectsExist(claims: Claims): boolean {
    const { namespace, ...bound } = claims['kubernetes.io'];
    return Object.entries(BOUND_RESOURCES).every(([kind, resource]) => {
      const reference = bound[kind as 'pod' | 'secret' | 'node'];
      if (!reference) return true;
      const key = objectKey(kind === 'node' ? undefined : namespace, reference.name);
      return this.#store.get(resource, key)?.metadata.uid === reference.uid;
    });
  }

  #read(token: string): Claims | undefined {
    const [header, payload, signature, ...rest] = token.split('.');
    if (!header || !payload || !signature || rest.length > 0) return undefined;
    const given = Buffer.from(signature, 'base64url');
    const expected = this.#sign(`${header}.${payload}`);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Claims;
  }

  #sign(content: string): Buffer {
    return createHmac('sha256', this.#key).update(content).digest();
  }
}

function userOf(claims: Claims): User {
  const { namespace, serviceaccount, pod, node } = claims['kubernetes.io'];
  const extra: Record<string, string[]> = {
    'authentication.kubernetes.io/credential-id': [`JTI=${claims.jti}`],
  };
  if (pod) {
    extra['authentication.kubernetes.io/pod-name'] = [pod.name];
    extra['authentication.kubernetes.io/pod-uid'] = [pod.uid];
  }
  if (node) {
    extra['authentication.kubernetes.io/node-name'] = [node.name];
    extra['authentication.kubernetes.io/node-uid'] = [node.uid];
  }
  return { name: claims.sub, uid: serviceaccount.uid, groups: serviceAccountGroups(namespace), extra };
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
