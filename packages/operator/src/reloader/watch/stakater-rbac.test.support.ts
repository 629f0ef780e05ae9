/** Exactly the permissions that Stakater's chart (2.2.16, with defaults) grants its service account. */
import { type Client, kinds } from '@reloader/runtime';

const RULES = [
  { apiGroups: [''], resources: ['secrets', 'configmaps'], verbs: ['list', 'get', 'watch'] },
  {
    apiGroups: ['apps'],
    resources: ['deployments', 'daemonsets', 'statefulsets'],
    verbs: ['list', 'get', 'update', 'patch'],
  },
  { apiGroups: ['batch'], resources: ['cronjobs'], verbs: ['list', 'get'] },
  { apiGroups: ['batch'], resources: ['jobs'], verbs: ['create', 'delete', 'list', 'get'] },
  { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
];

/** Rules in the release's own namespace. */
const OWN_RULES = [
  { apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'get', 'watch', 'create', 'update'] },
];

/** Grants these rules to a user, cluster-wide as the chart does by default. */
export async function grantStakaterRules(admin: Client, user: string, namespace: string): Promise<void> {
  const rbac = 'rbac.authorization.k8s.io';
  const subjects = [{ kind: 'User', apiGroup: rbac, name: user }];
  const name = 'stakater-reloader';
  const grant = { apiVersion: `${rbac}/v1`, subjects };
  await admin.create(kinds.ClusterRole, {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRole',
    metadata: { name },
    rules: RULES,
  } as object);
  await admin.create(kinds.ClusterRoleBinding, {
    ...grant,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name },
  } as object);
  await admin.create(kinds.Role, {
    apiVersion: `${rbac}/v1`,
    kind: 'Role',
    metadata: { namespace, name },
    rules: OWN_RULES,
  } as object);
  await admin.create(kinds.RoleBinding, {
    ...grant,
    kind: 'RoleBinding',
    metadata: { namespace, name },
    roleRef: { apiGroup: rbac, kind: 'Role', name },
  } as object);
}
