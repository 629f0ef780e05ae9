import {
  apps,
  type BehaviourCase,
  configMap,
  core,
  del,
  deployment,
  get,
  patch,
  post,
  put,
} from '../case.ts';

const cm = core('configmaps', 'a');

export const deleteCases: readonly BehaviourCase[] = [
  { name: 'delete, and again', steps: [post(core('configmaps'), configMap('a')), del(cm), del(cm), get(cm)] },
  {
    name: 'preconditions',
    steps: [
      post(core('configmaps'), configMap('a')),
      del(cm, { preconditions: { uid: '00000000-0000-0000-0000-000000000000' } }),
      del(cm, { preconditions: { resourceVersion: '1' } }),
      del(`${cm}?dryRun=All`),
      get(cm),
    ],
  },
  {
    name: 'finalizers hold an object',
    steps: [
      post(core('configmaps'), configMap('a', { x: '1' }, { finalizers: ['example.org/hold'] })),
      del(cm),
      get(cm),
      del(cm),
      patch(cm, 'merge', { data: { x: '2' } }),
      patch(cm, 'json', [{ op: 'add', path: '/metadata/finalizers/-', value: 'example.org/late' }]),
      patch(cm, 'json', [
        { op: 'test', path: '/metadata/finalizers/0', value: 'example.org/hold' },
        { op: 'remove', path: '/metadata/finalizers/0' },
      ]),
      get(cm),
    ],
  },
  {
    name: 'a bad finalizer name',
    steps: [post(core('configmaps'), configMap('a', {}, { finalizers: ['plain'] }))],
  },
  {
    name: 'dependents go in the background',
    steps: [
      post(apps('deployments'), deployment('d'), { bodyIgnored: true }),
      { until: apps('deployments', 'd'), field: 'status.availableReplicas', equals: 2 },
      del(apps('deployments', 'd')),
      get(apps('deployments', 'd')),
      { until: `${apps('replicasets')}`, field: 'items', equals: [] },
      { until: `${core('pods')}`, field: 'items', equals: [] },
    ],
  },
  {
    name: 'a foreground deletion waits for dependents',
    steps: [
      post(apps('deployments'), deployment('d'), { bodyIgnored: true }),
      { until: apps('deployments', 'd'), field: 'status.availableReplicas', equals: 2 },
      del(apps('deployments', 'd'), { propagationPolicy: 'Foreground' }, { bodyIgnored: true }),
      { until: apps('deployments', 'd'), gone: true },
      { until: `${apps('replicasets')}`, field: 'items', equals: [] },
    ],
  },
  {
    name: 'orphans stay',
    steps: [
      post(apps('deployments'), deployment('d', { replicas: 0 }), { bodyIgnored: true }),
      { until: apps('deployments', 'd'), field: 'status.observedGeneration', equals: 1 },
      del(apps('deployments', 'd'), { propagationPolicy: 'Orphan' }, { bodyIgnored: true }),
      { until: apps('deployments', 'd'), gone: true },
      { until: `${apps('replicasets')}`, field: 'items.0.metadata.ownerReferences' },
    ],
  },
  {
    name: 'an object whose owner never was is collected',
    steps: [
      post(
        core('configmaps'),
        configMap(
          'a',
          {},
          {
            ownerReferences: [
              {
                apiVersion: 'v1',
                kind: 'ConfigMap',
                name: 'ghost',
                uid: '00000000-0000-0000-0000-000000000000',
              },
            ],
          },
        ),
      ),
      { until: cm, gone: true },
    ],
  },
  {
    name: 'bad deletion options',
    steps: [
      post(core('configmaps'), configMap('a')),
      del(cm, { propagationPolicy: 'Sometimes' }),
      del(cm, { propagationPolicy: 'Orphan', orphanDependents: true }),
      del(cm, 'not json'),
    ],
  },
  {
    name: 'a whole collection',
    steps: [
      post(core('configmaps'), configMap('a', {}, { labels: { l: '1' } })),
      post(core('configmaps'), configMap('b', {}, { labels: { l: '1' } })),
      post(core('configmaps'), configMap('c')),
      del(`${core('configmaps')}?labelSelector=l%3D1`, undefined, { bodyIgnored: true }),
      get(core('configmaps', 'a')),
      get(core('configmaps', 'c')),
    ],
  },
  {
    name: 'a namespace takes its contents along',
    steps: [
      post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: '{ns}-x' } }),
      post('/api/v1/namespaces/{ns}-x/configmaps', configMap('a', {}, { finalizers: ['example.org/hold'] })),
      del('/api/v1/namespaces/{ns}-x', undefined, { bodyIgnored: true }),
      { until: '/api/v1/namespaces/{ns}-x', field: 'status.phase', equals: 'Terminating' },
      post('/api/v1/namespaces/{ns}-x/configmaps', configMap('b')),
      put(
        '/api/v1/namespaces/{ns}-x/configmaps/a',
        configMap('a', { late: 'yes' }, { finalizers: ['example.org/hold'] }),
        {
          bodyIgnored: true,
        },
      ),
      {
        until: '/api/v1/namespaces/{ns}-x/configmaps/a',
        field: 'metadata.deletionGracePeriodSeconds',
        equals: 0,
      },
      patch(
        '/api/v1/namespaces/{ns}-x/configmaps/a',
        'merge',
        { metadata: { finalizers: null } },
        { bodyIgnored: true },
      ),
      { until: '/api/v1/namespaces/{ns}-x', gone: true },
    ],
  },
];
