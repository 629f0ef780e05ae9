/**
 * All objects of an installation as one list, for users of neither Helm nor kustomize. The permissions are those of the
 * chart with the same controllers and features: a ClusterRole, or only Roles if namespaces are named.
 */
import { NAMESPACE_RULE, ownRules, type RuleOptions, watchedRules } from './install-rules.ts';

const RBAC = 'rbac.authorization.k8s.io';
const NAME = 'reloader';

export interface InstallOptions extends RuleOptions {
  /** The operator's namespace. */
  readonly namespace: string;
  /** The watched namespaces; empty for all. */
  readonly watched: readonly string[];
  readonly image: string;
  readonly version: string;
}

export function installObjects(options: InstallOptions): readonly object[] {
  const { namespace, image, version } = options;
  const labels = {
    'app.kubernetes.io/name': NAME,
    'app.kubernetes.io/instance': NAME,
    'app.kubernetes.io/version': version,
  };
  const metadata = { name: NAME, namespace, labels };
  const own = ownRules(options);
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    ...watchingRoles(options, labels),
    ...(own.length > 0
      ? [
          { apiVersion: `${RBAC}/v1`, kind: 'Role', metadata, rules: own },
          { apiVersion: `${RBAC}/v1`, kind: 'RoleBinding', metadata, ...bound('Role', NAME, namespace) },
        ]
      : []),
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { selector: selector(), ports: [{ name: 'http', port: 9090, targetPort: 'http' }] },
    },
    deployment(metadata, image, argumentsOf(options)),
  ];
}

function watchingRoles(options: InstallOptions, labels: object): readonly object[] {
  const { namespace, watched } = options;
  const rules = watchedRules(options);
  const names = { role: `${NAME}-role`, binding: `${NAME}-role-binding` };
  if (watched.length > 0) {
    return watched.flatMap((each) => [
      {
        apiVersion: `${RBAC}/v1`,
        kind: 'Role',
        metadata: { name: names.role, namespace: each, labels },
        rules,
      },
      {
        apiVersion: `${RBAC}/v1`,
        kind: 'RoleBinding',
        metadata: { name: names.binding, namespace: each, labels },
        ...bound('Role', names.role, namespace),
      },
    ]);
  }
  return [
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRole',
      metadata: { name: names.role, labels },
      rules: [NAMESPACE_RULE, ...rules],
    },
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: names.binding, labels },
      ...bound('ClusterRole', names.role, namespace),
    },
  ];
}

function bound(kind: string, name: string, namespace: string): object {
  return {
    roleRef: { apiGroup: RBAC, kind, name },
    subjects: [{ kind: 'ServiceAccount', name: NAME, namespace }],
  };
}

function argumentsOf({
  controllers,
  watched,
  features,
}: Pick<InstallOptions, 'controllers' | 'watched' | 'features'>): string[] {
  return [
    `--controllers=${[...controllers].join(',')}`,
    ...(watched.length > 0 ? [`--namespaces=${watched.join(',')}`] : []),
    ...(features.has('restore-config-maps') && controllers.has('reloader')
      ? ['--restore-config-maps=true']
      : []),
  ];
}

function selector() {
  return { 'app.kubernetes.io/name': NAME, 'app.kubernetes.io/instance': NAME };
}

function deployment(metadata: object, image: string, args: readonly string[]): object {
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
              args,
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
