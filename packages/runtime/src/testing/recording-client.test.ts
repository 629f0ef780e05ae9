import { describe, expect, test } from 'vitest';
import type { Client } from '../client/client.ts';
import type { ResourceType } from '../client/resource.ts';
import type { KubernetesObject, ObjectKey } from '../model/types.ts';
import { assertIdempotent, recordWrites } from './recording-client.ts';

interface ConfigMap extends KubernetesObject {
  data?: Record<string, string>;
}

const ConfigMaps: ResourceType<ConfigMap> = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};

/** Records the calls and their arguments, and returns nothing meaningful. */
function fakeClient() {
  const calls: [string, ...unknown[]][] = [];
  const client = new Proxy({} as Client, {
    get:
      (_target, method: string) =>
      async (...args: unknown[]) => {
        calls.push([method, ...args]);
        return { from: method };
      },
  });
  return { client, calls };
}

const key: ObjectKey = { namespace: 'ns', name: 'a' };
const object: ConfigMap = { metadata: { namespace: 'ns', name: 'a' }, data: { k: 'v' } };

describe('a recording client', () => {
  test('writes down writes, with their target, and passes them on', async () => {
    const { client: inner, calls } = fakeClient();
    const { client, writes } = recordWrites(inner);
    const patch = { type: 'merge', body: {} } as const;
    await client.create(ConfigMaps, object);
    await client.create(ConfigMaps, { metadata: { namespace: 'ns', generateName: 'b-' } });
    await client.update(ConfigMaps, object, { dryRun: true });
    await client.patch(ConfigMaps, key, patch, { subresource: 'status' });
    await client.apply(ConfigMaps, object, { force: true });
    await client.delete(ConfigMaps, key);
    await client.deleteCollection(ConfigMaps, { namespace: 'ns' });
    await client.deleteCollection(ConfigMaps);
    await client.raw({ method: 'POST', path: '/x', headers: {} });
    expect(writes.map(({ verb, target }) => `${verb} ${target}`)).toEqual([
      'create configmaps ns/a',
      'create configmaps ns/b-*',
      'update configmaps ns/a',
      'patch configmaps ns/a (status)',
      'apply configmaps ns/a',
      'delete configmaps ns/a',
      'deleteCollection configmaps in ns',
      'deleteCollection configmaps in all namespaces',
      'raw POST /x',
    ]);
    expect(writes.map(({ dryRun }) => dryRun).indexOf(true)).toBe(2);
    expect(writes[3]?.body).toBe(patch);
    expect(calls.map(([method]) => method)).toEqual(writes.map(({ verb }) => verb));
    expect(calls[4]).toEqual(['apply', ConfigMaps, object, { force: true }]);
  });

  test('passes reads on and does not write them down', async () => {
    const { client: inner, calls } = fakeClient();
    const { client, writes } = recordWrites(inner);
    const onItem = (): void => undefined;
    expect(await client.get(ConfigMaps, key, { metadataOnly: true })).toEqual({ from: 'get' });
    await client.list(ConfigMaps, { namespace: 'ns' });
    await client.listEach(ConfigMaps, onItem, { limit: 1 });
    await client.watch(ConfigMaps, { resourceVersion: '1' });
    await client.raw({ method: 'GET', path: '/version', headers: {} });
    await client.close();
    expect(writes).toEqual([]);
    expect(calls).toEqual([
      ['get', ConfigMaps, key, { metadataOnly: true }],
      ['list', ConfigMaps, { namespace: 'ns' }],
      ['listEach', ConfigMaps, onItem, { limit: 1 }],
      ['watch', ConfigMaps, { resourceVersion: '1' }],
      ['raw', { method: 'GET', path: '/version', headers: {} }],
      ['close'],
    ]);
  });

  test('begins anew after its writes were taken', async () => {
    const { client, writes, takeWrites } = recordWrites(fakeClient().client);
    await client.delete(ConfigMaps, key);
    expect(takeWrites()).toHaveLength(1);
    expect(writes).toEqual([]);
  });
});

describe('idempotence', () => {
  test('holds when the second run writes nothing; the first is shown', async () => {
    const { client: inner } = fakeClient();
    let done = false;
    const first = await assertIdempotent(inner, async (client) => {
      if (!done) await client.create(ConfigMaps, object);
      await client.update(ConfigMaps, object, { dryRun: true });
      done = true;
    });
    expect(first.map(({ verb }) => verb)).toEqual(['create', 'update']);
  });

  test('does not when it writes, and the error says what', async () => {
    const run = assertIdempotent(fakeClient().client, (client) => client.apply(ConfigMaps, object));
    await expect(run).rejects.toThrow(
      /the second run wrote 1 time.*\n {2}apply configmaps ns\/a \{"metadata".*"data":\{"k":"v"\}\}/,
    );
  });

  test('cuts long bodies short', async () => {
    const long = { ...object, data: { k: 'x'.repeat(5000) } };
    const run = assertIdempotent(fakeClient().client, (client) => client.apply(ConfigMaps, long));
    await expect(run).rejects.toSatisfy((error) => (error as Error).message.length < 500);
  });
});
