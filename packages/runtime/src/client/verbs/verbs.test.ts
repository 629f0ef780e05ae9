import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../clock/virtual-clock.ts';
import type { KubernetesObject, Stored } from '../../model/types.ts';
import type { Client } from '../client.ts';
import { createClient } from '../create-client.ts';
import { ConnectionError } from '../errors.ts';
import { ConfigMap, Deployment, Namespace, Pod, Secret, SelfSubjectAccessReview } from '../kinds.ts';
import { type MemoryTransport, memoryTransport } from '../memory-transport.test.support.ts';
import type { ResourceType } from '../resource.ts';

const stored = (kind: string, apiVersion: string, name: string): object => ({
  kind,
  apiVersion,
  metadata: { name, namespace: 'a', uid: 'u', resourceVersion: '7' },
});
const configMap = stored('ConfigMap', 'v1', 'x');
const key = { namespace: 'a', name: 'x' };

function setup(body: object = configMap): { transport: MemoryTransport; client: Client } {
  const transport = memoryTransport([{ body }]);
  return { transport, client: createClient({ transport, fieldManager: 'tests' }) };
}

function bodyOf(transport: MemoryTransport): unknown {
  return JSON.parse(String(transport.last.body));
}

/** Method, path and query, as one line. */
function lineOf({ last }: MemoryTransport): string {
  return `${last.method} ${last.path}`;
}

describe('the request line', () => {
  const calls: [string, (client: Client) => Promise<unknown>, string][] = [
    ['get', (c) => c.get(ConfigMap, key), 'GET /api/v1/namespaces/a/configmaps/x'],
    ['get of a cluster-scoped object', (c) => c.get(Namespace, { name: 'n' }), 'GET /api/v1/namespaces/n'],
    [
      'get of a version',
      (c) => c.get(ConfigMap, key, { resourceVersion: '0' }),
      'GET /api/v1/namespaces/a/configmaps/x?resourceVersion=0',
    ],
    [
      'get of a subresource',
      (c) => c.get(Deployment, key, { subresource: 'scale' }),
      'GET /apis/apps/v1/namespaces/a/deployments/x/scale',
    ],
    [
      'create',
      (c) => c.create(ConfigMap, { metadata: key }),
      'POST /api/v1/namespaces/a/configmaps?fieldManager=tests',
    ],
    [
      'create of a cluster-scoped object',
      (c) => c.create(Namespace, { metadata: { name: 'n' } }),
      'POST /api/v1/namespaces?fieldManager=tests',
    ],
    [
      'create with a generated name',
      (c) =>
        c.create(
          ConfigMap,
          { metadata: { namespace: 'a', generateName: 'x-' } },
          { dryRun: true, fieldValidation: 'Strict' },
        ),
      'POST /api/v1/namespaces/a/configmaps?fieldManager=tests&fieldValidation=Strict&dryRun=All',
    ],
    [
      'create in a subresource',
      (c) =>
        c.create<KubernetesObject>(Pod, { kind: 'Eviction', metadata: key }, { subresource: 'eviction' }),
      'POST /api/v1/namespaces/a/pods/x/eviction?fieldManager=tests',
    ],
    [
      'update',
      (c) => c.update(ConfigMap, { metadata: key }, { fieldManager: 'me' }),
      'PUT /api/v1/namespaces/a/configmaps/x?fieldManager=me',
    ],
    [
      'update of a subresource',
      (c) => c.update(Deployment, { metadata: key }, { subresource: 'status' }),
      'PUT /apis/apps/v1/namespaces/a/deployments/x/status?fieldManager=tests',
    ],
    [
      'patch',
      (c) => c.patch(Deployment, key, { type: 'merge', body: {} }),
      'PATCH /apis/apps/v1/namespaces/a/deployments/x?fieldManager=tests',
    ],
    [
      'apply',
      (c) => c.apply(ConfigMap, { metadata: key }, { force: true }),
      'PATCH /api/v1/namespaces/a/configmaps/x?fieldManager=tests&force=true',
    ],
    ['delete', (c) => c.delete(ConfigMap, key), 'DELETE /api/v1/namespaces/a/configmaps/x'],
    [
      'deleteCollection',
      (c) =>
        c.deleteCollection(ConfigMap, {
          namespace: 'a',
          labelSelector: 'x in (a,b)',
          fieldSelector: 'metadata.name!=y',
        }),
      'DELETE /api/v1/namespaces/a/configmaps?labelSelector=x%20in%20(a%2Cb)&fieldSelector=metadata.name!%3Dy',
    ],
    [
      'a name that needs escaping',
      (c) => c.get(Namespace, { name: 'a/b?c' }),
      'GET /api/v1/namespaces/a%2Fb%3Fc',
    ],
  ];

  it.each(calls)('of %s', async (_, call, line) => {
    const { transport, client } = setup();
    await call(client);
    expect(lineOf(transport)).toBe(line);
  });

  it.each([
    ['all namespaces', {}, '/api/v1/secrets'],
    ['one namespace', { namespace: 'a' }, '/api/v1/namespaces/a/secrets'],
    ['a page', { limit: 10, continue: 'a=b' }, '/api/v1/secrets?limit=10&continue=a%3Db'],
    [
      'a version',
      { resourceVersion: '5', resourceVersionMatch: 'Exact' as const },
      '/api/v1/secrets?resourceVersion=5&resourceVersionMatch=Exact',
    ],
    ['a selection', { labelSelector: 'a=b' }, '/api/v1/secrets?labelSelector=a%3Db'],
    ['the newest version', { resourceVersion: '', labelSelector: '' }, '/api/v1/secrets'],
  ])('of list for %s', async (_, options, path) => {
    const { transport, client } = setup({ items: [] });
    await client.list(Secret, options);
    expect(lineOf(transport)).toBe(`GET ${path}`);
  });

  it('of list passes a namespace over for cluster-scoped kinds', async () => {
    const { transport, client } = setup({ items: [] });
    await client.list(Namespace, { namespace: 'a' });
    expect(lineOf(transport)).toBe('GET /api/v1/namespaces');
  });

  it.each([
    [
      'from a version',
      { resourceVersion: '5', allowWatchBookmarks: true, timeoutSeconds: 300 },
      'watch=true&resourceVersion=5&allowWatchBookmarks=true&timeoutSeconds=300',
    ],
    [
      'with initial events',
      { sendInitialEvents: true, allowWatchBookmarks: true },
      'watch=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&allowWatchBookmarks=true',
    ],
    ['without initial events', { sendInitialEvents: false }, 'watch=true&sendInitialEvents=false'],
  ])('of watch %s', async (_, options, query) => {
    const { transport, client } = setup();
    await client.watch(Secret, options);
    expect(lineOf(transport)).toBe(`GET /api/v1/secrets?${query}`);
  });
});

