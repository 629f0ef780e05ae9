/** Generated manifests: the CustomResourceDefinition, and the operator's RBAC rules. */
import { stringify } from 'yaml';
import { __Kind__Kind } from './kind.ts';
import { __plural__Operator } from './operator.ts';

const NAME = '__name__';
const NAMESPACE = `${NAME}-system`;
const HEADER = '# Generated from src: change it there, then run `npm run generate`.\n';
const RBAC = 'rbac.authorization.k8s.io';

const subjects = [{ kind: 'ServiceAccount', name: NAME, namespace: NAMESPACE }];

/** The Lease is in the operator's own namespace: no permission is needed elsewhere. */
const leases = {
  apiGroups: ['coordination.k8s.io'],
  resources: ['leases'],
  verbs: ['get', 'create', 'update'],
};

const rbac = [
  {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRole',
    metadata: { name: NAME },
    rules: __plural__Operator.rules({ leaderElection: false }),
  },
  {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: NAME },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: NAME },
    subjects,
  },
  {
    apiVersion: `${RBAC}/v1`,
    kind: 'Role',
    metadata: { name: NAME, namespace: NAMESPACE },
    rules: [leases],
  },
  {
    apiVersion: `${RBAC}/v1`,
    kind: 'RoleBinding',
    metadata: { name: NAME, namespace: NAMESPACE },
    roleRef: { apiGroup: RBAC, kind: 'Role', name: NAME },
    subjects,
  },
];

const yaml = (...objects: readonly unknown[]): string =>
  HEADER + objects.map((object) => stringify(object, { lineWidth: 0 })).join('---\n');

/** File contents by path. */
export const manifests: ReadonlyMap<string, string> = new Map([
  ['config/crd.yaml', yaml(__Kind__Kind.crd())],
  ['config/rbac.yaml', yaml(...rbac)],
]);
