import { apps, type BehaviourCase, core, deployment, get, patch, post, put } from '../case.ts';

const d = apps('deployments', 'd');
const paused = post(apps('deployments'), deployment('d', { replicas: 0, paused: true }), {
  bodyIgnored: true,
});
const observed = { until: d, field: 'status.observedGeneration', equals: 1 } as const;
const pod = (name: string, labels: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels },
  spec: { containers: [{ name: 'main', image: 'registry.test/app:1' }] },
});
const eviction = (name: string, options?: object): object => ({
  apiVersion: 'policy/v1',
  kind: 'Eviction',
  metadata: { name, namespace: '{ns}' },
  ...(options && { deleteOptions: options }),
});
const can = (verb: string, resource: string, more: object = {}): object => ({
  apiVersion: 'authorization.k8s.io/v1',
  kind: 'SelfSubjectAccessReview',
  spec: { resourceAttributes: { namespace: '{ns}', verb, resource, ...more } },
});
const role = (rules: unknown): object => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'Role',
  metadata: { name: 'reader' },
  rules,
});
const as = (user: string) => ({ headers: { 'impersonate-user': user } });

export const subresourceCases: readonly BehaviourCase[] = [
  {
    name: 'the main resource leaves status alone, and status the rest',
    steps: [
      post(apps('deployments'), {
        ...(deployment('d', { replicas: 0, paused: true }) as object),
        status: { replicas: 7 },
      }),
      observed,
      patch(d, 'merge', { status: { replicas: 9 }, metadata: { labels: { l: '1' } } }, { bodyIgnored: true }),
      { until: d, field: 'status.replicas', equals: undefined },
      patch(
        `${d}/status`,
        'merge',
        { spec: { replicas: 9 }, metadata: { labels: { l: '2' } } },
        { bodyIgnored: true },
      ),
      { until: d, field: 'spec.replicas', equals: 0 },
      { until: d, field: 'metadata.labels.l', equals: '1' },
      get(`${core('configmaps', 'a')}/status`),
    ],
  },
  {
    name: 'scale',
    steps: [
      paused,
      observed,
      get(`${d}/scale`),
      put(`${d}/scale`, {
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name: 'd' },
        spec: { replicas: 3 },
      }),
      patch(`${d}/scale`, 'merge', { spec: { replicas: 1 } }),
      patch(`${d}/scale`, 'merge', { spec: { replicas: -1 } }),
      get(`${core('configmaps', 'a')}/scale`),
    ],
  },
  {
    name: 'eviction without and with a budget',
    steps: [
      post(core('pods'), pod('free'), { bodyIgnored: true }),
      { until: core('pods', 'free'), field: 'status.phase', equals: 'Running' },
      post(`${core('pods', 'free')}/eviction`, eviction('free')),
      { until: core('pods', 'free'), gone: true },
      post('/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets', {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'keep' },
        spec: { minAvailable: 1, selector: { matchLabels: { app: 'kept' } } },
      }),
      post(core('pods'), pod('kept', { app: 'kept' }), { bodyIgnored: true }),
      { until: core('pods', 'kept'), field: 'status.phase', equals: 'Running' },
      {
        until: '/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets/keep',
        field: 'status.currentHealthy',
        equals: 1,
      },
      post(`${core('pods', 'kept')}/eviction`, eviction('kept')),
      post(`${core('pods', 'kept')}/eviction?dryRun=All`, eviction('kept', { gracePeriodSeconds: 0 })),
      post(`${core('pods', 'absent')}/eviction`, eviction('absent')),
    ],
  },
  {
    name: 'tokens of a ServiceAccount',
    steps: [
      post(core('serviceaccounts'), {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'robot' },
      }),
      post(
        `${core('serviceaccounts', 'robot')}/token`,
        { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 600 } },
        { bodyIgnored: true },
      ),
      post(`${core('serviceaccounts', 'absent')}/token`, {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: {},
      }),
      post(`${core('serviceaccounts', 'robot')}/token`, {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { expirationSeconds: 5 },
      }),
      post('/apis/authentication.k8s.io/v1/tokenreviews', {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        spec: { token: 'nonsense' },
      }),
    ],
  },
  {
    name: 'what a user may and may not',
    steps: [
      post(
        '/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles',
        role([
          { apiGroups: [''], resources: ['secrets'], resourceNames: ['one'], verbs: ['get'] },
          { apiGroups: [''], resources: ['configmaps'], verbs: ['*'] },
          { apiGroups: ['apps'], resources: ['deployments/scale'], verbs: ['patch'] },
        ]),
      ),
      post('/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/rolebindings', {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: 'readers' },
        subjects: [{ kind: 'User', name: '{ns}-eve' }],
        roleRef: { kind: 'Role', name: 'reader', apiGroup: 'rbac.authorization.k8s.io' },
      }),
      get(core('configmaps', 'absent'), as('{ns}-eve')),
      get(core('secrets', 'one'), as('{ns}-eve')),
      get(core('secrets', 'two'), as('{ns}-eve')),
      get(core('secrets'), as('{ns}-eve')),
      get('/api/v1/secrets', as('{ns}-eve')),
      get(apps('deployments', 'd'), as('{ns}-eve')),
      patch(`${apps('deployments', 'd')}/scale`, 'merge', {}, as('{ns}-eve')),
      get('/metrics', { ...as('{ns}-eve') }),
      post(
        '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
        can('get', 'configmaps'),
        as('{ns}-eve'),
      ),
      post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', can('list', 'secrets'), as('{ns}-eve')),
      post(
        '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
        can('get', 'secrets', { name: 'one' }),
        as('{ns}-eve'),
      ),
      post(
        '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
        can('patch', 'deployments', { group: 'apps', subresource: 'scale' }),
        as('{ns}-eve'),
      ),
      post('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: {
          user: '{ns}-eve',
          resourceAttributes: { namespace: '{ns}', verb: 'delete', resource: 'configmaps' },
        },
      }),
      post('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: {},
      }),
    ],
  },
  {
    name: 'roles: bad rules, fixed references, no escalation',
    steps: [
      post(
        '/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles',
        role([{ apiGroups: [''], resources: ['pods'] }]),
      ),
      post('/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles', role([{ verbs: ['get'] }])),
      post('/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/rolebindings', {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: 'b' },
        subjects: [{ kind: 'User', name: 'x' }],
        roleRef: { kind: 'Role', name: 'r', apiGroup: 'rbac.authorization.k8s.io' },
      }),
      patch('/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/rolebindings/b', 'merge', {
        roleRef: { name: 'other' },
      }),
    ],
  },
];
