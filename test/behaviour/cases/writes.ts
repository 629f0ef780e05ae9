import { apps, type BehaviourCase, configMap, core, deployment, get, patch, post, put } from '../case.ts';

const secret = (name: string, more: object): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  ...more,
});
const statefulSet = (name: string, spec: object = {}): object => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name },
  spec: {
    replicas: 0,
    serviceName: name,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'main', image: 'registry.test/db:1' }] },
    },
    ...spec,
  },
});

export const writeCases: readonly BehaviourCase[] = [
  {
    name: 'create, read, replace',
    steps: [
      post(core('configmaps'), configMap('a', { x: '1' }, { labels: { l: '1' } })),
      get(core('configmaps', 'a')),
      put(core('configmaps', 'a'), configMap('a', { x: '2' })),
      get(core('configmaps', 'a')),
    ],
  },
  {
    name: 'a replacement with an old resourceVersion is a conflict',
    steps: [
      post(core('configmaps'), configMap('a', { x: '1' })),
      put(core('configmaps', 'a'), configMap('a', { x: '2' }, { resourceVersion: '1' })),
      put(
        core('configmaps', 'a'),
        configMap('a', { x: '2' }, { uid: '00000000-0000-0000-0000-000000000000' }),
      ),
    ],
  },
  {
    name: 'a replacement of what is absent',
    steps: [
      put(core('configmaps', 'a'), configMap('a', { x: '2' })),
      put(apps('deployments', 'd'), deployment('d')),
      put(core('services', 's'), {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 's' },
        spec: { ports: [{ port: 80 }] },
      }),
    ],
  },
  {
    name: 'what exists cannot be created again',
    steps: [post(core('configmaps'), configMap('a')), post(core('configmaps'), configMap('a'))],
  },
  {
    name: 'generated names',
    steps: [
      post(core('configmaps'), { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'gen-' } }),
    ],
  },
  {
    name: 'a Secret takes stringData and has a type',
    steps: [
      post(core('secrets'), secret('s', { stringData: { password: 'swordfish' }, data: { other: 'eA==' } })),
      put(
        core('secrets', 's'),
        secret('s', { type: 'kubernetes.io/tls', data: { 'tls.crt': '', 'tls.key': '' } }),
      ),
      post(core('secrets'), secret('t', { type: 'kubernetes.io/tls', data: {} })),
      post(
        core('secrets'),
        secret('u', { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': 'eA==' } }),
      ),
      post(core('secrets'), secret('v', { type: 'kubernetes.io/basic-auth', data: {} })),
      post(core('secrets'), secret('w', { data: { 'bad key': 'eA==' } })),
      post(core('secrets'), secret('x', { data: { key: 'no base64!' } })),
    ],
  },
  {
    name: 'immutable ConfigMaps and Secrets',
    steps: [
      post(core('configmaps'), { ...(configMap('a', { x: '1' }) as object), immutable: true }),
      patch(core('configmaps', 'a'), 'merge', { data: { x: '2' } }),
      patch(core('configmaps', 'a'), 'merge', { immutable: false }),
      patch(core('configmaps', 'a'), 'merge', { metadata: { labels: { ok: 'yes' } } }),
      post(core('secrets'), secret('s', { immutable: true, data: { x: 'eA==' } })),
      patch(core('secrets', 's'), 'merge', { data: { x: 'eQ==' } }),
    ],
  },
  {
    name: 'defaults of a Deployment',
    steps: [post(apps('deployments'), deployment('d', { replicas: 0 }))],
  },
  {
    name: 'generation of a Deployment moves with spec and annotations, not with labels or status',
    steps: [
      post(apps('deployments'), deployment('d', { replicas: 0, paused: true })),
      { until: apps('deployments', 'd'), field: 'status.observedGeneration', equals: 1 },
      patch(apps('deployments', 'd'), 'merge', { metadata: { labels: { l: '1' } } }, { bodyIgnored: true }),
      { until: apps('deployments', 'd'), field: 'metadata.generation', equals: 1 },
      patch(
        apps('deployments', 'd'),
        'merge',
        { metadata: { annotations: { a: '1' } } },
        { bodyIgnored: true },
      ),
      { until: apps('deployments', 'd'), field: 'metadata.generation', equals: 2 },
      patch(apps('deployments', 'd'), 'merge', { spec: { minReadySeconds: 3 } }, { bodyIgnored: true }),
      { until: apps('deployments', 'd'), field: 'metadata.generation', equals: 3 },
    ],
  },
  {
    name: 'defaults and updates of a StatefulSet',
    steps: [
      post(apps('statefulsets'), statefulSet('s')),
      patch(apps('statefulsets', 's'), 'merge', { spec: { serviceName: 'other' } }),
      patch(apps('statefulsets', 's'), 'merge', { spec: { podManagementPolicy: 'Parallel' } }),
    ],
  },
  {
    name: 'a pod with most kinds of defaults',
    steps: [
      post(`${core('pods')}?dryRun=All`, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'p' },
        spec: {
          automountServiceAccountToken: false,
          containers: [
            {
              name: 'main',
              image: 'registry.test/app',
              ports: [{ containerPort: 80 }],
              env: [
                { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
                { name: 'KEY', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
              ],
              readinessProbe: { httpGet: { path: '/', port: 80 } },
              livenessProbe: { exec: { command: ['true'] } },
              resources: { limits: { cpu: '1', memory: '1Gi' } },
              volumeMounts: [{ name: 'config', mountPath: '/config' }],
            },
          ],
          volumes: [
            { name: 'config', configMap: { name: 'c' } },
            { name: 'secret', secret: { secretName: 's' } },
            {
              name: 'all',
              projected: { sources: [{ configMap: { name: 'c' } }, { downwardAPI: { items: [] } }] },
            },
          ],
        },
      }),
    ],
  },
  {
    name: 'Jobs and CronJobs',
    steps: [
      post('/apis/batch/v1/namespaces/{ns}/jobs', {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: 'j' },
        spec: {
          suspend: true,
          template: {
            spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'registry.test/job:1' }] },
          },
        },
      }),
      patch('/apis/batch/v1/namespaces/{ns}/jobs/j', 'merge', { spec: { completions: 5 } }),
      post('/apis/batch/v1/namespaces/{ns}/cronjobs', {
        apiVersion: 'batch/v1',
        kind: 'CronJob',
        metadata: { name: 'c' },
        spec: {
          schedule: '*/5 * * * *',
          suspend: true,
          jobTemplate: {
            spec: {
              template: {
                spec: {
                  restartPolicy: 'OnFailure',
                  containers: [{ name: 'main', image: 'registry.test/job:1' }],
                },
              },
            },
          },
        },
      }),
      patch('/apis/batch/v1/namespaces/{ns}/cronjobs/c', 'merge', { spec: { schedule: 'every day' } }),
      patch('/apis/batch/v1/namespaces/{ns}/cronjobs/c', 'merge', { spec: { timeZone: 'Mars/Olympus' } }),
    ],
  },
  {
    name: 'Services',
    steps: [
      post(core('services'), {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 's' },
        spec: { selector: { app: 'a' }, ports: [{ port: 80 }] },
      }),
      // No server gives one of the first 16 addresses to a Service that asks for none: this is always a change.
      patch(core('services', 's'), 'merge', { spec: { clusterIP: '10.0.0.2' } }),
      post(core('services'), {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'headless' },
        spec: { clusterIP: 'None', ports: [{ port: 80, name: 'http' }] },
      }),
      post(core('services'), {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'bad' },
        spec: { ports: [] },
      }),
    ],
  },
  {
    name: 'dry runs change nothing',
    steps: [
      post(`${core('configmaps')}?dryRun=All`, configMap('a', { x: '1' })),
      get(core('configmaps', 'a')),
      post(core('configmaps'), configMap('a', { x: '1' })),
      patch(`${core('configmaps', 'a')}?dryRun=All`, 'merge', { data: { x: '2' } }),
      get(core('configmaps', 'a')),
      post(`${core('configmaps')}?dryRun=Some`, configMap('b')),
    ],
  },
  {
    name: 'unknown and repeated fields',
    steps: [
      post(`${core('configmaps')}?fieldValidation=Strict`, { ...(configMap('a') as object), dat: {} }),
      post(`${core('configmaps')}?fieldValidation=Warn`, { ...(configMap('a') as object), dat: {} }),
      post(`${core('configmaps')}?fieldValidation=Ignore`, { ...(configMap('b') as object), dat: {} }),
      post(
        `${core('configmaps')}?fieldValidation=Strict`,
        '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"a":"1"},"data":{"a":"2"}}',
      ),
      post(
        `${apps('deployments')}?fieldValidation=Strict`,
        deployment('d', { replica: 1, template: { specs: {} } }),
      ),
      post(`${core('configmaps')}?fieldValidation=Sometimes`, configMap('d')),
    ],
  },
  {
    name: 'a replacement that changes nothing keeps the version',
    steps: [
      post(core('configmaps'), configMap('a', { x: '1' })),
      {
        watch: `${core('configmaps')}?watch=1&fieldSelector=metadata.name%3Da`,
        steps: [
          put(core('configmaps', 'a'), configMap('a', { x: '1' })),
          patch(core('configmaps', 'a'), 'merge', { data: { x: '1' } }),
          patch(core('configmaps', 'a'), 'merge', { data: { x: '2' } }),
        ],
        events: 2,
      },
    ],
  },
  {
    name: 'metadata that clients may not change',
    steps: [
      post(
        core('configmaps'),
        configMap('a', { x: '1' }, { uid: 'mine', creationTimestamp: '2001-01-01T00:00:00Z', generation: 7 }),
      ),
      patch(core('configmaps', 'a'), 'merge', { metadata: { creationTimestamp: '2001-01-01T00:00:00Z' } }),
      patch(core('configmaps', 'a'), 'merge', { metadata: { name: 'b' } }),
      patch(core('configmaps', 'a'), 'merge', { metadata: { namespace: 'other' } }),
      patch(core('configmaps', 'a'), 'merge', { metadata: { deletionTimestamp: '2001-01-01T00:00:00Z' } }),
      put(core('configmaps', 'a'), configMap('b')),
      post(core('configmaps'), configMap('c', {}, { namespace: 'elsewhere' })),
      post(core('configmaps'), configMap('c', {}, { resourceVersion: '5' })),
    ],
  },
];
