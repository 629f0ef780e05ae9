import { type BehaviourCase, del, get, patch, post, put } from '../case.ts';

/** Each case has its own API group, since CRDs have no namespace. */
const group = '{ns}.example.org';
const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const things = `/apis/${group}/v1/namespaces/{ns}/things`;
const established = { until: `${things}` } as const;

const spec = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      required: ['size'],
      properties: {
        size: { type: 'integer', minimum: 1, maximum: 10 },
        colour: { type: 'string', enum: ['red', 'green'], default: 'red' },
        code: { type: 'string', pattern: '^[a-z]+$', maxLength: 5 },
        port: { 'x-kubernetes-int-or-string': true },
        tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
        parts: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            required: ['name'],
            properties: { name: { type: 'string' }, count: { type: 'integer', default: 1 } },
          },
        },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        when: { type: 'string', format: 'date-time' },
      },
      'x-kubernetes-validations': [
        { rule: "self.colour != 'green' || self.size > 2", message: 'green things are larger than 2' },
        { rule: 'self.size >= oldSelf.size', message: 'a thing never shrinks' },
      ],
    },
    status: { type: 'object', properties: { ready: { type: 'boolean' }, replicas: { type: 'integer' } } },
  },
};

const crd = (more: object = {}, version: object = {}): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `things.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing', shortNames: ['th'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: spec },
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.replicas' },
        },
        additionalPrinterColumns: [
          { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
          { name: 'Ready', type: 'boolean', jsonPath: '.status.ready', priority: 1 },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ],
        ...version,
      },
    ],
    ...more,
  },
});
const thing = (name: string, body: object, more: object = {}): object => ({
  apiVersion: `${group}/v1`,
  kind: 'Thing',
  metadata: { name },
  spec: body,
  ...more,
});
const defined = [post(crds, crd(), { bodyIgnored: true }), established] as const;
const removed = del(`${crds}/things.${group}`, undefined, { bodyIgnored: true });

export const crdCases: readonly BehaviourCase[] = [
  {
    name: 'a definition is accepted and served',
    steps: [
      post(crds, crd(), { bodyIgnored: true }),
      established,
      get(`${crds}/things.${group}`),
      get(`/apis/${group}/v1`),
      get(things),
      removed,
      { until: `${crds}/things.${group}`, gone: true },
      get(things),
    ],
  },
  {
    name: 'defaults, pruning and generation',
    steps: [
      ...defined,
      post(
        things,
        thing('a', { size: 3, parts: [{ name: 'x' }], free: { any: { thing: 1 } }, unknown: true }),
      ),
      patch(`${things}/a`, 'merge', { metadata: { labels: { l: '1' } } }),
      patch(`${things}/a`, 'merge', { spec: { size: 4 } }),
      patch(`${things}/a`, 'merge', { status: { ready: true } }),
      patch(`${things}/a/status`, 'merge', { status: { ready: true }, spec: { size: 9 } }),
      post(`${things}?fieldValidation=Strict`, thing('b', { size: 3, unknown: true })),
      post(`${things}?fieldValidation=Warn`, thing('b', { size: 3, unknown: true })),
      removed,
    ],
  },
  {
    name: 'violations of the schema',
    steps: [
      ...defined,
      post(things, thing('a', {})),
      post(things, thing('a', { size: 0 })),
      // One mistake at a time: the real server lists several in no fixed order.
      post(things, thing('a', { size: 11 })),
      post(things, thing('a', { size: 3, colour: 'blue' })),
      post(things, thing('a', { size: 3, code: 'abcdef' })),
      post(things, thing('a', { size: 3, code: 'ABC' })),
      post(things, thing('a', { size: 'three' })),
      post(things, thing('a', { size: 1.5 })),
      post(things, thing('a', { size: 3, port: true })),
      post(things, thing('a', { size: 3, tags: ['x', 'x'] })),
      post(things, thing('a', { size: 3, parts: [{ name: 'x' }, { name: 'x' }] })),
      post(things, thing('a', { size: 3, parts: [{}] })),
      post(things, thing('a', { size: 3, when: 'yesterday' })),
      post(things, { apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name: 'a' } }),
      post(things, { ...(thing('a', { size: 3 }) as object), spec: 'text' }),
      post(things, { ...(thing('a', { size: 3 }) as object), kind: 'Other' }),
      removed,
    ],
  },
  {
    name: 'CEL rules, also against the old object',
    steps: [
      ...defined,
      post(things, thing('a', { size: 1, colour: 'green' })),
      post(things, thing('a', { size: 5 })),
      patch(`${things}/a`, 'merge', { spec: { size: 4 } }),
      patch(`${things}/a`, 'merge', { spec: { size: 6, colour: 'green' } }),
      removed,
    ],
  },
  {
    name: 'columns, scale and updates',
    steps: [
      ...defined,
      post(things, thing('a', { size: 3 }), { bodyIgnored: true }),
      get(things, { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' }),
      get(`${things}/a/scale`),
      patch(`${things}/a/scale`, 'merge', { spec: { replicas: 5 } }),
      put(`${things}/a`, thing('a', { size: 6 })),
      patch(`${things}/a`, 'strategic', { spec: { size: 6 } }),
      patch(
        `${things}/a?fieldManager=one`,
        'apply',
        thing('a', { size: 7, parts: [{ name: 'y', count: 2 }] }),
      ),
      patch(
        `${things}/a?fieldManager=one&force=true`,
        'apply',
        thing('a', { size: 7, parts: [{ name: 'y', count: 2 }] }),
      ),
      patch(`${things}/a?fieldManager=two`, 'apply', thing('a', { size: 7, parts: [{ name: 'z' }] })),
      removed,
    ],
  },
  {
    name: 'definitions that are refused',
    steps: [
      post(crds, { ...(crd() as object), metadata: { name: 'wrong.name' } }),
      post(crds, crd({ scope: 'Somewhere' })),
      post(crds, crd({}, { schema: undefined })),
      post(crds, crd({}, { storage: false })),
      post(crds, crd({}, { schema: { openAPIV3Schema: { type: 'object', properties: { spec: {} } } } })),
      post(crds, crd({}, { schema: { openAPIV3Schema: { properties: { spec: { type: 'object' } } } } })),
      post(
        crds,
        crd(
          {},
          {
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: {
                  spec: { type: 'object', 'x-kubernetes-validations': [{ rule: 'self.nothing > 1' }] },
                },
              },
            },
          },
        ),
      ),
      post(crds, crd({ names: { plural: 'Things', kind: 'thing' } })),
    ],
  },
];
