/** Authentication reviews: `kubectl auth whoami`, and servers that check a token. */
import { ISSUER } from '../../auth/service-account-tokens.ts';
import { authenticated, type User } from '../../auth/user.ts';
import { badRequest } from '../../model/status.ts';
import type { ApiResponse } from '../../request/request.ts';
import { parseBody } from '../body.ts';
import { type ResourceCall, readWriteOptions } from '../call.ts';
import { timestamp } from '../cluster.ts';
import { decodeObject } from '../decode.ts';
import { trackFields } from '../operations/write-options.ts';
import { respond } from '../respond.ts';

const userInfo = ({ name, uid, groups, extra }: User): object => ({
  username: name,
  ...(uid && { uid }),
  groups,
  ...(extra && { extra }),
});

export function reviewSelf(call: ResourceCall): ApiResponse {
  decodeObject(call, parseBody(call.request, 'SelfSubjectReview'));
  return respond(call, 201, {
    kind: 'SelfSubjectReview',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { creationTimestamp: timestamp(call.cluster.clock) },
    status: { userInfo: userInfo(call.user) },
  });
}

export function reviewToken(call: ResourceCall): ApiResponse {
  const review = decodeObject(call, parseBody(call.request, 'TokenReview'));
  const { token = '', audiences = [] } = (review.spec ?? {}) as { token?: string; audiences?: string[] };
  trackFields(call.cluster, call.kind, review, undefined, readWriteOptions(call));
  if (token === '') throw badRequest('token is required for TokenReview in authentication');
  return respond(call, 201, { ...review, status: tokenStatus(call, token, audiences) });
}

function tokenStatus({ authenticator }: ResourceCall, token: string, wanted: readonly string[]): object {
  const verified = authenticator.verify(token);
  const user = verified ? authenticated(verified.user) : authenticator.byToken(token);
  if (!user) return { user: {}, error: 'invalid bearer token' };
  // Static tokens have only the server itself as audience.
  const granted = verified?.audiences ?? [ISSUER];
  const asked = wanted.length > 0 ? wanted : [ISSUER];
  const common = asked.filter((audience) => granted.includes(audience));
  if (common.length === 0 && !verified) return { user: {}, error: 'invalid bearer token' };
  if (common.length === 0) {
    const why = `[invalid bearer token, token audiences ${JSON.stringify(granted)} is invalid for the target audiences ${JSON.stringify(asked)}]`;
    return { user: {}, error: why };
  }
  return { authenticated: true, user: userInfo(user), audiences: common };
}
