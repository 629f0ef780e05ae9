/** Builds invalid requests for the fuzz tests. */
import fc from 'fast-check';

export const RESOURCES = [
  '/api/v1/namespaces/default/configmaps',
  '/api/v1/namespaces/default/secrets',
  '/api/v1/namespaces/default/pods',
  '/api/v1/namespaces/default/services',
  '/api/v1/namespaces/default/serviceaccounts',
  '/api/v1/namespaces/default/events',
  '/api/v1/namespaces',
  '/api/v1/nodes',
  '/apis/apps/v1/namespaces/default/deployments',
  '/apis/apps/v1/namespaces/default/statefulsets',
  '/apis/batch/v1/namespaces/default/jobs',
  '/apis/batch/v1/namespaces/default/cronjobs',
  '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
  '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles',
  '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
  '/apis/coordination.k8s.io/v1/namespaces/default/leases',
  '/apis/events.k8s.io/v1/namespaces/default/events',
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
  '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
  '/apis/authentication.k8s.io/v1/tokenreviews',
  '/apis/example.com/v1/namespaces/default/widgets',
];
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'FOO'];
export const TYPES = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/merge-patch+json',
  'application/json-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'text/plain',
  '',
];

/** Real field names, so that values land where they have a meaning. */
const key = fc.oneof(
  fc.constantFrom(
    'metadata',
    'name',
    'namespace',
    'spec',
    'status',
    'labels',
    'annotations',
    'finalizers',
    'rules',
  ),
  fc.constantFrom(
    'kind',
    'apiVersion',
    'data',
    'template',
    'containers',
    'selector',
    'matchLabels',
    'replicas',
    'n',
  ),
  fc.constantFrom(
    'ownerReferences',
    'managedFields',
    'generateName',
    'resourceVersion',
    'uid',
    'target',
    'subjects',
  ),
  fc.constantFrom(
    'roleRef',
    'versions',
    'names',
    'group',
    'schema',
    'openAPIV3Schema',
    '__proto__',
    'constructor',
    '$patch',
  ),
  fc.string({ maxLength: 5 }),
);
export const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(
      null,
      true,
      0,
      -1,
      1.5,
      1e300,
      '',
      'a',
      'default',
      '5',
      'Always',
      '2020-01-01T00:00:00Z',
      '{}',
      '[]',
    ),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map((entries) => {
      const object: Record<string, unknown> = Object.create(null);
      for (const [name, inner] of entries) object[name] = inner;
      return object;
    }),
  ),
}));

export const operation = fc.record({
  op: fc.constantFrom('add', 'remove', 'replace', 'test', 'move', 'copy', 'x'),
  path: fc.constantFrom(
    '',
    '/',
    '/metadata',
    '/metadata/labels',
    '/metadata/name',
    '/spec',
    '/spec/containers/0',
    '/data/a',
    '/list/-',
  ),
  from: fc.constantFrom('/metadata', '/spec', '/x'),
  value,
});

export const query = fc.constantFrom(
  '',
  '?dryRun=All',
  '?fieldManager=f&force=true',
  '?fieldValidation=Strict',
  '?limit=1',
  '?labelSelector=a%20in%20(b)',
  '?fieldSelector=metadata.name%3Da',
  '?resourceVersion=1',
  '?watch=1&resourceVersion=1&timeoutSeconds=1',
  '?propagationPolicy=Foreground',
  '?gracePeriodSeconds=-5',
  '?%zz=%zz',
);

export const accept = fc.constantFrom(
  '',
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/yaml',
  'text/html',
);

/** The path of every value inside a value. */
function places(node: unknown, way: string[] = []): string[][] {
  if (typeof node !== 'object' || node === null) return [way];
  return [way, ...Object.entries(node).flatMap(([name, inner]) => places(inner, [...way, name]))];
}

/** A copy with another value at one path. */
function replaced(node: unknown, [name, ...rest]: readonly string[], other: unknown): unknown {
  if (name === undefined) return other;
  const copy = (Array.isArray(node) ? [...node] : { ...(node as object) }) as Record<string, unknown>;
  copy[name] = replaced(copy[name], rest, other);
  return copy;
}

/** A valid object with up to three invalid values; `undefined` removes one. */
export function spoiled(good: object) {
  const place = fc.constantFrom(...places(good).slice(1));
  const change = fc.tuple(place, fc.oneof(value, fc.constant(undefined)));
  return fc
    .array(change, { maxLength: 3 })
    .map(
      (changes) =>
        changes.reduce<unknown>((node, [way, other]) => tryReplace(node, way, other), good) as object,
    );
}

