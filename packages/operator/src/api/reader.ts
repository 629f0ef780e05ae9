/**
 * The readers of `/api/v1`, and the namespaces that each may read.
 *
 * A client on loopback reads everything: Kubernetes has authorized its port-forward, or it runs in the pod. A client at
 * another address sends a token, and reads a namespace if the API server allows its user to list ReloaderConfigs there,
 * which Kubernetes' own roles `view`, `edit` and `admin` do after an installation. Such a user may not be allowed to list
 * Secrets. It is told the names of those that workloads use, which pod templates contain, and nothing of others.
 */
import { createHash } from 'node:crypto';
import type { AccessRequest, RequestAuthorizer, RequestReviewer, Verdict } from '@reloader/runtime';
import { ReloaderConfigs } from '../reloader/model/kinds.ts';

export interface Reader {
  /** Identifies the reader: expensive requests are limited for each of them. */
  readonly id: string;
  /** Whether it may learn if a source exists that no workload uses. */
  readonly seesUnused: boolean;
  /** Undefined asks for all namespaces at once. */
  mayRead(namespace: string | undefined): Promise<Verdict>;
}

export const LOCAL_READER: Reader = {
  id: 'loopback',
  seesUnused: true,
  mayRead: async () => 'allowed',
};

/** The right that a user needs to read a namespace, or all of them. */
function needed(token: string | undefined, namespace: string | undefined): AccessRequest {
  const { group, plural: resource } = ReloaderConfigs;
  return {
    token,
    verb: 'list',
    resource: { group, resource, ...(namespace !== undefined && { namespace }) },
  };
}

/**
 * The user of a token. The API server names it when it is asked whether the user may read; no further request is made.
 */
export async function nameOf(
  token: string | undefined,
  namespace: string | undefined,
  review: RequestReviewer,
): Promise<string | undefined> {
  return (await review(needed(token, namespace))).user;
}

export function tokenReader(token: string | undefined, authorize: RequestAuthorizer): Reader {
  return {
    // A hash instead of the token, because others keep it to identify readers.
    id: `token ${createHash('sha256')
      .update(token ?? '')
      .digest('base64url')}`,
    seesUnused: false,
    mayRead: (namespace) => authorize(needed(token, namespace)),
  };
}

/** The answer for a reader that may not read. It is the same whether or not the namespace exists. */
export function deniedText(namespace: string | undefined): string {
  return namespace === undefined
    ? 'This takes the right to list reloaderconfigs in all namespaces: get it, or ask for one namespace with ?namespace='
    : `This takes the right to list reloaderconfigs in namespace ${namespace}`;
}
