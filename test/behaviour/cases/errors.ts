import { apps, type BehaviourCase, configMap, core, deployment, get, patch, post } from '../case.ts';

const cms = core('configmaps');
const named = (name: string): object => configMap(name);
const meta = (metadata: object): object => configMap('a', {}, metadata);
const podWith = (spec: object): object => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec });
const main = { name: 'main', image: 'registry.test/app:1' };
const d = (spec: object): object => deployment('d', spec);

export const errorCases: readonly BehaviourCase[] = [
  {
    name: 'bodies that are no object',
    steps: [
      post(cms, 'not json'),
      post(cms, ''),
      post(cms, '[]'),
      post(cms, 'null'),
      post(cms, {}),
      post(cms, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } }),
      post(cms, { apiVersion: 'v2', kind: 'ConfigMap', metadata: { name: 'a' } }),
      post(cms, { metadata: { name: 'a' } }),
      post(cms, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' }, data: [] }),
      post(cms, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' }, data: { a: 1 } }),
      post(cms, { apiVersion: 'v1', kind: 'ConfigMap', metadata: 'text' }),
      post(cms, configMap('a'), { type: 'text/plain' }),
      post(cms, 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: from-yaml\ndata:\n  a: "1"\n', {
        type: 'application/yaml',
      }),
    ],
  },
  {
    name: 'names',
    steps: [
      post(cms, named('Upper')),
      post(cms, named('under_score')),
      post(cms, named('-dash')),
      post(cms, named('a'.repeat(254))),
      post(cms, { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} }),
      post(core('services'), {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: '1digit' },
        spec: { ports: [{ port: 80 }] },
      }),
      post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'with.dot' } }),
    ],
  },
  {
    name: 'labels, annotations, owners',
    steps: [
      post(cms, meta({ labels: { 'bad key': 'x' } })),
      post(cms, meta({ labels: { good: 'bad value' } })),
      post(cms, meta({ labels: { good: 'x'.repeat(64) } })),
      post(cms, meta({ annotations: { 'bad key': 'x' } })),
      post(cms, meta({ annotations: { big: 'x'.repeat(262_145) } }), { bodyIgnored: true }),
      post(cms, meta({ ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x' }] })),
      post(
        cms,
        meta({
          ownerReferences: [
            { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: '1', controller: true },
            { apiVersion: 'v1', kind: 'ConfigMap', name: 'y', uid: '2', controller: true },
          ],
        }),
      ),
    ],
  },
  {
    name: 'data',
    steps: [
      post(cms, configMap('a', { 'bad key': 'x' })),
      post(cms, configMap('a', { '..': 'x' })),
      post(cms, { ...(configMap('a', { x: '1' }) as object), binaryData: { x: 'eA==' } }),
      post(cms, configMap('a', { big: 'x'.repeat(1_048_577) }), { bodyIgnored: true }),
      post(cms, configMap('a', { __proto__x: 'x', constructor: 'y' })),
      post(cms, '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"p"},"data":{"__proto__":"x"}}'),
    ],
  },
  {
    name: 'Deployments',
    steps: [
      post(apps('deployments'), d({ selector: undefined })),
      post(apps('deployments'), d({ selector: { matchLabels: { app: 'other' } } })),
      post(apps('deployments'), d({ selector: {} })),
      post(apps('deployments'), d({ replicas: -1 })),
      post(apps('deployments'), d({ replicas: 'two' })),
      post(apps('deployments'), d({ strategy: { type: 'Magic' } })),
      post(apps('deployments'), d({ strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } })),
      post(apps('deployments'), d({ strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } })),
      post(
        apps('deployments'),
        d({ template: { metadata: { labels: { app: 'd' } }, spec: { containers: [] } } }),
      ),
      post(apps('deployments'), d({ progressDeadlineSeconds: 5, minReadySeconds: 10 })),
      post(apps('deployments'), { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' } }),
      post(apps('deployments'), d({ replicas: 0 }), { bodyIgnored: true }),
      patch(apps('deployments', 'd'), 'merge', { spec: { selector: { matchLabels: { app: 'x' } } } }),
      patch(apps('deployments', 'd'), 'merge', {
        spec: { template: { metadata: { labels: { app: 'x' } } } },
      }),
    ],
  },
  {
    name: 'pods',
    steps: [
      post(core('pods'), podWith({})),
      post(core('pods'), podWith({ containers: [{}] })),
      post(core('pods'), podWith({ containers: [main, main] })),
      post(core('pods'), podWith({ containers: [{ ...main, name: 'Bad_Name' }] })),
      post(core('pods'), podWith({ containers: [{ ...main, env: [{ name: '' }, { name: '=bad' }] }] })),
      post(core('pods'), podWith({ containers: [{ ...main, ports: [{ containerPort: 99999 }] }] })),
      post(
        core('pods'),
        podWith({ containers: [{ ...main, volumeMounts: [{ name: 'none', mountPath: '/x' }] }] }),
      ),
      post(core('pods'), podWith({ containers: [{ ...main, resources: { limits: { memory: 'lots' } } }] })),
      post(
        core('pods'),
        podWith({ containers: [{ ...main, resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } }] }),
      ),
      post(core('pods'), podWith({ containers: [main], restartPolicy: 'Perhaps' })),
      post(core('pods'), podWith({ containers: [main], volumes: [{ name: 'v' }, { name: 'v' }] })),
      post(core('pods'), podWith({ containers: [main], serviceAccountName: 'nobody' })),
      post(core('pods'), podWith({ containers: [{ ...main, imagePullPolicy: 'Maybe' }] })),
    ],
  },
  {
    name: 'namespaces and credentials',
    steps: [
      post('/api/v1/namespaces/{ns}-none/configmaps', configMap('a')),
      get(cms, { headers: { authorization: 'Bearer nonsense' } }),
      get(cms, { headers: { authorization: 'Basic Zm9vOmJhcg==' } }),
      post('/api/v1/configmaps', configMap('a')),
    ],
  },
  {
    name: 'verbs that a path does not have',
    steps: [
      { method: 'PUT', path: cms, body: configMap('a') },
      post(core('configmaps', 'a'), configMap('a')),
      { method: 'DELETE', path: '/version' },
      { method: 'PATCH', path: cms, type: 'merge', body: {} },
    ],
  },
];
