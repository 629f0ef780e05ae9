import { container, deployment, type Scenario, type Step, SUBJECT } from './case.ts';

const config = (data: object | undefined, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: SUBJECT, ...metadata },
  ...(data && { data }),
});
const widget = (spec: object, more: object = {}): object => ({
  apiVersion: 'example.org/v1',
  kind: 'Widget',
  metadata: { name: SUBJECT },
  spec,
  ...more,
});
const apply = (manager: string, body: unknown, force = false): Step => ({
  verb: 'apply',
  manager,
  body,
  ...(force && { force }),
});
const create = (body: unknown, manager = 'creator'): Step => ({ verb: 'create', manager, body });
const merge = (body: unknown, manager = 'patcher'): Step => ({ verb: 'merge', manager, body });
const replace = (body: unknown, manager = 'updater'): Step => ({ verb: 'replace', manager, body });
const status = (body: unknown, manager = 'controller'): Step => ({
  verb: 'merge',
  manager,
  body,
  subresource: 'status',
});

const lastApplied = (data: object): object => ({
  annotations: {
    'kubectl.kubernetes.io/last-applied-configuration': `${JSON.stringify(config(data, { namespace: 'default' }))}\n`,
  },
});

export const applyScenarios: readonly Scenario[] = [
  {
    name: 'apply creates, and again changes nothing',
    kind: 'ConfigMap',
    steps: [apply('one', config({ a: '1' })), apply('one', config({ a: '1' }))],
  },
  {
    name: 'two managers share a field',
    kind: 'ConfigMap',
    steps: [
      apply('one', config({ a: '1' })),
      apply('two', config({ a: '1', b: '2' })),
      apply('one', config({})),
      apply('two', config({ b: '2' })),
    ],
  },
  {
    name: 'a conflict and its force',
    kind: 'ConfigMap',
    steps: [
      apply('one', config({ a: '1', b: '1' })),
      apply('two', config({ a: '2' })),
      apply('two', config({ a: '2', b: '2' })),
      apply('two', config({ a: '2', b: '2' }), true),
      apply('one', config({ a: '1' })),
    ],
  },
  {
    name: 'what is no longer applied goes',
    kind: 'ConfigMap',
    steps: [
      apply('one', config({ a: '1', b: '1' }, { labels: { x: 'y' } })),
      apply('one', config({ b: '1' })),
      apply('one', config(undefined)),
      apply('one', config({ c: '1' })),
    ],
  },
  {
    name: 'conflicts with several managers',
    kind: 'ConfigMap',
    steps: [
      apply('one', config({ a: '1' })),
      apply('two', config({ b: '1' })),
      merge({ data: { c: '1' } }),
      apply('three', config({ a: '2', b: '2', c: '2' })),
    ],
  },
  {
    name: 'an update takes fields from an applier',
    kind: 'ConfigMap',
    steps: [
      apply('one', config({ a: '1', b: '1' })),
      merge({ data: { a: '2' } }),
      apply('one', config({ a: '1', b: '1' })),
      apply('one', config({ b: '1' })),
    ],
  },
  {
    name: 'an update with the same values owns nothing',
    kind: 'ConfigMap',
    steps: [apply('one', config({ a: '1' })), replace({}), merge({ data: { a: '1' } })],
  },
  {
    name: 'one manager updates twice',
    kind: 'ConfigMap',
    steps: [
      create(config({ a: '1' }), 'one'),
      merge({ data: { b: '2' } }, 'one'),
      merge({ data: { a: null } }, 'one'),
      merge({ data: null }, 'two'),
    ],
  },
  {
    name: 'labels and annotations are owned key by key',
    kind: 'ConfigMap',
    steps: [
      create(
        config({ a: '1' }, { labels: { x: '1' }, annotations: { n: '1' }, finalizers: ['example.org/f'] }),
      ),
      merge({ metadata: { labels: { y: '2' }, finalizers: ['example.org/f', 'example.org/g'] } }),
      merge({ metadata: { labels: null, finalizers: null } }),
    ],
  },
  {
    name: 'before the first apply there was an owner',
    kind: 'ConfigMap',
    steps: [
      create(config({ a: '1', b: '1' })),
      replace({ metadata: { managedFields: [] } }),
      merge({ data: { c: '1' } }),
      apply('one', config({ a: '1' })),
      apply('one', config({ a: '2' })),
    ],
  },
  {
    name: 'managedFields are reset by an empty entry',
    kind: 'ConfigMap',
    steps: [create(config({ a: '1' })), merge({ metadata: { managedFields: [{}] }, data: { b: '1' } })],
  },
  {
    name: 'managedFields that a client sends',
    kind: 'ConfigMap',
    steps: [
      create(config({ a: '1', b: '1' })),
      merge({
        metadata: {
          managedFields: [
            {
              manager: 'other',
              operation: 'Update',
              apiVersion: 'v1',
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:data': { 'f:a': {} } },
            },
          ],
        },
      }),
    ],
  },
  {
    name: 'managedFields that make no sense',
    kind: 'ConfigMap',
    steps: [
      create(config({ a: '1' })),
      merge({
        metadata: {
          managedFields: [
            { manager: 'x', operation: 'Guess', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} },
          ],
        },
        data: { b: '1' },
      }),
    ],
  },
  {
    name: 'kubectl takes over from its client-side apply',
    kind: 'ConfigMap',
    steps: [
      create(config({ a: '1', b: '1' }, lastApplied({ a: '1', b: '1' })), 'kubectl-client-side-apply'),
      apply('kubectl', config({ a: '2', b: '1' })),
      apply('kubectl', config({ a: '2' })),
    ],
  },
  {
    name: 'kubectl does not take what has changed since',
    kind: 'ConfigMap',
    steps: [
      create(config({ a: '1', b: '1' }, lastApplied({ a: '1', b: '1' })), 'kubectl-client-side-apply'),
      merge({ data: { a: 'x' } }, 'other'),
      apply('kubectl', config({ a: '2', b: '2' })),
    ],
  },
  {
    name: 'another manager does not take over',
    kind: 'ConfigMap',
    steps: [
      create(config({ a: '1' }, lastApplied({ a: '1' })), 'kubectl-client-side-apply'),
      apply('helm', config({ a: '2' })),
    ],
  },
  {
    name: 'an apply with nothing in it',
    kind: 'ConfigMap',
    steps: [apply('one', config(undefined)), apply('one', config({}))],
  },
  {
    name: 'nulls in an applied map',
    kind: 'ConfigMap',
    steps: [
      create(config({ a: '1' })),
      apply('one', { ...config(undefined), data: null, metadata: { name: SUBJECT, labels: null } }),
    ],
  },
  {
    name: 'more than ten updaters',
    kind: 'ConfigMap',
    steps: [
      create(config({ k0: '0' }), 'm0'),
      ...Array.from({ length: 12 }, (_, i) => merge({ data: { [`k${i + 1}`]: '1' } }, `m${i + 1}`)),
    ],
  },
  {
    name: 'a deployment is created',
    kind: 'Deployment',
    steps: [
      create(
        deployment([
          container('a', {
            env: [{ name: 'X', value: '1' }],
            ports: [{ containerPort: 80, protocol: 'TCP' }],
          }),
        ]),
      ),
    ],
  },
  {
    name: 'apply one container of two',
    kind: 'Deployment',
    steps: [
      create(deployment([container('a'), container('b')])),
      apply('one', {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: SUBJECT },
        spec: { template: { spec: { containers: [{ name: 'b', image: 'b:2' }] } } },
      }),
      apply(
        'one',
        {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: SUBJECT },
          spec: { template: { spec: { containers: [{ name: 'b', image: 'b:2' }] } } },
        },
        true,
      ),
    ],
  },
  {
    name: 'apply adds a container and takes it out',
    kind: 'Deployment',
    steps: [
      create(deployment([container('a')])),
      apply('one', {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: SUBJECT },
        spec: { template: { spec: { containers: [container('n', { env: [{ name: 'A', value: '1' }] })] } } },
      }),
      merge({ metadata: { labels: { x: 'y' } } }),
      apply('one', {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: SUBJECT },
        spec: { replicas: 2 },
      }),
    ],
  },
  {
    name: 'apply owns the replicas, an update takes them',
    kind: 'Deployment',
    steps: [
      apply('one', deployment([container('a')])),
      merge({ spec: { replicas: 5 } }, 'scaler'),
      apply('one', deployment([container('a')])),
      apply('two', deployment([container('a')], { replicas: 5 })),
    ],
  },
  {
    name: 'ports with and without a protocol are one',
    kind: 'Deployment',
    steps: [
      apply('one', deployment([container('a', { ports: [{ containerPort: 80 }] })])),
      apply(
        'one',
        deployment([
          container('a', {
            ports: [
              { containerPort: 80, protocol: 'TCP' },
              { containerPort: 80, protocol: 'UDP' },
            ],
          }),
        ]),
      ),
    ],
  },
  {
    name: 'the order of applied containers',
    kind: 'Deployment',
    steps: [
      create(deployment([container('a'), container('b'), container('c')])),
      apply('one', {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: SUBJECT },
        spec: { template: { spec: { containers: [{ name: 'c' }, container('n'), { name: 'a' }] } } },
      }),
    ],
  },
  {
    name: 'an update changes a container',
    kind: 'Deployment',
    steps: [
      create(deployment([container('a'), container('b')])),
      {
        verb: 'strategic',
        manager: 'patcher',
        body: { spec: { template: { spec: { containers: [{ name: 'a', image: 'a:2' }] } } } },
      },
      {
        verb: 'strategic',
        manager: 'patcher',
        body: { spec: { template: { spec: { containers: [{ name: 'b', $patch: 'delete' }] } } } },
      },
    ],
  },
  {
    name: 'duplicate environment variables',
    kind: 'Deployment',
    steps: [
      create(
        deployment([
          container('a', {
            env: [
              { name: 'X', value: '1' },
              { name: 'X', value: '2' },
            ],
          }),
        ]),
      ),
      {
        verb: 'strategic',
        manager: 'patcher',
        body: {
          spec: {
            template: { spec: { containers: [{ name: 'a', env: [{ $patch: 'delete', name: 'X' }] }] } },
          },
        },
      },
    ],
  },
  {
    name: 'the status belongs to its writer',
    kind: 'Deployment',
    steps: [
      create(deployment([container('a')])),
      status({
        status: {
          replicas: 1,
          conditions: [{ type: 'Available', status: 'True', reason: 'r', message: 'm' }],
        },
        metadata: { labels: { z: 'z' } },
      }),
      status(
        { status: { conditions: [{ type: 'Available', status: 'False', reason: 'r', message: 'm' }] } },
        'other',
      ),
      merge({ status: { replicas: 7 }, spec: { paused: true } }),
    ],
  },
  {
    name: 'a widget is created and updated',
    kind: 'Widget',
    steps: [
      create(
        widget({
          tags: ['x', 'y'],
          plain: ['p'],
          parts: [{ name: 'n', count: 1 }],
          frozen: { a: '1' },
          labels: { l: '1' },
          free: { deep: { er: [1] } },
          port: 80,
        }),
      ),
      merge({
        spec: {
          tags: ['y', 'z'],
          plain: ['q'],
          parts: [
            { name: 'n', side: 'left', count: 2 },
            { name: 'n', side: 'right' },
          ],
          frozen: { b: '2' },
          labels: { m: '2' },
          free: { deep: { er: [2], f: 1 } },
          port: 'http',
        },
      }),
    ],
  },
  {
    name: 'sets and maps of a widget are shared',
    kind: 'Widget',
    steps: [
      apply('one', widget({ tags: ['x', 'y'], parts: [{ name: 'n', count: 1 }] })),
      apply(
        'two',
        widget({
          tags: ['y', 'z'],
          parts: [
            { name: 'n', note: 'two' },
            { name: 'm', side: 'right' },
          ],
        }),
      ),
      apply('one', widget({ tags: ['q'], parts: [] })),
      apply('two', widget({})),
    ],
  },
  {
    name: 'atomic lists and maps of a widget conflict',
    kind: 'Widget',
    steps: [
      apply('one', widget({ plain: ['a'], frozen: { a: '1' } })),
      apply('two', widget({ plain: ['b'], frozen: { b: '1' } })),
      apply('two', widget({ plain: ['b'], frozen: { b: '1' } }), true),
      apply('two', widget({})),
    ],
  },
  {
    name: 'free fields of a widget',
    kind: 'Widget',
    steps: [
      apply('one', widget({ free: { a: { b: 1 }, l: [1, 2] } })),
      apply('two', widget({ free: { a: { c: 2 } } })),
      apply('one', widget({ free: { a: { b: 2 }, l: [3] } })),
      apply('one', widget({ free: {} })),
    ],
  },
  {
    name: 'a free field changes its type',
    kind: 'Widget',
    steps: [
      create(widget({ free: { a: 'text', b: { c: 1 } } })),
      merge({ spec: { free: { a: { x: 1 }, b: 5 } } }),
    ],
  },
  {
    name: 'the status of a widget',
    kind: 'Widget',
    steps: [
      apply('one', widget({ size: 2 }, { status: { phase: 'ignored' } })),
      {
        verb: 'apply',
        manager: 'controller',
        subresource: 'status',
        body: widget({ size: 5 }, { status: { phase: 'Ready' } }),
      },
      {
        verb: 'merge',
        manager: 'other',
        subresource: 'status',
        body: { status: { phase: 'Busy', count: 1 } },
      },
      {
        verb: 'apply',
        manager: 'controller',
        subresource: 'status',
        body: {
          apiVersion: 'example.org/v1',
          kind: 'Widget',
          metadata: { name: SUBJECT },
          status: { phase: 'Ready' },
        },
      },
    ],
  },
  {
    name: 'an undeclared field is applied to a widget',
    kind: 'Widget',
    steps: [
      apply('one', widget({ nope: 1 })),
      apply('one', widget({ size: 'x' })),
      apply('one', widget({ tags: ['a', 'a'] })),
      apply('one', widget({ tags: [{ a: 1 }] })),
    ],
  },
  {
    name: 'a service, with what the server allocates',
    kind: 'Service',
    steps: [
      create({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: SUBJECT },
        spec: { clusterIP: 'None', selector: { a: 'b' }, ports: [{ name: 'x', port: 80 }] },
      }),
      apply('one', {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: SUBJECT },
        spec: { ports: [{ name: 'y', port: 81 }], selector: { a: 'c' } },
      }),
    ],
  },
];