describe('headers', () => {
  it('name the program and accept JSON', async () => {
    const transport = memoryTransport([{ body: configMap }]);
    await createClient({ transport, userAgent: 'my-operator/1.2.3' }).get(ConfigMap, key);
    expect(transport.last.headers).toEqual({ 'user-agent': 'my-operator/1.2.3', accept: 'application/json' });
  });

  it.each([
    ['get', (c: Client) => c.get(Pod, key, { metadataOnly: true }), 'PartialObjectMetadata'],
    ['list', (c: Client) => c.list(Pod, { metadataOnly: true }), 'PartialObjectMetadataList'],
    ['watch', (c: Client) => c.watch(Pod, { metadataOnly: true }), 'PartialObjectMetadata'],
  ])('ask for metadata only on %s', async (_, call, kind) => {
    const { transport, client } = setup({ items: [] });
    await call(client);
    expect(transport.last.headers.accept).toBe(
      `application/json;as=${kind};g=meta.k8s.io;v=v1,application/json`,
    );
  });

  it.each([
    ['json', { type: 'json', operations: [{ op: 'remove', path: '/x' }] }, 'application/json-patch+json'],
    ['merge', { type: 'merge', body: { a: null } }, 'application/merge-patch+json'],
    ['strategic', { type: 'strategic', body: {} }, 'application/strategic-merge-patch+json'],
    ['apply', { type: 'apply', body: {} }, 'application/apply-patch+yaml'],
  ] as const)('tell what a %s patch is', async (_, patch, contentType) => {
    const { transport, client } = setup();
    await client.patch(ConfigMap, key, patch);
    expect(transport.last.headers['content-type']).toBe(contentType);
    expect(bodyOf(transport)).toEqual('operations' in patch ? patch.operations : patch.body);
  });
});

