/**
 * Everything to install as one list of objects, for those who use neither Helm nor kustomize. The permissions are those
 * of the chart with both controllers.
 */
const RBAC = 'rbac.authorization.k8s.io';
const NAME = 'reloader';

export interface InstallOptions {
  readonly namespace: string;
  readonly image: string;
  readonly version: string;
}

const rule = (
  group: string,
  resources: readonly string[],
  verbs: readonly string[],
  resourceNames?: readonly string[],
) => ({
  apiGroups: [group],
  resources,
  ...(resourceNames && { resourceNames }),
  verbs,
});

const CLUSTER_RULES = [
  rule('', ['namespaces'], ['list', 'watch']),
  rule('', ['secrets'], ['get', 'list', 'watch']),
  rule('', ['configmaps'], ['get', 'list', 'watch', 'create', 'patch', 'delete']),
  rule('', ['pods'], ['list', 'watch']),
  rule('', ['pods/eviction'], ['create']),
  // Where admission enforces it: who makes an owner block its own deletion must be allowed to.
  rule('', ['pods/finalizers'], ['update']),
  rule('', ['events'], ['create', 'patch']),
  rule('apps', ['deployments', 'statefulsets', 'daemonsets'], ['list', 'watch', 'patch']),
  rule('batch', ['cronjobs'], ['list', 'watch', 'get', 'patch']),
  rule('batch', ['jobs'], ['list', 'watch', 'get', 'patch', 'create', 'delete']),
  rule('reloader.stakater.com', ['reloaderconfigs'], ['get', 'list', 'watch']),
  rule('reloader.stakater.com', ['reloaderconfigs/status'], ['patch']),
  rule('podconfig.example.com', ['podconfigmapconfigs'], ['get', 'list', 'watch']),
  rule('podconfig.example.com', ['podconfigmapconfigs/status'], ['patch']),
];

const OWN_RULES = [
  rule('', ['configmaps'], ['create', 'list', 'update', 'delete']),
  rule('', ['configmaps'], ['get', 'update', 'patch'], ['reloader-history', 'reloader-meta-info']),
  rule('', ['secrets'], ['create']),
  rule('', ['secrets'], ['get'], ['reloader-digest-key']),
];

export function installObjects({ namespace, image, version }: InstallOptions): readonly object[] {
  const labels = {
    'app.kubernetes.io/name': NAME,
    'app.kubernetes.io/instance': NAME,
    'app.kubernetes.io/version': version,
  };
  const metadata = { name: NAME, namespace, labels };
  const subjects = [{ kind: 'ServiceAccount', name: NAME, namespace }];
  const bound = (kind: string, name: string) => ({ roleRef: { apiGroup: RBAC, kind, name }, subjects });
  const wide = { name: `${NAME}-role`, labels };
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata: wide, rules: CLUSTER_RULES },
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { ...wide, name: `${NAME}-role-binding` },
      ...bound('ClusterRole', wide.name),
    },
    { apiVersion: `${RBAC}/v1`, kind: 'Role', metadata, rules: OWN_RULES },
    { apiVersion: `${RBAC}/v1`, kind: 'RoleBinding', metadata, ...bound('Role', NAME) },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { selector: selector(), ports: [{ name: 'http', port: 9090, targetPort: 'http' }] },
    },
    deployment(metadata, image),
  ];
}

function selector() {
  return { 'app.kubernetes.io/name': NAME, 'app.kubernetes.io/instance': NAME };
}

function deployment(metadata: object, image: string): object {
  const field = (fieldPath: string) => ({ valueFrom: { fieldRef: { fieldPath } } });
  const probe = (path: string) => ({
    httpGet: { path, port: 'http' },
    timeoutSeconds: 5,
    periodSeconds: 10,
    failureThreshold: 5,
  });
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: {
      replicas: 1,
      selector: { matchLabels: selector() },
      template: {
        metadata: { labels: selector() },
        spec: {
          serviceAccountName: NAME,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 65534,
            seccompProfile: { type: 'RuntimeDefault' },
          },
          containers: [
            {
              name: NAME,
              image,
              env: [
                { name: 'POD_NAME', ...field('metadata.name') },
                { name: 'POD_NAMESPACE', ...field('metadata.namespace') },
                { name: 'RELOADER_NAMESPACE', ...field('metadata.namespace') },
                { name: 'RELOADER_DEPLOYMENT_NAME', value: NAME },
              ],
              ports: [{ name: 'http', containerPort: 9090 }],
              livenessProbe: { ...probe('/live'), initialDelaySeconds: 10 },
              readinessProbe: probe('/readyz'),
              resources: {
                requests: { cpu: '50m', memory: '128Mi' },
                limits: { cpu: '200m', memory: '256Mi' },
              },
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ['ALL'] },
              },
            },
          ],
        },
      },
    },
  };
}
