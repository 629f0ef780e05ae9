/**
 * For every value of the chart, another one that must change Helm's output.
 *
 * `path: value`, or `path: [value, context]` if the value has an effect only together with others.
 */
import { merged, nested, type Values } from './helm.ts';

export interface ValueCase {
  readonly path: string;
  readonly value: unknown;
  readonly context: Values;
}

const reloader = (values: Values): Values => ({ reloader: values });
const enabled = (path: string): Values => nested(`${path}.enabled`, true);
const LABELS = { team: 'shop' };
const MATCH = [{ podSelector: { matchLabels: LABELS } }];

const monitor = (kind: 'serviceMonitor' | 'podMonitor'): ValueCase[] => {
  const context = enabled(`reloader.${kind}`);
  const values: Values = {
    namespace: 'monitoring',
    interval: '30s',
    timeout: '10s',
    scheme: 'https',
    tlsConfig: { insecureSkipVerify: true },
    bearerTokenSecret: { name: 'token', key: 'token' },
    labels: LABELS,
    annotations: LABELS,
    honorLabels: false,
    metricRelabelings: [{ action: 'drop', regex: 'nodejs_.*', sourceLabels: ['__name__'] }],
    relabelings: [{ action: 'labeldrop', regex: 'pod' }],
    podTargetLabels: ['team'],
    ...(kind === 'serviceMonitor' && { bearerTokenFile: '/token', targetLabels: ['team'] }),
  };
  return [
    { path: `reloader.${kind}.enabled`, value: true, context: {} },
    ...Object.entries(values).map(([key, value]) => ({ path: `reloader.${kind}.${key}`, value, context })),
  ];
};

const under = (prefix: string, values: Values, context: Values = {}): ValueCase[] =>
  Object.entries(values).map(([key, value]) => ({ path: `${prefix}.${key}`, value, context }));

const alerts = merged(
  enabled('reloader.alerts'),
  nested('reloader.alerts.webhookUrl', 'https://hooks.example.com/a'),
);

