import { expect, test } from 'vitest';
import type { KubernetesObject } from '../model/types.ts';
import { appliedFields, applyIsNoop, ownedValues } from './field-ownership.ts';

const leaf = {};

/** The answer of kube-apiserver 1.36 to a server-side apply of `INTENT`, with its defaults and managedFields. */
const LIVE = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name: 'web',
    namespace: 'default',
    uid: '6865af15',
    resourceVersion: '202',
    generation: 1,
    labels: { app: 'web', 'added-by': 'somebody' },
    annotations: { note: 'x' },
    finalizers: ['example.com/a', 'example.com/b'],
    managedFields: [
      { manager: 'kubectl', operation: 'Update', apiVersion: 'apps/v1', fieldsV1: { 'f:metadata': leaf } },
      {
        manager: 'webapp',
        operation: 'Apply',
        apiVersion: 'apps/v1',
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:metadata': {
            'f:annotations': { 'f:note': leaf },
            'f:finalizers': { 'v:"example.com/a"': leaf },
            'f:labels': { 'f:app': leaf },
          },
          'f:spec': {
            'f:replicas': leaf,
            'f:selector': leaf,
            'f:template': {
              'f:spec': {
                'f:containers': {
                  'k:{"name":"main"}': {
                    '.': leaf,
                    'f:args': leaf,
                    'f:image': leaf,
                    'f:name': leaf,
                    'f:ports': {
                      'k:{"containerPort":53,"protocol":"UDP"}': {
                        '.': leaf,
                        'f:containerPort': leaf,
                        'f:protocol': leaf,
                      },
                      'k:{"containerPort":80,"protocol":"TCP"}': { '.': leaf, 'f:containerPort': leaf },
                    },
                  },
                  'k:{"name":"side"}': { '.': leaf, 'f:image': leaf, 'f:name': leaf },
                },
                'f:volumes': { 'k:{"name":"tmp"}': { '.': leaf, 'f:emptyDir': leaf, 'f:name': leaf } },
              },
            },
          },
        },
      },
    ],
  },
  spec: {
    progressDeadlineSeconds: 600,
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: {
      spec: {
        containers: [
          {
            name: 'main',
            image: 'nginx:1',
            imagePullPolicy: 'IfNotPresent',
            args: ['a', 'b'],
            ports: [
              { containerPort: 80, protocol: 'TCP' },
              { containerPort: 53, protocol: 'UDP' },
            ],
          },
          { name: 'side', image: 'busybox', imagePullPolicy: 'Always' },
        ],
        restartPolicy: 'Always',
        volumes: [{ name: 'tmp', emptyDir: {} }],
      },
    },
  },
  status: {},
};

function intent() {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: 'web',
      namespace: 'default',
      labels: { app: 'web' } as Record<string, string>,
      annotations: { note: 'x' },
      finalizers: ['example.com/a'],
    },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'web' } as Record<string, string> },
      template: {
        spec: {
          containers: [
            {
              name: 'main',
              image: 'nginx:1',
              args: ['a', 'b'] as string[] | undefined,
              ports: [
                { containerPort: 80 } as { containerPort: number; protocol?: string },
                { containerPort: 53, protocol: 'UDP' },
              ],
            },
            { name: 'side', image: 'busybox' },
          ] as Record<string, unknown>[],
          volumes: [{ name: 'tmp', emptyDir: {} }] as Record<string, unknown>[],
        },
      },
    },
  };
}

type Intent = ReturnType<typeof intent>;
const OWNER = { manager: 'webapp', apiVersion: 'apps/v1' };

function noop(wanted: KubernetesObject, live: KubernetesObject = LIVE): boolean {
  const fields = appliedFields(live, OWNER);
  if (!fields) throw new Error('The fixture has no fields of ours');
  return applyIsNoop(wanted, live, fields);
}

test('the intent as it was applied changes nothing, whatever defaults and neighbours there are', () => {
  expect(noop(intent())).toBe(true);
});

test('identity and version in the intent do not count as fields', () => {
  const wanted = intent();
  expect(noop({ ...wanted, metadata: { ...wanted.metadata, uid: '6865af15', resourceVersion: '202' } })).toBe(
    true,
  );
});