describe('bodies', () => {
  it('of create, update and apply get kind and apiVersion where they lack them', async () => {
    const { transport, client } = setup();
    const object = { metadata: key, data: { a: '1' } };
    for (const call of ['create', 'update', 'apply'] as const) {
      await client[call](ConfigMap, object);
      expect(bodyOf(transport)).toEqual({ apiVersion: 'v1', kind: 'ConfigMap', ...object });
    }
    expect(object).not.toHaveProperty('kind');
  });

  it('for a subresource stay as they are', async () => {
    const { transport, client } = setup();
    const body = { metadata: key };
    await client.create<KubernetesObject>(Pod, body, { subresource: 'eviction' });
    expect(bodyOf(transport)).toEqual(body);
    await client.update<KubernetesObject>(Deployment, body, { subresource: 'scale' });
    expect(bodyOf(transport)).toEqual(body);
  });

  it('of delete carry all options', async () => {
    const { transport, client } = setup();
    await client.delete(ConfigMap, key, {
      preconditions: { uid: 'u', resourceVersion: '7' },
      propagationPolicy: 'Foreground',
      gracePeriodSeconds: 0,
      dryRun: true,
    });
    expect(bodyOf(transport)).toEqual({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: { uid: 'u', resourceVersion: '7' },
      propagationPolicy: 'Foreground',
      gracePeriodSeconds: 0,
      dryRun: ['All'],
    });
  });
});

describe('mistakes in the call', () => {
  it.each([
    [
      'a namespaced object without a namespace',
      (c: Client) => c.get(ConfigMap, { name: 'x' }),
      /ConfigMap "x": it is namespaced and no namespace/,
    ],
    [
      'a create without a namespace',
      (c: Client) => c.create(ConfigMap, { metadata: { name: 'x' } }),
      /Cannot create ConfigMap "x": it is namespaced and metadata.namespace is not set/,
    ],
    [
      'an object without a name',
      (c: Client) => c.update(ConfigMap, { metadata: { namespace: 'a' } }),
      /its name is empty/,
    ],
  ])('are rejected before anything is sent: %s', async (_, call, pattern) => {
    const { transport, client } = setup();
    await expect(call(client)).rejects.toThrow(pattern);
    await expect(call(client)).rejects.toThrow(TypeError);
    expect(transport.requests).toHaveLength(0);
  });

  it('are rejected before anything is sent: apply without a field manager', async () => {
    const transport = memoryTransport([{}]);
    const apply = createClient({ transport }).apply(ConfigMap, { metadata: key });
    await expect(apply).rejects.toThrow(/Cannot apply ConfigMap "x": server-side apply needs a fieldManager/);
    expect(transport.requests).toHaveLength(0);
  });
});

describe('answers', () => {
  it('of list give items their kind, which built-in kinds leave out', async () => {
    const items = [
      { metadata: { name: 'x' } },
      { kind: 'Other', apiVersion: 'o/v1', metadata: { name: 'y' } },
    ];
    const { client } = setup({ kind: 'DeploymentList', metadata: { resourceVersion: '9' }, items });
    const list = await client.list(Deployment);
    expect(list.metadata).toEqual({ resourceVersion: '9' });
    expect(list.items.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)).toEqual([
      'apps/v1 Deployment',
      'o/v1 Other',
    ]);
  });

  it('of a metadata-only list stay as they are', async () => {
    const { client } = setup({ items: [{ metadata: { name: 'x' } }] });
    const { items } = await client.list(Deployment, { metadataOnly: true });
    expect(items).toEqual([{ metadata: { name: 'x' } }]);
  });

  it('of listEach are handed over one by one', async () => {
    const { client } = setup({
      metadata: { continue: 'c' },
      items: [{ metadata: { name: 'x' } }, { metadata: { name: 'y' } }],
    });
    const names: string[] = [];
    expect(await client.listEach(Pod, (pod) => names.push(pod.metadata.name))).toEqual({ continue: 'c' });
    expect(names).toEqual(['x', 'y']);
  });

  it('that are no object are refused', async () => {
    const client = createClient({ transport: memoryTransport([{ body: '[1]' }]) });
    await expect(client.get(ConfigMap, key)).rejects.toThrow(
      /The answer to get configmaps "a\/x" is JSON but no object/,
    );
  });

  it('above the limit are refused', async () => {
    const client = createClient({ transport: memoryTransport([{ body: configMap }]), maxObjectBytes: 50 });
    await expect(client.get(ConfigMap, key)).rejects.toThrow(/more than the allowed 50 bytes/);
  });

  it('of delete are read to the end, so that the connection can be used again', async () => {
    let chunks = 0;
    async function* body(): AsyncGenerator<Uint8Array> {
      for (; chunks < 3; chunks++) yield Buffer.from('x');
    }
    await createClient({ transport: memoryTransport(() => ({ body: body() })) }).delete(ConfigMap, key);
    expect(chunks).toBe(3);
  });
});

