import { apps, type BehaviourCase, configMap, core, deployment, get, patch, post } from '../case.ts';

const cm = core('configmaps', 'a');
const created = post(core('configmaps'), configMap('a', { x: '1', y: '1' }, { annotations: { note: 'n' } }));
const apply = (manager: string, body: unknown, more = '', path = cm) =>
  patch(`${path}?fieldManager=${manager}${more}`, 'apply', body);
const paused = (spec: object = {}): object => deployment('d', { replicas: 0, paused: true, ...spec });
/** A kind with keyed lists that no controller writes to. */
const pt = core('podtemplates', 't');
const podTemplate = (containers: object[] = [{ name: 'main', image: 'registry.test/app:1' }]): object => ({
  apiVersion: 'v1',
  kind: 'PodTemplate',
  metadata: { name: 't' },
  template: { metadata: { labels: { app: 't' } }, spec: { containers } },
});

export const patchCases: readonly BehaviourCase[] = [
  {
    name: 'JSON patch: every operation',
    steps: [
      created,
      patch(cm, 'json', [
        { op: 'add', path: '/data/z', value: '1' },
        { op: 'replace', path: '/data/x', value: '2' },
        { op: 'remove', path: '/data/y' },
        { op: 'copy', from: '/data/x', path: '/data/c' },
        { op: 'move', from: '/data/z', path: '/data/m' },
        { op: 'test', path: '/data/x', value: '2' },
      ]),
    ],
  },
  {
    name: 'JSON patch: a failed test, a missing path, nonsense',
    steps: [
      created,
      patch(cm, 'json', [{ op: 'test', path: '/data/x', value: 'other' }]),
      patch(cm, 'json', [{ op: 'test', path: '/metadata/annotations/absent', value: null }]),
      patch(cm, 'json', [{ op: 'remove', path: '/data/absent' }]),
      patch(cm, 'json', [{ op: 'replace', path: '/data/absent', value: 'x' }]),
      patch(cm, 'json', [{ op: 'add', path: '/nowhere/deep', value: 'x' }]),
      patch(cm, 'json', [{ op: 'explode', path: '/data/x' }]),
      patch(cm, 'json', { op: 'add' }),
      patch(cm, 'json', 'not json'),
    ],
  },
  {
    name: 'JSON patch: escaped paths and array indexes',
    steps: [
      created,
      patch(cm, 'json', [{ op: 'add', path: '/metadata/annotations/a.b~1c~0d', value: 'v' }]),
      post(core('podtemplates'), podTemplate(), { bodyIgnored: true }),
      patch(pt, 'json', [
        { op: 'test', path: '/template/spec/containers/0/name', value: 'main' },
        { op: 'add', path: '/template/spec/containers/0/env', value: [{ name: 'A', value: '1' }] },
        { op: 'add', path: '/template/spec/containers/0/env/-', value: { name: 'B', value: '2' } },
        { op: 'add', path: '/template/spec/containers/0/env/0', value: { name: 'C', value: '3' } },
      ]),
      patch(pt, 'json', [{ op: 'remove', path: '/template/spec/containers/7' }]),
    ],
  },
  {
    name: 'merge patch: set, remove, nest, precondition',
    steps: [
      created,
      patch(cm, 'merge', { data: { x: null, z: '3' }, metadata: { annotations: null, labels: { l: '1' } } }),
      patch(cm, 'merge', { metadata: { resourceVersion: '1' }, data: { z: '4' } }),
      patch(cm, 'merge', { metadata: { uid: '00000000-0000-0000-0000-000000000000' }, data: { z: '4' } }),
      patch(cm, 'merge', [1, 2]),
      patch(cm, 'merge', 'not json'),
      patch(cm, 'merge', { data: 'no map' }),
      patch(core('configmaps', 'absent'), 'merge', { data: {} }),
    ],
  },
  {
    name: 'strategic merge: lists by key, directives',
    steps: [
      post(
        core('podtemplates'),
        podTemplate([
          {
            name: 'main',
            image: 'registry.test/app:1',
            env: [
              { name: 'A', value: '1' },
              { name: 'B', value: '2' },
            ],
          },
          { name: 'side', image: 'registry.test/side:1' },
        ]),
        { bodyIgnored: true },
      ),
      patch(pt, 'strategic', {
        template: {
          spec: {
            containers: [
              {
                name: 'main',
                env: [
                  { name: 'B', value: '3' },
                  { name: 'C', value: '4' },
                ],
              },
            ],
          },
        },
      }),
      patch(pt, 'strategic', {
        template: { spec: { containers: [{ name: 'main', env: [{ name: 'A', $patch: 'delete' }] }] } },
      }),
      patch(pt, 'strategic', { template: { spec: { containers: [{ name: 'side', $patch: 'delete' }] } } }),
      patch(pt, 'strategic', {
        template: {
          spec: { volumes: [{ name: 'v', emptyDir: {} }], $retainKeys: ['containers', 'volumes'] },
        },
      }),
      patch(pt, 'strategic', {
        template: {
          spec: { containers: [{ name: 'main', env: [{ $patch: 'replace' }, { name: 'Z', value: '9' }] }] },
        },
      }),
      patch(pt, 'strategic', { template: { spec: { containers: [{ image: 'no-name' }] } } }),
    ],
  },
  {
    name: 'a patch of an unknown type',
    steps: [created, patch(cm, 'application/x-patch', {}), patch(cm, 'application/json', {})],
  },
  {
    name: 'apply creates, changes, removes',
    steps: [
      apply('one', configMap('a', { x: '1', y: '1' })),
      apply('one', configMap('a', { x: '2' })),
      apply('one', configMap('a', { x: '2' })),
      get(cm),
    ],
  },
  {
    name: 'apply: two managers, a conflict, force',
    steps: [
      apply('one', configMap('a', { x: '1' })),
      apply('two', configMap('a', { x: '2', y: '2' })),
      apply('two', configMap('a', { x: '1', y: '2' })),
      apply('two', configMap('a', { x: '3', y: '2' }), '&force=true'),
      apply('one', configMap('a', {})),
    ],
  },
  {
    name: 'apply over an update, and an update over an apply',
    steps: [
      post(`${core('configmaps')}?fieldManager=maker`, configMap('a', { x: '1' })),
      apply('one', configMap('a', { x: '2' })),
      apply('one', configMap('a', { x: '2' }), '&force=true'),
      patch(`${cm}?fieldManager=patcher`, 'merge', { data: { x: '3' } }),
      apply('one', configMap('a', { x: '2' })),
    ],
  },
  {
    name: 'apply of a list by key',
    steps: [
      apply('one', podTemplate(), '', pt),
      apply(
        'two',
        {
          apiVersion: 'v1',
          kind: 'PodTemplate',
          metadata: { name: 't' },
          template: { spec: { containers: [{ name: 'main', env: [{ name: 'A', value: '1' }] }] } },
        },
        '',
        pt,
      ),
      apply('two', { apiVersion: 'v1', kind: 'PodTemplate', metadata: { name: 't' } }, '', pt),
    ],
  },
  {
    name: 'apply: what is asked of the request',
    steps: [
      patch(cm, 'apply', configMap('a')),
      apply('one', { kind: 'ConfigMap', metadata: { name: 'a' } }),
      apply('one', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } }),
      apply('one', configMap('other')),
      apply('one', configMap('a', {}, { managedFields: [{ manager: 'x', operation: 'Apply' }] })),
      apply('one', 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  y: "1"\n'),
      patch(`${cm}?force=true&fieldManager=x`, 'merge', {}),
      apply('one', configMap('a'), '&dryRun=All'),
    ],
  },
  {
    name: 'apply: an object that does not exist, by its uid and by its version',
    steps: [
      apply('one', configMap('a', { x: '1' }, { uid: '00000000-0000-0000-0000-000000000000' })),
      get(cm),
      apply('one', configMap('a', { x: '1' }, { resourceVersion: '1' })),
      apply('one', configMap('a', { x: '1' }, { uid: '00000000-0000-0000-0000-000000000000' })),
      post(core('configmaps'), configMap('b', {}, { deletionTimestamp: '2020-01-01T00:00:00Z' })),
      post(core('configmaps'), configMap('c', { x: 'x'.repeat(1_048_577) })),
    ],
  },
  {
    name: 'managed fields of status and of a reset',
    steps: [
      post(`${apps('deployments')}?fieldManager=maker`, paused(), { bodyIgnored: true }),
      { until: apps('deployments', 'd'), field: 'status.observedGeneration', equals: 1 },
      patch(
        `${apps('deployments', 'd')}/status?fieldManager=reporter`,
        'merge',
        { status: { replicas: 0 } },
        { bodyIgnored: true },
      ),
      post(`${core('configmaps')}?fieldManager=maker`, configMap('a', { x: '1' })),
      patch(`${cm}?fieldManager=wiper`, 'merge', { metadata: { managedFields: [{}] } }),
      patch(`${cm}?fieldManager=later`, 'merge', { data: { x: '2' } }),
    ],
  },
];