const CHANGES: [string, (wanted: Intent) => void][] = [
  ['a scalar differs', ({ spec }) => (spec.replicas = 3)],
  ['a field is not wanted any more', ({ spec }) => Reflect.deleteProperty(spec, 'replicas')],
  ['a field is new', ({ spec }) => Object.assign(spec, { paused: false })],
  ['a field of somebody else is wanted now', ({ metadata }) => (metadata.labels['added-by'] = 'somebody')],
  ['a label differs', ({ metadata }) => (metadata.labels.app = 'other')],
  ['all labels are gone', ({ metadata }) => (metadata.labels = {})],
  ['an atomic map grows', ({ spec }) => (spec.selector.matchLabels.tier = 'a')],
  ['an atomic map shrinks', ({ spec }) => (spec.selector.matchLabels = {})],
  ['an atomic list differs', ({ spec }) => (container(spec).args = ['b', 'a'])],
  ['an element is new', ({ spec }) => spec.template.spec.containers.push({ name: 'third', image: 'x' })],
  ['an element is gone', ({ spec }) => spec.template.spec.containers.pop()],
  ['an element differs', ({ spec }) => (container(spec).image = 'nginx:2')],
  ['a field of an element is gone', ({ spec }) => delete container(spec).args],
  ['elements change places', ({ spec }) => spec.template.spec.containers.reverse()],
  ['an element gets another key', ({ spec }) => (container(spec).name = 'renamed')],
  ['a default is now wanted by name', ({ spec }) => (container(spec).imagePullPolicy = 'IfNotPresent')],
  [
    'a key with a default is now wanted by name',
    ({ spec }) => (ports(spec)[0] = { containerPort: 80, protocol: 'TCP' }),
  ],
  ['a set loses its element', ({ metadata }) => (metadata.finalizers = [])],
  ['a set gains an element', ({ metadata }) => metadata.finalizers.push('example.com/b')],
  ['a set has another element', ({ metadata }) => (metadata.finalizers = ['example.com/b'])],
  [
    'an empty map is filled',
    ({ spec }) => (spec.template.spec.volumes = [{ name: 'tmp', emptyDir: { medium: 'Memory' } }]),
  ],
];

function container(spec: Intent['spec']): Record<string, unknown> {
  return spec.template.spec.containers[0] ?? {};
}
function ports(spec: Intent['spec']): { containerPort: number; protocol?: string }[] {
  return container(spec).ports as { containerPort: number; protocol?: string }[];
}

test.each(CHANGES)('there is work to do when %s', (_, change) => {
  const wanted = intent();
  change(wanted);
  expect(noop(wanted)).toBe(false);
});

test.each<[string, (live: typeof LIVE) => void]>([
  ['a value', (live) => (live.spec.replicas = 5)],
  ['an element of a list', (live) => void live.spec.template.spec.containers.shift()],
  ['a list as a whole', (live) => Object.assign(live.spec.template.spec, { containers: undefined })],
  ['a map as a whole', (live) => Object.assign(live.metadata, { annotations: undefined })],
  ['an element of a set', (live) => (live.metadata.finalizers = ['example.com/b'])],
])('there is work to do when somebody took away %s', (_, change) => {
  const live = structuredClone(LIVE);
  change(live);
  expect(noop(intent(), live)).toBe(false);
});

test.each<[string, Parameters<typeof appliedFields>[1]]>([
  ['another manager', { ...OWNER, manager: 'kubectl' }],
  ['another version of the API', { ...OWNER, apiVersion: 'apps/v1beta1' }],
  ['a subresource', { ...OWNER, subresource: 'status' }],
])('fields of %s are not ours', (_, owner) => {
  expect(appliedFields(LIVE, owner)).toBeUndefined();
});

test('an object without managedFields says nothing', () => {
  expect(appliedFields({ metadata: { name: 'x' } }, OWNER)).toBeUndefined();
});

function held(live: typeof LIVE): string {
  return JSON.stringify(ownedValues(live, appliedFields(live, OWNER) ?? {}));
}

test.each<[string, (live: typeof LIVE) => void, boolean]>([
  ['nothing', () => {}, true],
  ['a default', (live) => (live.spec.progressDeadlineSeconds = 1), true],
  ["somebody's label", (live) => (live.metadata.labels['added-by'] = 'another'), true],
  ["somebody's finalizer", (live) => void live.metadata.finalizers.pop(), true],
  ['a default of an element', (live) => Object.assign(first(live), { imagePullPolicy: 'Never' }), true],
  ['the status', (live) => Object.assign(live.status, { replicas: 1 }), true],
  ['a value of ours', (live) => (live.spec.replicas = 5), false],
  ['an element of ours', (live) => Object.assign(first(live), { image: 'other' }), false],
  ['the order of our elements', (live) => void live.spec.template.spec.containers.reverse(), false],
  ['our finalizer', (live) => void live.metadata.finalizers.shift(), false],
  ['an atomic map of ours', (live) => Object.assign(live.spec.selector.matchLabels, { x: 'y' }), false],
])('what is held at our fields when %s changes: the same is %s', (_, change, same) => {
  const live = structuredClone(LIVE);
  change(live);
  expect(held(live) === held(LIVE)).toBe(same);
});

function first(live: typeof LIVE): object {
  return live.spec.template.spec.containers[0] ?? {};
}
