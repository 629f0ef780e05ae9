/**
 * Service accounts with exactly the permissions that a test gives them.
 *
 * In: namespace, name and rules. Out: a real token and a kubeconfig for it. Called again for the same account, it
 * replaces the rules, so that permissions can be revoked and restored at run time.
 *
 * Resolves when the API server allows every given rule. Revocations take effect a moment later: the server reads its
 * rules from a watch.
 */
import type { Api } from './api.ts';
import { poll } from './poll.ts';

export interface PolicyRule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
}

export interface ServiceAccountOptions {
  /** Permissions in its own namespace. */
  readonly rules?: readonly PolicyRule[];
  /** Cluster-wide permissions. */
  readonly clusterRules?: readonly PolicyRule[];
  /** How long the token is valid; Kubernetes grants no less than 600. */
  readonly expirationSeconds?: number;
  readonly signal?: AbortSignal;
}

export interface ServiceAccountToken {
  /** The name under which the account appears in the audit log. */
  readonly user: string;
  readonly token: string;
}

const rbac = 'rbac.authorization.k8s.io';
const patience = 10_000;

export async function createServiceAccount(
  api: Api,
  namespace: string,
  name: string,
  options: ServiceAccountOptions,
): Promise<ServiceAccountToken> {
  const { rules = [], clusterRules = [], expirationSeconds = 3_600, signal } = options;
  const own = `/api/v1/namespaces/${namespace}`;
  const apply = (path: string, object: object) => api.apply(path, object, signal);
  await apply(own, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await apply(`${own}/serviceaccounts/${name}`, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name, namespace },
  });
  for (const { path, object } of permissions(namespace, name, rules, clusterRules)) await apply(path, object);
  const answer = await api.call(`${own}/serviceaccounts/${name}/token`, {
    method: 'POST',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds } },
    ...(signal === undefined ? {} : { signal }),
  });
  const { token } = answer.status as { token: string };
  const user = `system:serviceaccount:${namespace}:${name}`;
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  const reviews = [
    ...rules.map((rule) => reviewOf(rule, namespace)),
    ...clusterRules.map((rule) => reviewOf(rule, '')),
  ];
  for (const review of reviews) await waitUntilAllowed(api, { user, groups, ...review }, signal);
  return { user, token };
}

/** Both pairs always exist, so that rules no longer given are emptied. */
function permissions(
  namespace: string,
  name: string,
  rules: readonly PolicyRule[],
  clusterRules: readonly PolicyRule[],
): { path: string; object: object }[] {
  const apiVersion = `${rbac}/v1`;
  const root = `/apis/${rbac}/v1`;
  const subjects = [{ kind: 'ServiceAccount', name, namespace }];
  const clusterName = `${namespace}:${name}`;
  const local = { name, namespace };
  const global = { name: clusterName };
  const roleRef = { apiGroup: rbac, kind: 'Role', name };
  const clusterRoleRef = { apiGroup: rbac, kind: 'ClusterRole', name: clusterName };
  return [
    {
      path: `${root}/namespaces/${namespace}/roles/${name}`,
      object: { apiVersion, kind: 'Role', metadata: local, rules },
    },
    {
      path: `${root}/namespaces/${namespace}/rolebindings/${name}`,
      object: { apiVersion, kind: 'RoleBinding', metadata: local, roleRef, subjects },
    },
    {
      path: `${root}/clusterroles/${clusterName}`,
      object: { apiVersion, kind: 'ClusterRole', metadata: global, rules: clusterRules },
    },
    {
      path: `${root}/clusterrolebindings/${clusterName}`,
      object: { apiVersion, kind: 'ClusterRoleBinding', metadata: global, roleRef: clusterRoleRef, subjects },
    },
  ];
}

/** One access review per rule: a rule takes effect as a whole. */
function reviewOf(rule: PolicyRule, namespace: string): object {
  const verb = rule.verbs[0];
  const path = rule.nonResourceURLs?.[0];
  if (path !== undefined) return { nonResourceAttributes: { verb, path } };
  const [resource, subresource] = rule.resources?.[0]?.split('/') ?? [];
  const name = rule.resourceNames?.[0];
  return {
    resourceAttributes: { namespace, verb, group: rule.apiGroups?.[0] ?? '', resource, subresource, name },
  };
}

/** Asked as the administrator: the account itself then has only the test's requests in the audit log. */
async function waitUntilAllowed(api: Api, spec: object, signal: AbortSignal | undefined): Promise<void> {
  const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec };
  const ask = async () => {
    const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
    const { status } = await api.call(path, { method: 'POST', body });
    return (status as { allowed: boolean }).allowed;
  };
  await poll(ask, { what: `the API server to honour ${JSON.stringify(spec)}`, timeout: patience }, signal);
}