describe('onWritten', () => {
  function observed(body: object): { client: Client; seen: [ResourceType, Stored<KubernetesObject>][] } {
    const seen: [ResourceType, Stored<KubernetesObject>][] = [];
    const client = createClient({
      transport: memoryTransport([{ body }]),
      fieldManager: 'tests',
      onWritten: (...written) => seen.push(written),
    });
    return { client, seen };
  }

  it('is called with objects that create, update, patch and apply stored', async () => {
    const { client, seen } = observed(configMap);
    await client.create(ConfigMap, { metadata: key });
    await client.update(ConfigMap, { metadata: key });
    await client.patch(ConfigMap, key, { type: 'merge', body: {} });
    await client.apply(ConfigMap, { metadata: key });
    expect(seen).toEqual(Array.from({ length: 4 }, () => [ConfigMap, configMap]));
  });

  it('is not called for dry runs, reads, deletes, reviews and other kinds', async () => {
    const { client, seen } = observed(configMap);
    await client.update(ConfigMap, { metadata: key }, { dryRun: true });
    await client.get(ConfigMap, key);
    await client.delete(ConfigMap, key);
    await client.patch(Deployment, key, { type: 'merge', body: {} }, { subresource: 'scale' });
    const review = observed({ kind: 'SelfSubjectAccessReview', metadata: {}, status: { allowed: true } });
    await review.client.create(SelfSubjectAccessReview, { spec: {} });
    expect([...seen, ...review.seen]).toEqual([]);
  });
});

describe('after a lost connection', () => {
  const calls: [string, (client: Client) => Promise<unknown>, boolean][] = [
    ['get', (c) => c.get(ConfigMap, key), true],
    ['list', (c) => c.listEach(ConfigMap, () => {}), true],
    ['watch', (c) => c.watch(ConfigMap), true],
    ['apply', (c) => c.apply(ConfigMap, { metadata: key }), true],
    ['an apply patch', (c) => c.patch(ConfigMap, key, { type: 'apply', body: {} }), true],
    ['delete with a uid', (c) => c.delete(ConfigMap, key, { preconditions: { uid: 'u' } }), true],
    [
      'delete with a version',
      (c) => c.delete(ConfigMap, key, { preconditions: { resourceVersion: '1' } }),
      true,
    ],
    ['a raw GET', (c) => c.raw({ method: 'get', path: '/', headers: {} }), true],
    ['delete', (c) => c.delete(ConfigMap, key), false],
    ['deleteCollection', (c) => c.deleteCollection(ConfigMap), false],
    ['create', (c) => c.create(ConfigMap, { metadata: key }), false],
    ['update', (c) => c.update(ConfigMap, { metadata: key }), false],
    ['a merge patch', (c) => c.patch(ConfigMap, key, { type: 'merge', body: {} }), false],
    ['a JSON patch', (c) => c.patch(ConfigMap, key, { type: 'json', operations: [] }), false],
    ['a raw POST', (c) => c.raw({ method: 'POST', path: '/', headers: {} }), false],
  ];

  it.each(calls)('%s is retried only if that is safe', async (_, call, again) => {
    const clock = new VirtualClock();
    const transport = memoryTransport([new ConnectionError('lost'), { body: { ...configMap, items: [] } }]);
    const outcome = call(createClient({ transport, clock, fieldManager: 'tests' })).then(
      () => 'done',
      (error: unknown) => error,
    );
    await clock.advance(1_000);
    if (again) expect(await outcome).toBe('done');
    else expect(await outcome).toBeInstanceOf(ConnectionError);
    expect(transport.requests).toHaveLength(again ? 2 : 1);
  });
});
