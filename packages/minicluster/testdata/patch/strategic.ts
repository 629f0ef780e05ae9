import { container, deployment, type Scenario, type Step, SUBJECT } from './case.ts';

const create = (body: unknown): Step => ({ verb: 'create', body });
const patch = (body: unknown): Step => ({ verb: 'strategic', body });
const podSpec = (spec: object): object => ({ spec: { template: { spec } } });
const three = create(deployment([container('a'), container('b'), container('c')]));
const volumes = [
  { name: 'one', secret: { secretName: 's', defaultMode: 420 } },
  { name: 'two', emptyDir: {} },
];
const withVolumes = create(
  deployment([container('a')], {
    template: { metadata: { labels: { app: SUBJECT } }, spec: { containers: [container('a')], volumes } },
  }),
);
const withEnv = create(
  deployment([
    container('a', {
      env: [
        { name: 'X', value: '1' },
        { name: 'Y', value: '2' },
      ],
      args: ['one', 'two'],
      ports: [{ containerPort: 80, protocol: 'TCP' }],
    }),
  ]),
);
const account = create({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: SUBJECT, finalizers: ['example.org/a', 'example.org/b'] },
  secrets: [{ name: 'x' }, { name: 'y' }],
  imagePullSecrets: [{ name: 'p' }],
});
const config = create({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: SUBJECT, labels: { a: '1', b: '2' } },
  data: { one: '1', two: '2' },
});

