/**
 * Lets the API server decide who may read an endpoint, as kube-rbac-proxy does: a TokenReview authenticates the
 * caller's bearer token, a SubjectAccessReview checks the user against the path or the resource.
 *
 * Decisions are cached (allowed for a minute, denied for ten seconds) under a hash of the token. If the API server
 * cannot be asked, access is denied: the error is thrown to the caller. Callers with many unknown tokens cannot
 * overload the API server: only a few reviews run at once, and `TooManyReviews` tells the others to retry.
 */
import { createHash } from 'node:crypto';
import type { Client } from '../client/client.ts';
import type { ResourceType } from '../client/resource.ts';
import { type Clock, systemClock } from '../clock/clock.ts';
import type { KubernetesObject } from '../model/types.ts';

/** The access to check. */
export interface AccessRequest {
  readonly token: string | undefined;
  readonly verb: string;
  /** The path of an endpoint. */
  readonly path?: string;
  /** Instead of a path: a permission on a Kubernetes resource that stands for the access. */
  readonly resource?: ResourceAttributes;
}

/** A resource, as in a SubjectAccessReview. */
export interface ResourceAttributes {
  readonly group: string;
  readonly resource: string;
  /** All namespaces unless given. */
  readonly namespace?: string;
  readonly name?: string;
}

/** Too many reviews are running: nothing is known about this caller. */
export class TooManyReviewsError extends Error {
  override name = 'TooManyReviewsError';
}

/** Whether the access is allowed, or why not. */
export type Verdict = 'allowed' | 'unauthenticated' | 'forbidden';
/** Authorizes one HTTP request. */
export type RequestAuthorizer = (request: AccessRequest) => Promise<Verdict>;
/** Authorizes one HTTP request and names its user. */
export type RequestReviewer = (request: AccessRequest) => Promise<CallerReview>;

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
    readonly nonResourceAttributes?: { readonly path: string; readonly verb: string };
    readonly resourceAttributes?: ResourceAttributes & { readonly verb: string };
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
const MOST_AT_ONCE = 16;

/** Authorizes by TokenReview and SubjectAccessReview, with a short cache. */
export function authorizeByServer(client: Client, clock: Clock = systemClock): RequestAuthorizer {
  const review = reviewByServer(client, clock);
  return async (request) => (await review(request)).verdict;
}

/** As `authorizeByServer`, with the name of the caller. */
export function reviewByServer(client: Client, clock: Clock = systemClock): RequestReviewer {
  const kept = new Map<string, { readonly review: CallerReview; readonly until: number }>();
  const asking = new Map<string, Promise<CallerReview>>();
  const reviewed = async (id: string, request: AccessRequest): Promise<CallerReview> => {
    try {
      const review = await reviewCaller(client, request);
      // A caller that sends ever new tokens must not fill our memory; the oldest entry is dropped, which would have
      // expired first anyway.
      for (const oldest of kept.keys()) {
        if (kept.size < MOST_KEPT) break;
        kept.delete(oldest);
      }
      kept.set(id, { review, until: clock.monotonic() + KEEP_MS[review.verdict] });
      return review;
    } finally {
      asking.delete(id);
    }
  };
  return async (request) => {
    const { token, path, resource, verb } = request;
    if (!token) return { verdict: 'unauthenticated' };
    const id = createHash('sha256')
      .update(JSON.stringify([token, path, verb, resource]))
      .digest('base64');
    const known = kept.get(id);
    if (known && known.until > clock.monotonic()) return known.review;
    kept.delete(id);
    const underWay = asking.get(id);
    if (underWay) return underWay;
    if (asking.size >= MOST_AT_ONCE)
      throw new TooManyReviewsError('Too many access reviews are running: retry in a moment');
    const review = reviewed(id, request);
    asking.set(id, review);
    return review;
  };
}

/** The API server's decision about a caller, and the user's name. */
export interface CallerReview {
  readonly verdict: Verdict;
  /** Absent if the caller is not authenticated. */
  readonly user?: string;
}

/** Asks the API server each time: for requests that change something, where a revoked permission must count at once. */
export async function reviewCaller(client: Client, request: AccessRequest): Promise<CallerReview> {
  const { token, verb, path, resource } = request;
  if (!token) return { verdict: 'unauthenticated' };
  const review = await client.create(TokenReviews, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    spec: { token },
  });
  const user = review.status?.user;
  if (!review.status?.authenticated || !user) return { verdict: 'unauthenticated' };
  const { username, uid, groups, extra } = user;
  const access = await client.create(SubjectAccessReviews, {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: {
      ...(username === undefined ? {} : { user: username }),
      ...(uid === undefined ? {} : { uid }),
      ...(groups === undefined ? {} : { groups }),
      ...(extra === undefined ? {} : { extra }),
      ...(resource
        ? { resourceAttributes: { ...resource, verb } }
        : { nonResourceAttributes: { path: path ?? '/', verb } }),
    },
  });
  const verdict = access.status?.allowed ? 'allowed' : 'forbidden';
  return { verdict, ...(username !== undefined && { user: username }) };
}