/** An earlier change may have removed the path. */
function tryReplace(node: unknown, way: readonly string[], other: unknown): unknown {
  try {
    return replaced(node, way, other);
  } catch {
    return node;
  }
}

const container = { name: 'c', image: 'i', env: [{ name: 'A', value: '1' }], ports: [{ containerPort: 80 }] };
const podSpec = {
  containers: [container],
  volumes: [{ name: 'v', configMap: { name: 'm' } }],
  restartPolicy: 'Always',
};
const template = { metadata: { labels: { app: 'a' } }, spec: podSpec };
const selector = { matchLabels: { app: 'a' } };
const metadata = { labels: { app: 'a' }, annotations: { x: 'y' }, finalizers: ['x.io/y'] };

export const GOOD: Readonly<Record<string, object>> = {
  '/api/v1/namespaces/default/configmaps': { metadata, data: { a: 'b' } },
  '/api/v1/namespaces/default/secrets': { metadata, data: { a: 'Yg==' }, type: 'Opaque' },
  '/api/v1/namespaces/default/pods': { metadata, spec: podSpec },
  '/api/v1/namespaces/default/services': {
    metadata,
    spec: { ports: [{ port: 80 }], selector: { app: 'a' } },
  },
  '/api/v1/namespaces/default/serviceaccounts': { metadata },
  '/api/v1/namespaces': { metadata },
  '/apis/apps/v1/namespaces/default/deployments': { metadata, spec: { replicas: 1, selector, template } },
  '/apis/apps/v1/namespaces/default/statefulsets': {
    metadata,
    spec: { serviceName: 's', selector, template },
  },
  '/apis/apps/v1/namespaces/default/daemonsets': { metadata, spec: { selector, template } },
  '/apis/batch/v1/namespaces/default/jobs': {
    metadata,
    spec: { template: { spec: { ...podSpec, restartPolicy: 'Never' } } },
  },
  '/apis/batch/v1/namespaces/default/cronjobs': {
    metadata,
    spec: {
      schedule: '* * * * *',
      jobTemplate: { spec: { template: { spec: { ...podSpec, restartPolicy: 'Never' } } } },
    },
  },
  '/apis/policy/v1/namespaces/default/poddisruptionbudgets': {
    metadata,
    spec: { minAvailable: '50%', selector },
  },
  '/apis/networking.k8s.io/v1/namespaces/default/ingresses': {
    metadata,
    spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } },
  },
  '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles': {
    metadata,
    rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }],
  },
  '/apis/rbac.authorization.k8s.io/v1/clusterroles': {
    metadata,
    aggregationRule: { clusterRoleSelectors: [selector] },
    rules: [],
  },
  '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings': {
    metadata,
    subjects: [{ kind: 'User', name: 'u', apiGroup: 'rbac.authorization.k8s.io' }],
    roleRef: { kind: 'ClusterRole', name: 'view', apiGroup: 'rbac.authorization.k8s.io' },
  },
  '/apis/coordination.k8s.io/v1/namespaces/default/leases': {
    metadata,
    spec: { holderIdentity: 'me', renewTime: '2030-01-01T00:00:00.000000Z' },
  },
  '/apis/events.k8s.io/v1/namespaces/default/events': {
    metadata,
    eventTime: '2030-01-01T00:00:00.000000Z',
    reason: 'R',
    action: 'A',
    type: 'Normal',
    reportingController: 'a/b',
    reportingInstance: 'i',
    regarding: { kind: 'Pod', namespace: 'default', name: 'a' },
  },
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions': {
    metadata,
    spec: {
      group: 'fuzz.io',
      scope: 'Namespaced',
      names: { plural: 'a', kind: 'A' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' } } } },
          additionalPrinterColumns: [{ name: 'X', type: 'string', jsonPath: '.spec.x' }],
        },
      ],
    },
  },
  '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews': {
    spec: { resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'default' } },
  },
  '/apis/authentication.k8s.io/v1/tokenreviews': { spec: { token: 'x', audiences: ['y'] } },
  '/apis/example.com/v1/namespaces/default/widgets': {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata,
    spec: { n: 1 },
    list: [{ a: 1 }],
  },
};
