/** The bytes of a real API server in protobuf are, one by one, those that are written from its answer in JSON. */
import { request } from 'node:https';
import { beforeAll, describe, expect, test } from 'vitest';
import { useControlPlane } from '../../../../test/control-plane/vitest.ts';
import { encodeProtobuf, encodeProtobufEvent } from './encode.ts';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const cluster = useControlPlane({});

function ask(path: string, accept: string): Promise<{ type: string; body: Buffer }> {
  const { server, authority, adminToken } = cluster();
  const headers = { authorization: `Bearer ${adminToken}`, accept };
  return new Promise((resolve, reject) => {
    request(`${server}${path}`, { ca: authority.certificate, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ type: response.headers['content-type'] ?? '', body: Buffer.concat(chunks) }),
      );
    })
      .on('error', reject)
      .end();
  });
}

async function bothOf(path: string): Promise<{ type: string; theirs: Buffer; json: unknown }> {
  const inJson = async (from: string): Promise<{ metadata: { resourceVersion?: string }; kind: string }> =>
    JSON.parse((await ask(from, 'application/json')).body.toString());
  const { kind, metadata } = await inJson(path);
  // A list has the newest revision of the whole cluster, in which something else may be written meanwhile.
  const exact = `resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact`;
  const fixed = kind.endsWith('List') ? `${path}${path.includes('?') ? '&' : '?'}${exact}` : path;
  const { type, body } = await ask(fixed, PROTOBUF);
  return { type, theirs: body, json: await inJson(fixed) };
}

const hex = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString('hex');

const namespace = 'wire';
const objects = [
  { kind: 'Secret', apiVersion: 'v1', metadata: { name: 'full' }, data: { a: 'AAH/', empty: '' } },
  {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name: 'full', labels: { b: '2', a: '1', ä: undefined }, finalizers: ['example.com/x'] },
    data: { b: 'ключ', a: '' },
    binaryData: { c: 'AAH/' },
    immutable: false,
  },
  {
    kind: 'Deployment',
    apiVersion: 'apps/v1',
    metadata: { name: 'full' },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: 'x' } },
      strategy: { rollingUpdate: { maxSurge: '30%', maxUnavailable: 1 } },
      template: {
        metadata: { labels: { app: 'x' } },
        spec: {
          containers: [
            {
              name: 'main',
              image: 'nginx',
              env: [{ name: 'A', value: '' }],
              resources: { requests: { cpu: '100m', memory: '64Mi' } },
              readinessProbe: { httpGet: { port: 'http', path: '/' }, initialDelaySeconds: 5 },
              ports: [{ containerPort: 80, name: 'http' }],
            },
          ],
          tolerations: [{ key: 'x', operator: 'Exists', tolerationSeconds: -1, effect: 'NoExecute' }],
        },
      },
    },
  },
];

beforeAll(async () => {
  await cluster().kubectl(['create', 'namespace', namespace]);
  for (const object of objects)
    await cluster().kubectl(['apply', '-n', namespace, '-f', '-'], { input: JSON.stringify(object) });
  const definition = ['-f', 'crd/reloaderconfig_crd.yaml'];
  await cluster().kubectl(['apply', '--server-side', ...definition]);
  // The server writes to it until then.
  await cluster().kubectl(['wait', '--for=condition=Established', ...definition]);
});

describe('the same bytes as a real server writes', () => {
  test.each([
    `/api/v1/namespaces/${namespace}/secrets`,
    `/api/v1/namespaces/${namespace}/secrets/full`,
    `/api/v1/namespaces/${namespace}/configmaps/full`,
    `/apis/apps/v1/namespaces/${namespace}/deployments/full`,
    '/api/v1/namespaces',
    '/api/v1/namespaces?limit=1',
    '/api/v1/services',
    '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
    '/apis/apiregistration.k8s.io/v1/apiservices',
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    '/apis/scheduling.k8s.io/v1/priorityclasses',
  ])('%s', async (path) => {
    const { type, theirs, json } = await bothOf(path);
    expect(type).toBe(PROTOBUF);
    expect(hex(encodeProtobuf(json))).toBe(hex(theirs));
  });

  test.each([`/api/v1/namespaces/${namespace}/secrets/none`, '/api/v1/pods?limit=x'])(
    'of an error: %s',
    async (path) => {
      const { type, theirs, json } = await bothOf(path);
      expect(type).toBe(PROTOBUF);
      expect(hex(encodeProtobuf(json))).toBe(hex(theirs));
    },
  );

  test('of metadata only, of a custom resource definition', async () => {
    const as = ';as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
    const path =
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/reloaderconfigs.reloader.stakater.com';
    const [theirs, json] = [await ask(path, PROTOBUF + as), await ask(path, `application/json${as}`)];
    expect(hex(encodeProtobuf(JSON.parse(json.body.toString())))).toBe(hex(theirs.body));
  });

  test('of the events of a watch', async () => {
    const path = `/api/v1/namespaces/${namespace}/configmaps?watch=1&timeoutSeconds=1`;
    const { type, body } = await ask(path, `${PROTOBUF};stream=watch`);
    const lines = (await ask(path, 'application/json')).body.toString().trim().split('\n');
    const events = lines.map((line) => JSON.parse(line) as { type: string; object: unknown });
    expect(type).toBe(`${PROTOBUF};stream=watch`);
    expect(events.length).toBeGreaterThan(0);
    const ours = events.map((event) => encodeProtobufEvent(event.type, event.object) ?? Buffer.alloc(0));
    expect(hex(Buffer.concat(ours))).toBe(hex(body));
  });
});
