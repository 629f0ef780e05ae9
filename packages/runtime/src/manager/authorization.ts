/**
 * Lets the API server decide who may read an endpoint, as kube-rbac-proxy does: the caller's bearer token is
 * shown to a TokenReview, the user it belongs to and the path to a SubjectAccessReview.
 *
 * Verdicts are kept for a while (allowed a minute, denied ten seconds), under a hash of the token. Where the API
 * server cannot be asked, nobody gets in: the error passes to the caller.
 */
import { createHash } from 'node:crypto';
import type { Client } from '../client/client.ts';
import type { ResourceType } from '../client/resource.ts';
import { type Clock, systemClock } from '../clock/clock.ts';
import type { KubernetesObject } from '../model/types.ts';

export interface AccessRequest {
  readonly token: string | undefined;
  readonly path: string;
  readonly verb: string;
}

export type Verdict = 'allowed' | 'unauthenticated' | 'forbidden';
export type RequestAuthorizer = (request: AccessRequest) => Promise<Verdict>;

interface UserInfo {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

interface TokenReview extends KubernetesObject {
  spec: { readonly token: string };
  status?: { readonly authenticated?: boolean; readonly user?: UserInfo };
}

interface SubjectAccessReview extends KubernetesObject {
  spec: {
    readonly user?: string;
    readonly uid?: string;
    readonly groups?: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
    readonly nonResourceAttributes: { readonly path: string; readonly verb: string };
  };
  status?: { readonly allowed?: boolean };
}

const TokenReviews: ResourceType<TokenReview> = {
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'TokenReview',
  plural: 'tokenreviews',
  namespaced: false,
};

const SubjectAccessReviews: ResourceType<SubjectAccessReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
  namespaced: false,
};

const KEEP_MS: Readonly<Record<Verdict, number>> = {
  allowed: 60_000,
  unauthenticated: 10_000,
  forbidden: 10_000,
};
const MOST_KEPT = 1000;

export function authorizeByServer(client: Client, clock: Clock = systemClock): RequestAuthorizer {
  const kept = new Map<string, { readonly verdict: Verdict; readonly until: number }>();
  return async (request) => {
    if (!request.token) return 'unauthenticated';
    const id = createHash('sha256')
      .update(JSON.stringify([request.token, request.path, request.verb]))
      .digest('base64');
    const known = kept.get(id);
    if (known && known.until > clock.monotonic()) return known.verdict;
    const verdict = await ask(client, { ...request, token: request.token });
    // Whoever sends ever new tokens must not fill our memory.
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(id, { verdict, until: clock.monotonic() + KEEP_MS[verdict] });
    return verdict;
  };
}

async function ask(client: Client, request: AccessRequest & { readonly token: string }): Promise<Verdict> {
  const review = await client.create(TokenReviews, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    spec: { token: request.token },
  });
  const user = review.status?.user;
  if (!review.status?.authenticated || !user) return 'unauthenticated';
  const { username, uid, groups, extra } = user;
  const access = await client.create(SubjectAccessReviews, {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: {
      ...(username === undefined ? {} : { user: username }),
      ...(uid === undefined ? {} : { uid }),
      ...(groups === undefined ? {} : { groups }),
      ...(extra === undefined ? {} : { extra }),
      nonResourceAttributes: { path: request.path, verb: request.verb },
    },
  });
  return access.status?.allowed ? 'allowed' : 'forbidden';
}