export const strategicScenarios: readonly Scenario[] = [
  {
    name: 'a container is merged by name',
    kind: 'Deployment',
    steps: [three, patch(podSpec({ containers: [{ name: 'b', image: 'b:2' }] }))],
  },
  {
    name: 'a new container comes first',
    kind: 'Deployment',
    steps: [three, patch(podSpec({ containers: [container('n')] }))],
  },
  {
    name: 'containers are reordered by the patch',
    kind: 'Deployment',
    steps: [three, patch(podSpec({ containers: [{ name: 'c' }, container('n'), { name: 'a' }] }))],
  },
  {
    name: 'a container is deleted',
    kind: 'Deployment',
    steps: [three, patch(podSpec({ containers: [{ $patch: 'delete', name: 'b' }] }))],
  },
  {
    name: 'all containers are replaced',
    kind: 'Deployment',
    steps: [three, patch(podSpec({ containers: [{ $patch: 'replace' }, container('z')] }))],
  },
  {
    name: 'deletion of an absent container does nothing',
    kind: 'Deployment',
    steps: [three, patch(podSpec({ containers: [{ $patch: 'delete', name: 'zz' }] }))],
  },
  {
    name: 'an item without its merge key',
    kind: 'Deployment',
    steps: [three, patch(podSpec({ containers: [{ image: 'x' }] }))],
  },
  {
    name: 'a deletion without its merge key',
    kind: 'Deployment',
    steps: [three, patch(podSpec({ containers: [{ $patch: 'delete' }] }))],
  },
  {
    name: 'an unknown directive in an item',
    kind: 'Deployment',
    steps: [three, patch(podSpec({ containers: [{ $patch: 'explode', name: 'a' }] }))],
  },
  {
    name: 'a merge directive in an item',
    kind: 'Deployment',
    steps: [three, patch(podSpec({ containers: [{ $patch: 'merge', name: 'a' }] }))],
  },
  {
    name: 'an unknown directive in a map',
    kind: 'Deployment',
    steps: [three, patch({ spec: { template: { $patch: 'explode' } } })],
  },
  {
    name: 'items of different types',
    kind: 'Deployment',
    steps: [three, patch(podSpec({ containers: ['x', { name: 'a' }] }))],
  },
  { name: 'a list of lists', kind: 'Deployment', steps: [three, patch(podSpec({ containers: [['x']] }))] },
  {
    name: 'setElementOrder reorders',
    kind: 'Deployment',
    steps: [
      three,
      patch(podSpec({ '$setElementOrder/containers': [{ name: 'c' }, { name: 'a' }, { name: 'b' }] })),
    ],
  },
  {
    name: 'setElementOrder with a new item',
    kind: 'Deployment',
    steps: [
      three,
      patch(
        podSpec({
          '$setElementOrder/containers': [{ name: 'b' }, { name: 'n' }, { name: 'a' }],
          containers: [container('n')],
        }),
      ),
    ],
  },
  {
    name: 'setElementOrder with a deletion',
    kind: 'Deployment',
    steps: [
      three,
      patch(
        podSpec({
          '$setElementOrder/containers': [{ name: 'c' }, { name: 'a' }],
          containers: [{ $patch: 'delete', name: 'b' }],
        }),
      ),
    ],
  },
  {
    name: 'setElementOrder that contradicts the patch',
    kind: 'Deployment',
    steps: [
      three,
      patch(
        podSpec({
          '$setElementOrder/containers': [{ name: 'a' }, { name: 'b' }],
          containers: [
            { name: 'b', image: 'x' },
            { name: 'a', image: 'y' },
          ],
        }),
      ),
    ],
  },
  {
    name: 'setElementOrder that is no list',
    kind: 'Deployment',
    steps: [three, patch(podSpec({ '$setElementOrder/containers': 'x' }))],
  },
  {
    name: 'setElementOrder without keys',
    kind: 'Deployment',
    steps: [
      three,
      patch(podSpec({ '$setElementOrder/containers': [{ x: 1 }], containers: [{ name: 'a' }] })),
    ],
  },
  {
    name: 'a null removes a map',
    kind: 'Deployment',
    steps: [
      create(
        deployment([container('a')], {
          template: {
            metadata: { labels: { app: SUBJECT }, annotations: { x: 'y' } },
            spec: { containers: [container('a')] },
          },
        }),
      ),
      patch({ spec: { template: { metadata: { annotations: null } } } }),
    ],
  },
  {
    name: 'a null removes a key of a map',
    kind: 'ConfigMap',
    steps: [config, patch({ data: { one: null, three: '3' }, metadata: { labels: { a: null } } })],
  },
  {
    name: 'a map is replaced',
    kind: 'ConfigMap',
    steps: [config, patch({ data: { $patch: 'replace', three: '3' } })],
  },
  { name: 'a map is deleted', kind: 'ConfigMap', steps: [config, patch({ data: { $patch: 'delete' } })] },
  {
    name: 'nulls for what is not there',
    kind: 'ConfigMap',
    steps: [config, patch({ binaryData: { x: null }, metadata: { annotations: { a: null, b: 'c' } } })],
  },
  {
    name: 'retainKeys keeps only these',
    kind: 'Deployment',
    steps: [
      withVolumes,
      patch(
        podSpec({
          volumes: [
            { $retainKeys: ['name', 'configMap'], name: 'one', configMap: { name: 'cm', defaultMode: 420 } },
          ],
        }),
      ),
    ],
  },
  {
    name: 'retainKeys and another key',
    kind: 'Deployment',
    steps: [
      withVolumes,
      patch(podSpec({ volumes: [{ $retainKeys: ['name'], name: 'one', configMap: { name: 'cm' } }] })),
    ],
  },
  {
    name: 'retainKeys that is no list',
    kind: 'Deployment',
    steps: [withVolumes, patch(podSpec({ volumes: [{ $retainKeys: 'name', name: 'one' }] }))],
  },
  {
    name: 'retainKeys in a strategy',
    kind: 'Deployment',
    steps: [three, patch({ spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } })],
  },
  {
    name: 'env is merged by name',
    kind: 'Deployment',
    steps: [
      withEnv,
      patch(
        podSpec({
          containers: [
            {
              name: 'a',
              env: [
                { name: 'Y', value: '3' },
                { name: 'Z', value: '4' },
              ],
            },
          ],
        }),
      ),
    ],
  },
  {
    name: 'env turns from a value to a reference',
    kind: 'Deployment',
    steps: [
      withEnv,
      patch(
        podSpec({
          containers: [
            {
              name: 'a',
              env: [{ name: 'X', value: null, valueFrom: { configMapKeyRef: { name: 'c', key: 'k' } } }],
            },
          ],
        }),
      ),
    ],
  },
  {
    name: 'args are replaced',
    kind: 'Deployment',
    steps: [withEnv, patch(podSpec({ containers: [{ name: 'a', args: ['three'] }] }))],
  },
  {
    name: 'ports are merged by number',
    kind: 'Deployment',
    steps: [
      withEnv,
      patch(
        podSpec({
          containers: [
            {
              name: 'a',
              ports: [
                { containerPort: 81, protocol: 'TCP' },
                { containerPort: 80, name: 'web' },
              ],
            },
          ],
        }),
      ),
    ],
  },
  {
    name: 'a label selector is replaced as a whole',
    kind: 'Service',
    steps: [
      create({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: SUBJECT },
        spec: {
          clusterIP: 'None',
          selector: { a: '1', b: '2' },
          ports: [
            { name: 'x', port: 1 },
            { name: 'y', port: 2 },
          ],
        },
      }),
      patch({ spec: { selector: { c: '3' }, ports: [{ port: 2, targetPort: 9 }] } }),
    ],
  },
  {
    name: 'finalizers are a set',
    kind: 'ServiceAccount',
    steps: [account, patch({ metadata: { finalizers: ['example.org/c', 'example.org/a'] } })],
  },
  {
    name: 'deleteFromPrimitiveList',
    kind: 'ServiceAccount',
    steps: [account, patch({ metadata: { '$deleteFromPrimitiveList/finalizers': ['example.org/a'] } })],
  },
  {
    name: 'deleteFromPrimitiveList with order',
    kind: 'ServiceAccount',
    steps: [
      account,
      patch({
        metadata: {
          '$deleteFromPrimitiveList/finalizers': ['example.org/a'],
          '$setElementOrder/finalizers': ['example.org/z', 'example.org/b'],
          finalizers: ['example.org/z'],
        },
      }),
    ],
  },
  {
    name: 'secrets are merged by name, pull secrets too',
    kind: 'ServiceAccount',
    steps: [account, patch({ secrets: [{ name: 'z' }], imagePullSecrets: [{ name: 'q' }, { name: 'p' }] })],
  },
  { name: 'an empty patch', kind: 'Deployment', steps: [three, patch({})] },
  {
    name: 'a number becomes a string',
    kind: 'Deployment',
    steps: [three, patch({ spec: { strategy: { rollingUpdate: { maxSurge: 2 } } } })],
  },
  {
    name: 'a nested directive in a new map',
    kind: 'Deployment',
    steps: [three, patch(podSpec({ securityContext: { $patch: 'replace', runAsUser: 5 } }))],
  },
  { name: 'a wrong type', kind: 'Deployment', steps: [three, patch({ spec: { replicas: 'x' } })] },
  { name: 'a list where a map was', kind: 'Deployment', steps: [three, patch({ spec: { template: [] } })] },
  {
    name: 'a fraction for an integer',
    kind: 'Deployment',
    steps: [three, patch({ spec: { replicas: 1.5 } })],
  },
  {
    name: 'a string where a list was',
    kind: 'Deployment',
    steps: [three, patch(podSpec({ containers: 'x' }))],
  },
  { name: 'a map where a boolean is', kind: 'Deployment', steps: [three, patch({ spec: { paused: {} } })] },
  {
    name: 'a bad quantity',
    kind: 'Deployment',
    steps: [three, patch(podSpec({ containers: [{ name: 'a', resources: { limits: { cpu: 'abc' } } }] }))],
  },
];
