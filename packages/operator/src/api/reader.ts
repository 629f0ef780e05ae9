/**
 * Who asks `/api/v1`, and which namespaces it may read.
 *
 * Whoever asks on loopback was let in by Kubernetes (a port-forward takes the right to it) or sits in the pod, and reads
 * everything. Whoever asks at another address shows a token, and reads a namespace if the API server lets its user list
 * Secrets and Deployments there: so it learns nothing that it could not look up itself.
 */
import { createHash } from 'node:crypto';
import type { AccessRequest, RequestAuthorizer, RequestReviewer, Verdict } from '@reloader/runtime';

export interface Reader {
  /** Tells readers apart: what costs something is shared out among them. */
  readonly id: string;
  /** Undefined asks for all namespaces at once. */
  mayRead(namespace: string | undefined): Promise<Verdict>;
}

export const LOCAL_READER: Reader = { id: 'loopback', mayRead: async () => 'allowed' };

const NEEDED = [
  { group: '', resource: 'secrets' },
  { group: 'apps', resource: 'deployments' },
] as const;

/** What somebody has to be allowed to read a namespace, or all. */
function needed(token: string | undefined, namespace: string | undefined): readonly AccessRequest[] {
  const where = namespace === undefined ? {} : { namespace };
  return NEEDED.map((resource) => ({ token, verb: 'list', resource: { ...resource, ...where } }));
}

/** Who shows this token: the API server says so when it is asked whether they may read; nothing more is asked. */
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
    // Kept by those who tell readers apart, so it is no token.
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

/** What a reader is told who may not. The same whether the namespace exists or not. */
export function deniedText(namespace: string | undefined): string {
  return namespace === undefined
    ? 'This takes the right to list secrets and deployments in all namespaces: get it, or ask for one namespace with ?namespace='
    : `This takes the right to list secrets and deployments in namespace ${namespace}`;
}