export const VALUE_CASES: readonly ValueCase[] = [
  ...under('global', {
    imageRegistry: 'registry.example.com',
    imagePullSecrets: ['pull', { name: 'other' }],
  }),
  ...under('kubernetes', { host: 'https://10.1.2.3:6443' }),
  { path: 'nameOverride', value: 'other', context: {} },
  { path: 'fullnameOverride', value: 'other', context: {} },
  { path: 'namespace', value: 'elsewhere', context: {} },
  {
    path: 'image.name',
    value: 'mirror/reloader',
    context: nested('global.imageRegistry', 'registry.example.com'),
  },
  ...under('image', {
    repository: 'mirror/reloader',
    tag: '9.0.0',
    digest: `sha256:${'ab'.repeat(32)}`,
    pullPolicy: 'Always',
  }),
  ...under('crds', { install: false, keep: false }),
  ...under('reloader', {
    autoReloadAll: true,
    isArgoRollouts: true,
    isOpenshift: true,
    ignoreSecrets: true,
    ignoreConfigMaps: true,
    ignoreJobs: true,
    ignoreCronJobs: true,
    reloadOnCreate: true,
    reloadOnDelete: true,
    syncAfterRestart: true,
    reloadStrategy: 'annotations',
    ignoreNamespaces: 'kube-system,other',
    namespaceSelector: 'team=shop,env in (test,prod)',
    resourceLabelSelector: 'reload',
    logFormat: 'json',
    logLevel: 'debug',
    watchGlobally: false,
    enableHA: true,
    enablePProf: true,
    enableCSIIntegration: true,
    readOnlyRootFileSystem: false,
    matchLabels: LABELS,
    enableMetricsByNamespace: true,
    webhookUrl: 'https://hooks.example.com/changed',
    mode: 'observe',
    controllers: ['reloader', 'podconfig'],
    settle: '5s',
    settleMax: '1m',
    batchWindow: '1m',
    reloadRate: '6/20',
    maxUnfinishedRollouts: 3,
    warnFanOut: 50,
    rolloutDeadline: '5m',
    verify: true,
    restoreConfigMaps: true,
    keyLevel: true,
    rolloutStrategy: 'restart',
    evictions: true,
    cronJobStrategy: 'run',
    finishedJobs: 'skip',
    allowCrossNamespace: true,
    namespaceDefaults: true,
    recreate: 'ignore',
    takeover: 'catch-up',
    digest: 'sha1',
    writeSourceHash: true,
    reloadOnGenerated: true,
    auditLog: '-',
    extraArgs: ['--settle=2s'],
  }),
  { path: 'reloader.namespaces', value: ['one', 'two'], context: reloader({ watchGlobally: false }) },
  { path: 'reloader.namespaces', value: 'one, two', context: reloader({ watchGlobally: false }) },
  { path: 'reloader.pprofAddr', value: ':6061', context: reloader({ enablePProf: true }) },
  ...under('reloader.custom_annotations', {
    configmap: 'a/configmap',
    secret: 'a/secret',
    auto: 'a/auto',
    secret_auto: 'a/secret-auto',
    configmap_auto: 'a/configmap-auto',
    search: 'a/search',
    match: 'a/match',
    ignore: 'a/ignore',
    pausePeriod: 'a/pause-period',
    pauseTime: 'a/paused-at',
  }),
  {
    path: 'reloader.alerts.enabled',
    value: true,
    context: nested('reloader.alerts.webhookUrl', 'https://a.example.com'),
  },
  ...under(
    'reloader.alerts',
    {
      sink: 'teams',
      webhookUrl: 'https://hooks.example.com/b',
      webhookUrlSecret: { name: 'hook', key: 'url' },
      events: ['failed'],
      template: '{{ .workload.name }}',
      teamsFormat: 'message-card',
      proxy: 'http://proxy.example.com:3128',
      additionalInfo: 'cluster one',
      groupWindow: '10s',
      secretRefs: true,
      allowInternal: true,
      allowedHosts: ['hooks.slack.com', '*.example.com'],
    },
    alerts,
  ),
  ...under('reloader.deployment', {
    replicas: 2,
    revisionHistoryLimit: 5,
    hostUsers: false,
    dnsConfig: { options: [{ name: 'ndots', value: '1' }] },
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    affinity: { nodeAffinity: {} },
    tolerations: [{ operator: 'Exists' }],
    topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' }],
    volumeMounts: [{ name: 'extra', mountPath: '/extra' }],
    volumes: [{ name: 'extra', emptyDir: {} }],
    securityContext: { runAsUser: 1000 },
    containerSecurityContext: { privileged: false },
    annotations: LABELS,
    labels: LABELS,
    priorityClassName: 'system-cluster-critical',
    runtimeClassName: 'gvisor',
    schedulerName: 'other',
    gomaxprocsOverride: '2',
    gomemlimitOverride: '160MiB',
    automountServiceAccountToken: true,
    terminationGracePeriodSeconds: 5,
    livenessProbe: { timeoutSeconds: 1 },
    readinessProbe: { httpGet: { path: '/metrics' } },
    resources: { requests: { cpu: '10m' } },
  }),
  ...under('reloader.deployment.env', {
    open: { NODE_DEBUG: 'http2' },
    secret: { ALERT_WEBHOOK_PROXY: 'http://proxy.example.com' },
    field: { NODE_NAME: 'spec.nodeName' },
    existing: { alerts: { ALERT_WEBHOOK_URL: 'url' } },
  }),
  ...under('reloader.deployment.pod', { annotations: LABELS }),
  ...under('reloader.service', {
    labels: LABELS,
    annotations: LABELS,
    port: 80,
    ipFamilyPolicy: 'PreferDualStack',
    ipFamilies: ['IPv6'],
  }),
  ...under('reloader.rbac', { enabled: false, labels: LABELS }),
  ...under('reloader.rbac.userRoles', { create: false, aggregate: false }),
  {
    path: 'reloader.serviceAccount.create',
    value: false,
    context: nested('reloader.serviceAccount.name', 'mine'),
  },
  ...under('reloader.serviceAccount', {
    labels: LABELS,
    annotations: LABELS,
    name: 'mine',
    automountServiceAccountToken: false,
  }),
  ...monitor('serviceMonitor'),
  ...monitor('podMonitor'),
  { path: 'reloader.prometheusRule.enabled', value: true, context: {} },
  ...under(
    'reloader.prometheusRule',
    { namespace: 'monitoring', labels: LABELS, annotations: LABELS, disabled: ['ReloaderDown'] },
    enabled('reloader.prometheusRule'),
  ),
  { path: 'reloader.dashboard.enabled', value: true, context: {} },
  ...under(
    'reloader.dashboard',
    { namespace: 'monitoring', labels: LABELS, annotations: LABELS },
    enabled('reloader.dashboard'),
  ),
  { path: 'reloader.secureMetrics.enabled', value: true, context: {} },
  ...under(
    'reloader.secureMetrics',
    { port: 9443, certificateSecret: 'cert' },
    enabled('reloader.secureMetrics'),
  ),
  { path: 'reloader.admission.enabled', value: true, context: {} },
  ...under('reloader.admission', { timeoutSeconds: 2, failurePolicy: 'Fail' }, enabled('reloader.admission')),
  { path: 'reloader.api.enabled', value: true, context: {} },
  ...under('reloader.api', { port: 9444, allowedHosts: ['a.example.com'] }, enabled('reloader.api')),
  { path: 'reloader.ui.enabled', value: true, context: {} },
  ...under('reloader.ui', { port: 9445, freezeNamespaces: true }, enabled('reloader.ui')),
  { path: 'reloader.podDisruptionBudget.enabled', value: true, context: {} },
  ...under(
    'reloader.podDisruptionBudget',
    { minAvailable: 1, maxUnavailable: '50%' },
    enabled('reloader.podDisruptionBudget'),
  ),
  { path: 'reloader.netpol.enabled', value: true, context: {} },
  ...under('reloader.netpol', { from: MATCH, to: MATCH, ports: [443] }, enabled('reloader.netpol')),
  { path: 'reloader.verticalPodAutoscaler.enabled', value: true, context: {} },
  ...under(
    'reloader.verticalPodAutoscaler',
    {
      recommenders: [{ name: 'custom' }],
      controlledResources: ['memory'],
      controlledValues: 'RequestsOnly',
      maxAllowed: { memory: '1Gi' },
      minAllowed: { memory: '64Mi' },
      updatePolicy: { updateMode: 'Off' },
    },
    enabled('reloader.verticalPodAutoscaler'),
  ),
];

/** Accepted for values files of Stakater's chart, where they have no effect either, and for charts above this one. */
export const MEANINGLESS: readonly string[] = ['reloader.legacy.rbac', 'enabled'];
