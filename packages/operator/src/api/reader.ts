/**
 * The readers of `/api/v1`, and the namespaces that each may read.
 *
 * A client on loopback reads everything: Kubernetes has authorized its port-forward, or it runs in the pod. A client at
 * another address sends a token, and reads a namespace if the API server allows its user to list Secrets and
 * Deployments there. So it learns nothing that it could not look up itself.
 */
import { createHash } from 'node:crypto';
import type { AccessRequest, RequestAuthorizer, RequestReviewer, Verdict } from '@reloader/runtime';

export interface Reader {
  /** Identifies the reader: expensive requests are limited for each of them. */
  readonly id: string;
  /** Undefined asks for all namespaces at once. */
  mayRead(namespace: string | undefined): Promise<Verdict>;
}

export const LOCAL_READER: Reader = { id: 'loopback', mayRead: async () => 'allowed' };

const NEEDED = [
  { group: '', resource: 'secrets' },
  { group: 'apps', resource: 'deployments' },
] as const;

/** The rights that a user needs to read a namespace, or all of them. */
function needed(token: string | undefined, namespace: string | undefined): readonly AccessRequest[] {
  const where = namespace === undefined ? {} : { namespace };
  return NEEDED.map((resource) => ({ token, verb: 'list', resource: { ...resource, ...where } }));
}

/**
 * The user of a token. The API server names it when it is asked whether the user may read; no further request is made.
 */
export async function nameOf(
  token: string | undefined,
  namespace: string | undefined,
  review: RequestReviewer,
): Promise<string | undefined> {
  const [first] = needed(token, namespace);
  return first && (await review(first)).user;
}

export function tokenReader(token: string | undefined, authorize: RequestAuthorizer): Reader {
  return {
    // A hash instead of the token, because others keep it to identify readers.
    id: `token ${createHash('sha256')
      .update(token ?? '')
      .digest('base64url')}`,
    async mayRead(namespace) {
      for (const request of needed(token, namespace)) {
        const verdict = await authorize(request);
        if (verdict !== 'allowed') return verdict;
      }
      return 'allowed';
    },
  };
}

/** The answer for a reader that may not read. It is the same whether or not the namespace exists. */
export function deniedText(namespace: string | undefined): string {
  return namespace === undefined
    ? 'This takes the right to list secrets and deployments in all namespaces: get it, or ask for one namespace with ?namespace='
    : `This takes the right to list secrets and deployments in namespace ${namespace}`;
}
