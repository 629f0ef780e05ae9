/** Every request gets a meaningful answer, and the server continues. */
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { type Answer, type TestCluster, testCluster } from './cluster.test.helper.ts';
import {
  accept,
  GOOD,
  METHODS,
  operation,
  query,
  RESOURCES,
  spoiled,
  TYPES,
  value,
} from './fuzz.test.helper.ts';

let t: TestCluster;

beforeAll(async () => {
  t = await testCluster({ anonymous: true });
  await t.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: {
            status: {},
            scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' },
          },
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: { type: 'object', properties: { n: { type: 'integer' } }, additionalProperties: false },
                list: {
                  type: 'array',
                  items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                },
              },
            },
          },
        },
      ],
    },
  });
});

/** The answer must not stem from a bug of ours: a thrown TypeError would become an InternalError. */
function check(answer: Answer): void {
  expect(answer.status).toBeGreaterThanOrEqual(200);
  expect(answer.status).toBeLessThan(600);
  if (answer.status < 400 || typeof answer.body === 'string') return;
  expect(answer.body).toMatchObject({ kind: 'Status', status: 'Failure', code: answer.status });
  expect(answer.body.message).toEqual(expect.any(String));
  const broken =
    /Cannot read|is not a function|is not iterable|undefined|Maximum call stack|Invalid time value/;
  if (answer.body.reason === 'InternalError') expect(answer.body.message).not.toMatch(broken);
}

async function send(
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<number> {
  const transport = t.cluster.transport();
  const content =
    body === undefined || body instanceof Uint8Array || typeof body === 'string'
      ? body
      : JSON.stringify(body);
  const request = { method, path, headers };
  const response = await transport.request(
    content === undefined ? request : { ...request, body: content as string },
  );
  const watching = method === 'GET' && /[?&]watch=1/.test(path) && response.status === 200;
  if (watching) {
    await response.body[Symbol.asyncIterator]().return?.();
    return response.status;
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  let parsed: unknown = text;
  try {
    parsed = JSON.parse(text);
  } catch {
    // Text answers are allowed.
  }
  check({ status: response.status, headers: response.headers, body: parsed });
  return response.status;
}

const resource = fc.constantFrom(...Object.keys(GOOD));
const patchType = fc.constantFrom(...TYPES.slice(3, 6));

/** The life of one object: created, updated, read and deleted, each time slightly wrong. */
const life = resource.chain((path) => {
  const good = GOOD[path] as { metadata?: object };
  const name = path.endsWith('customresourcedefinitions') ? 'a.fuzz.io' : 'a';
  const named = { ...good, metadata: { ...good.metadata, name } };
  return fc.record({
    path: fc.constant(path),
    name: fc.constant(name),
    created: spoiled(named),
    updated: spoiled(named),
    merged: spoiled(named),
    operations: fc.array(operation, { maxLength: 3 }),
    applied: spoiled({ apiVersion: 'v1', kind: 'ConfigMap', ...named }),
    subresource: fc.constantFrom(
      '',
      '/status',
      '/scale',
      '/eviction',
      '/binding',
      '/token',
      '/log',
      '/finalize',
    ),
    status: value,
    patchType,
    parameters: query,
    accepted: accept,
  });
});

test('lives of objects of every kind, each a little wrong', async () => {
  const seen = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(life, async (it) => {
      const one = `${it.path}/${it.name}`;
      const json = { 'content-type': 'application/json', ...(it.accepted && { accept: it.accepted }) };
      const patch = { 'content-type': it.patchType };
      const steps: [string, string, unknown, Record<string, string>][] = [
        ['POST', it.path, it.created, json],
        ['PUT', one, it.updated, json],
        ['PATCH', one, it.merged, patch],
        ['PATCH', one, it.operations, { 'content-type': 'application/json-patch+json' }],
        [
          'PATCH',
          `${one}?fieldManager=f&force=true`,
          it.applied,
          { 'content-type': 'application/apply-patch+yaml' },
        ],
        ['PATCH', `${one}/status`, { status: it.status }, { 'content-type': 'application/merge-patch+json' }],
        ['POST', `${one}${it.subresource}`, it.created, json],
        ['GET', `${one}${it.subresource}`, undefined, json],
        ['GET', `${it.path}${it.parameters}`, undefined, json],
        ['DELETE', `${one}${it.parameters}`, undefined, json],
        ['DELETE', one, { gracePeriodSeconds: 0 }, json],
        [
          'PATCH',
          one,
          { metadata: { finalizers: null } },
          { 'content-type': 'application/merge-patch+json' },
        ],
      ];
      for (const [method, path, body, headers] of steps) {
        const status = await send(method, path, body, headers);
        seen.set(status, (seen.get(status) ?? 0) + 1);
      }
    }),
    { numRuns: 250, endOnFailure: true },
  );
  // Input that is refused early would prove little.
  for (const status of [200, 201, 400, 404, 405, 422]) expect(seen.get(status) ?? 0).toBeGreaterThan(10);
});

test('bytes of every kind as bodies', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('POST', 'PUT', 'PATCH', 'DELETE'),
      fc.constantFrom(...RESOURCES),
      fc.constantFrom('', '/a'),
      fc.constantFrom(...TYPES),
      fc.oneof(
        fc.uint8Array({ maxLength: 64 }),
        fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.concat([Buffer.from('k8s\0'), bytes])),
        fc.string().map((text) => Buffer.from(text)),
        fc.json().map((text) => Buffer.from(text.slice(0, -1))),
      ),
      async (method, resource, name, type, bytes) => {
        await send(method, `${resource}${name}?fieldManager=f`, bytes, { 'content-type': type });
      },
    ),
    { numRuns: 800, endOnFailure: true },
  );
});

test('paths, queries and headers of every kind', async () => {
  const segment = fc.oneof(
    fc.constantFrom(
      'api',
      'apis',
      'v1',
      'apps',
      'namespaces',
      'default',
      'pods',
      'status',
      'watch',
      'proxy',
      '..',
      '',
    ),
    fc.string({ maxLength: 4 }),
    fc.string({ maxLength: 4 }).map(encodeURIComponent),
  );
  const names = [
    'accept',
    'content-type',
    'authorization',
    'impersonate-user',
    'impersonate-group',
    'impersonate-extra-%',
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...METHODS),
      fc.array(segment, { maxLength: 8 }),
      fc.webQueryParameters(),
      fc.dictionary(fc.constantFrom(...names), fc.string({ maxLength: 12 })),
      async (method, segments, parameters, headers) => {
        await send(method, `/${segments.join('/')}?${parameters}`, undefined, headers);
      },
    ),
    { numRuns: 1_000, endOnFailure: true },
  );
});

test('after all that, the server works as before', async () => {
  const created = await t.send('POST', '/api/v1/namespaces/kube-public/configmaps', {
    metadata: { name: 'still-here' },
  });
  expect(created.status).toBe(201);
  expect((await t.send('GET', '/api/v1/namespaces/kube-public/configmaps/still-here')).body).toEqual(
    created.body,
  );
});
