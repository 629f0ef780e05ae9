/** Every verb against a real API server, as a service account with exactly these permissions. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useControlPlane } from '../../../../test/control-plane/vitest.ts';
import { createCapturingLogger } from '../testing/index.ts';
import type { Client, WatchEvent } from './client.ts';
import { closeAll, configMap, connect, deployment, failure, key, ns, rules } from './cluster.test.support.ts';
import type { ClusterConfig } from './config/cluster-config.ts';
import { loadConfig } from './config/load.ts';
import * as errors from './errors.ts';
import { ConfigMap, type ConfigMapObject, Deployment } from './kinds.ts';
import { listAll, listPages } from './paging.ts';

const cluster = useControlPlane({});

let config: ClusterConfig;
let client: Client;

beforeAll(async () => {
  const { kubeconfig } = await cluster().serviceAccount(ns, 'limited', { rules });
  config = await loadConfig({ kubeconfig });
  client = connect(config);
});

afterAll(closeAll);

describe('reading and writing', () => {
  test('create, get, update and delete', async () => {
    const created = await client.create(ConfigMap, configMap('crud', { a: '1' }));
    expect(created).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', data: { a: '1' } });
    expect(await client.get(ConfigMap, key('crud'))).toEqual(created);
    const updated = await client.update(ConfigMap, { ...created, data: { a: '2' } });
    expect(updated.data).toEqual({ a: '2' });
    expect(updated.metadata.managedFields?.map((entry) => entry.manager)).toEqual(['client-test']);
    await client.delete(ConfigMap, key('crud'));
    await failure(client.get(ConfigMap, key('crud')), errors.NotFoundError);
  });

  test('a generated name, and a dry run that changes nothing', async () => {
    const { metadata } = await client.create(ConfigMap, {
      metadata: { namespace: ns, generateName: 'gen-' },
    });
    expect(metadata.name).toMatch(/^gen-.{5}$/);
    await client.create(ConfigMap, configMap('dry'), { dryRun: true });
    await failure(client.get(ConfigMap, key('dry')), errors.NotFoundError);
  });

  test('JSON, merge and strategic merge patches', async () => {
    await client.create(Deployment, deployment('patched'));
    const json = await client.patch(Deployment, key('patched'), {
      type: 'json',
      operations: [
        { op: 'test', path: '/spec/replicas', value: 1 },
        { op: 'replace', path: '/spec/replicas', value: 2 },
        { op: 'test', path: '/metadata/annotations', value: null },
        { op: 'add', path: '/metadata/annotations', value: { a: '1' } },
      ],
    });
    expect(json).toMatchObject({ spec: { replicas: 2 }, metadata: { annotations: { a: '1' } } });
    const merged = await client.patch(Deployment, key('patched'), {
      type: 'merge',
      body: { metadata: { annotations: { a: null, b: '2' } } },
    });
    expect(merged.metadata.annotations).toEqual({ b: '2' });
    const containers = [{ name: 'main', env: [{ name: 'A', value: '1' }] }];
    const strategic = await client.patch(Deployment, key('patched'), {
      type: 'strategic',
      body: { spec: { template: { spec: { containers } } } },
    });
    expect(JSON.stringify(strategic.spec)).toContain('"image":"example.test/main"');
  });

  test('server-side apply: own fields, a conflict with another manager, and force', async () => {
    await client.apply(ConfigMap, configMap('applied', { a: '1' }), { fieldManager: 'first' });
    const second = configMap('applied', { a: '2' });
    const conflict = await failure(
      client.apply(ConfigMap, second, { fieldManager: 'second' }),
      errors.ConflictError,
    );
    expect(conflict.hasCause('FieldManagerConflict')).toBe(true);
    expect(conflict.causes[0]?.field).toBe('.data.a');
    const forced = await client.apply(ConfigMap, second, { fieldManager: 'second', force: true });
    expect(forced.data).toEqual({ a: '2' });
    const again = await client.apply(ConfigMap, second, { fieldManager: 'second' });
    expect(again.metadata.resourceVersion).toBe(forced.metadata.resourceVersion);
  });

  test('subresources: scale and status', async () => {
    await client.create(Deployment, deployment('scaled'));
    const scale = await client.get(Deployment, key('scaled'), { subresource: 'scale' });
    expect(scale.kind).toBe('Scale');
    await client.patch(
      Deployment,
      key('scaled'),
      { type: 'merge', body: { spec: { replicas: 3 } } },
      { subresource: 'scale' },
    );
    const status = await client.patch(
      Deployment,
      key('scaled'),
      { type: 'merge', body: { spec: { replicas: 9 }, status: { observedGeneration: 1 } } },
      { subresource: 'status' },
    );
    expect(status).toMatchObject({ spec: { replicas: 3 }, status: { observedGeneration: 1 } });
  });

  test('metadata only: get, list and watch', async () => {
    await client.create(ConfigMap, configMap('partial', { secret: 'payload' }));
    const got = await client.get(ConfigMap, key('partial'), { metadataOnly: true });
    expect(got).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'partial' } });
    const options = { namespace: ns, labelSelector: 'test=partial', metadataOnly: true };
    const { items } = await client.list(ConfigMap, options);
    expect(items).toHaveLength(1);
    for await (const event of await client.watch(ConfigMap, { ...options, resourceVersion: '0' })) {
      expect(JSON.stringify([got, items, event])).not.toContain('payload');
      break;
    }
  });

  test('field validation, and warnings that are logged once', async () => {
    const { logger, messages } = createCapturingLogger();
    const warned = connect(config, { logger });
    const object = { ...configMap('unknown-field'), bogus: 1 };
    const strict = await failure(
      client.create(ConfigMap, object, { fieldValidation: 'Strict' }),
      errors.BadRequestError,
    );
    expect(strict.message).toContain('unknown field "bogus"');
    for (let index = 0; index < 2; index++)
      await warned.create(ConfigMap, object, { fieldValidation: 'Warn', dryRun: true });
    expect(messages('warn')).toEqual(['The API server warns: unknown field "bogus"']);
  });

  test('deletion with preconditions and by collection', async () => {
    const { metadata } = await client.create(ConfigMap, configMap('guarded'));
    const wrongUid = client.delete(ConfigMap, key('guarded'), { preconditions: { uid: 'another' } });
    await failure(wrongUid, errors.ConflictError);
    const wrongVersion = client.delete(ConfigMap, key('guarded'), {
      preconditions: { resourceVersion: '1' },
    });
    await failure(wrongVersion, errors.ConflictError);
    await client.delete(ConfigMap, key('guarded'), { dryRun: true });
    const { uid, resourceVersion } = metadata;
    await client.delete(ConfigMap, key('guarded'), { preconditions: { uid, resourceVersion } });
    for (const name of ['c1', 'c2'])
      await client.create(ConfigMap, { metadata: { ...key(name), labels: { bulk: 'yes' } } });
    await client.deleteCollection(ConfigMap, { namespace: ns, labelSelector: 'bulk=yes' });
    expect((await client.list(ConfigMap, { namespace: ns, labelSelector: 'bulk=yes' })).items).toEqual([]);
  });

  test('propagation: an orphan stays, a foreground deletion waits', async () => {
    const { metadata } = await client.create(Deployment, deployment('owner'));
    await client.delete(Deployment, key('owner'), { propagationPolicy: 'Foreground' });
    const waiting = await client.get(Deployment, key('owner'));
    expect(waiting.metadata.uid).toBe(metadata.uid);
    expect(waiting.metadata.finalizers).toEqual(['foregroundDeletion']);
  });

  test('onWritten is called with stored objects', async () => {
    const seen: string[] = [];
    const observed = connect(config, {
      onWritten: (type, object) => seen.push(`${type.kind} ${object.metadata.name}`),
    });
    const created = await observed.create(ConfigMap, configMap('seen'));
    await observed.create(ConfigMap, configMap('unseen'), { dryRun: true });
    await observed.patch(ConfigMap, key('seen'), { type: 'merge', body: { data: { a: '1' } } });
    await observed.delete(ConfigMap, key('seen'));
    expect(created.metadata.uid).toBeDefined();
    expect(seen).toEqual(['ConfigMap seen', 'ConfigMap seen']);
  });
});

describe('lists', () => {
  beforeAll(async () => {
    await Promise.all(
      Array.from({ length: 25 }, (_, index) =>
        client.create(ConfigMap, {
          metadata: { ...key(`page-${index}`), labels: { paged: 'yes' } },
          data: { text: '"}]{[é😀'.repeat(500) },
        }),
      ),
    );
  });
  const selection = { namespace: ns, labelSelector: 'paged=yes' };

  test('in pages equal the whole, also against kubectl', async () => {
    const sizes: number[] = [];
    for await (const page of listPages(client, ConfigMap, { ...selection, limit: 10 }))
      sizes.push(page.items.length);
    expect(sizes).toEqual([10, 10, 5]);
    const paged = await listAll(client, ConfigMap, { ...selection, limit: 7 });
    const whole = await client.list(ConfigMap, selection);
    expect(paged.items).toEqual(whole.items);
    const args = ['get', 'configmaps', '-n', ns, '-l', 'paged=yes', '-o', 'json', '--show-managed-fields'];
    expect(JSON.parse(await cluster().kubectl(args)).items).toEqual(whole.items);
  });

  test('stream item by item, with the metadata of the list', async () => {
    const names: string[] = [];
    const metadata = await client.listEach(ConfigMap, (item) => names.push(item.metadata.name), {
      ...selection,
      limit: 20,
    });
    expect(names).toHaveLength(20);
    expect(metadata.continue).toBeDefined();
    expect(Number(metadata.resourceVersion)).toBeGreaterThan(0);
  });

  test('a continue token that cannot be read is a BadRequestError', async () => {
    await failure(client.list(ConfigMap, { ...selection, continue: 'nonsense' }), errors.BadRequestError);
  });

  test('at exactly a version, and at one of the future', async () => {
    const { metadata } = await client.list(ConfigMap, selection);
    const version = metadata.resourceVersion ?? '';
    await client.create(ConfigMap, { metadata: { ...key('page-late'), labels: { paged: 'yes' } } });
    const then = await client.list(ConfigMap, {
      ...selection,
      resourceVersion: version,
      resourceVersionMatch: 'Exact',
    });
    expect(then.items).toHaveLength(25);
    const future = client.list(ConfigMap, {
      ...selection,
      resourceVersion: '999999999',
      resourceVersionMatch: 'NotOlderThan',
    });
    expect(errors.isResourceVersionTooLarge(await failure(future, errors.TimeoutError))).toBe(true);
  });
});

describe('watches', () => {
  async function collect(
    options: Parameters<Client['watch']>[1],
    until: (event: WatchEvent<ConfigMapObject>) => boolean,
  ): Promise<WatchEvent<ConfigMapObject>[]> {
    const events: WatchEvent<ConfigMapObject>[] = [];
    for await (const event of await client.watch(ConfigMap, options)) {
      events.push(event);
      if (until(event)) return events;
    }
    return events;
  }

  test('deliver writes in order', async () => {
    const { metadata } = await client.list(ConfigMap, { namespace: ns });
    const options = {
      namespace: ns,
      labelSelector: 'test=watched',
      resourceVersion: metadata.resourceVersion ?? '',
    };
    const watching = collect(options, (event) => event.type === 'DELETED');
    await client.create(ConfigMap, configMap('watched'));
    await client.patch(ConfigMap, key('watched'), { type: 'merge', body: { data: { a: '1' } } });
    await client.delete(ConfigMap, key('watched'));
    expect((await watching).map((event) => event.type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
  });

  test('with initial events end them with a bookmark', async () => {
    await client.create(ConfigMap, configMap('initial'));
    const isServed = await cluster().servesWatchLists();
    const collected = collect(
      { namespace: ns, labelSelector: 'test=initial', sendInitialEvents: true, allowWatchBookmarks: true },
      (event) => event.type === 'BOOKMARK',
    );
    if (!isServed) {
      await failure(collected, errors.InvalidError);
      return;
    }
    const events = await collected;
    expect(events.map((event) => event.type)).toEqual(['ADDED', 'BOOKMARK']);
    expect(events.at(-1)).toMatchObject({ initialEventsEnd: true });
  });

  test('end cleanly at their timeout', async () => {
    const events = await collect(
      { namespace: ns, labelSelector: 'test=nothing', timeoutSeconds: 1 },
      () => false,
    );
    expect(events).toEqual([]);
  });
});
