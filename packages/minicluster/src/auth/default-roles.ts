/** The default roles and bindings of a cluster, as far as people and products rely on them. */
import type { PolicyRule } from './rules.ts';

const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'delete', 'deletecollection', 'patch', 'update'];
const ALL = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

const rule = (verbs: string[], apiGroups: string[], resources: string[]): PolicyRule => ({
  verbs,
  apiGroups,
  resources,
});
const paths = (...urls: string[]): PolicyRule => ({ verbs: ['get'], nonResourceURLs: urls.sort() });

const VIEW: readonly PolicyRule[] = [
  rule(
    READ,
    [''],
    ['configmaps', 'endpoints', 'persistentvolumeclaims', 'persistentvolumeclaims/status', 'pods'],
  ),
  rule(READ, [''], ['replicationcontrollers', 'replicationcontrollers/scale', 'serviceaccounts']),
  rule(READ, [''], ['services', 'services/status']),
  rule(READ, [''], ['bindings', 'limitranges', 'namespaces/status', 'pods/log', 'pods/status']),
  rule(
    READ,
    [''],
    ['replicationcontrollers/status', 'resourcequotas', 'resourcequotas/status', 'namespaces'],
  ),
  rule(READ, ['', 'events.k8s.io'], ['events']),
  rule(READ, ['discovery.k8s.io'], ['endpointslices']),
  rule(READ, ['apps'], ['controllerrevisions', 'daemonsets', 'daemonsets/status', 'deployments']),
  rule(READ, ['apps'], ['deployments/scale', 'deployments/status', 'replicasets', 'replicasets/scale']),
  rule(READ, ['apps'], ['replicasets/status', 'statefulsets', 'statefulsets/scale', 'statefulsets/status']),
  rule(READ, ['autoscaling'], ['horizontalpodautoscalers', 'horizontalpodautoscalers/status']),
  rule(READ, ['batch'], ['cronjobs', 'cronjobs/status', 'jobs', 'jobs/status']),
  rule(READ, ['policy'], ['poddisruptionbudgets', 'poddisruptionbudgets/status']),
  rule(READ, ['networking.k8s.io'], ['ingresses', 'ingresses/status', 'networkpolicies']),
];

const EDIT: readonly PolicyRule[] = [
  rule(
    READ,
    [''],
    ['pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy', 'secrets', 'services/proxy'],
  ),
  rule(['impersonate'], [''], ['serviceaccounts']),
  rule(WRITE, [''], ['pods', 'pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy']),
  rule(['create'], [''], ['pods/eviction', 'serviceaccounts/token']),
  rule(WRITE, [''], ['configmaps', 'persistentvolumeclaims', 'replicationcontrollers']),
  rule(
    WRITE,
    [''],
    ['replicationcontrollers/scale', 'secrets', 'serviceaccounts', 'services', 'services/proxy'],
  ),
  rule(WRITE, ['', 'events.k8s.io'], ['events']),
  rule(WRITE, ['apps'], ['daemonsets', 'deployments', 'deployments/rollback', 'deployments/scale']),
  rule(WRITE, ['apps'], ['replicasets', 'replicasets/scale', 'statefulsets', 'statefulsets/scale']),
  rule(WRITE, ['autoscaling'], ['horizontalpodautoscalers']),
  rule(WRITE, ['batch'], ['cronjobs', 'jobs']),
  rule(WRITE, ['policy'], ['poddisruptionbudgets']),
  rule(WRITE, ['networking.k8s.io'], ['ingresses', 'networkpolicies']),
  rule(ALL, ['coordination.k8s.io'], ['leases']),
];

const ADMIN: readonly PolicyRule[] = [
  rule(['create'], ['authorization.k8s.io'], ['localsubjectaccessreviews']),
  rule(ALL, ['rbac.authorization.k8s.io'], ['rolebindings', 'roles']),
];

const HEALTH = ['/healthz', '/livez', '/readyz', '/version', '/version/'];

const LABELS = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };
const ANNOTATIONS = { 'rbac.authorization.kubernetes.io/autoupdate': 'true' };
const aggregateTo = (name: string) => ({ [`rbac.authorization.k8s.io/aggregate-to-${name}`]: 'true' });

const role = (name: string, rules: readonly PolicyRule[], labels = {}): object => ({
  metadata: { name, labels: { ...LABELS, ...labels }, annotations: ANNOTATIONS },
  rules,
});

/** An aggregated role: the union of all roles with its label. */
const sum = (name: string, labels = {}): object => ({
  metadata: { name, labels: { ...LABELS, ...labels }, annotations: ANNOTATIONS },
  aggregationRule: { clusterRoleSelectors: [{ matchLabels: aggregateTo(name) }] },
  rules: [],
});

export const DEFAULT_CLUSTER_ROLES: readonly object[] = [
  role('cluster-admin', [rule(['*'], ['*'], ['*']), { verbs: ['*'], nonResourceURLs: ['*'] }]),
  role('system:aggregate-to-view', VIEW, aggregateTo('view')),
  role('system:aggregate-to-edit', EDIT, aggregateTo('edit')),
  role('system:aggregate-to-admin', ADMIN, aggregateTo('admin')),
  sum('view', aggregateTo('edit')),
  sum('edit', aggregateTo('admin')),
  sum('admin'),
  role('system:discovery', [
    paths('/api', '/api/*', '/apis', '/apis/*', '/openapi', '/openapi/*', ...HEALTH),
  ]),
  role('system:public-info-viewer', [paths(...HEALTH)]),
  role('system:basic-user', [
    rule(['create'], ['authorization.k8s.io'], ['selfsubjectaccessreviews', 'selfsubjectrulesreviews']),
    rule(['create'], ['authentication.k8s.io'], ['selfsubjectreviews']),
  ]),
  role('system:monitoring', [
    paths('/metrics', '/metrics/slis', '/healthz/*', '/livez/*', '/readyz/*', ...HEALTH),
  ]),
  role('system:auth-delegator', [
    rule(['create'], ['authentication.k8s.io'], ['tokenreviews']),
    rule(['create'], ['authorization.k8s.io'], ['subjectaccessreviews']),
  ]),
];

const binding = (name: string, ...groups: string[]): object => ({
  metadata: { name, labels: LABELS, annotations: ANNOTATIONS },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
  subjects: groups.map((group) => ({ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: group })),
});

export const DEFAULT_CLUSTER_ROLE_BINDINGS: readonly object[] = [
  binding('cluster-admin', 'system:masters'),
  binding('system:discovery', 'system:authenticated'),
  binding('system:basic-user', 'system:authenticated'),
  binding('system:public-info-viewer', 'system:authenticated', 'system:unauthenticated'),
  binding('system:monitoring', 'system:monitoring'),
];
