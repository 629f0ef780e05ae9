import { expect, test } from 'vitest';
import type { ResourceType } from '../client/resource.ts';
import type { KubernetesObject, ManagedFieldsEntry } from '../model/types.ts';
import { applyIfChanged } from './apply.ts';
import { MemoryClient } from './memory-client.test.support.ts';

interface ConfigMap extends KubernetesObject {
  data?: Record<string, string>;
}
const CONFIG_MAPS: ResourceType<ConfigMap> = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};
const KEY = { namespace: 'default', name: 'web' };
const OURS: ManagedFieldsEntry = {
  manager: 'me',
  operation: 'Apply',
  apiVersion: 'v1',
  fieldsV1: { 'f:data': { 'f:a': {} } },
};
const intent = (data: Record<string, string>): ConfigMap => ({ metadata: { ...KEY }, data });

function setUp(managedFields?: ManagedFieldsEntry[]) {
  const server = new MemoryClient();
  const live = server.seed(CONFIG_MAPS, {
    metadata: { ...KEY, ...(managedFields && { managedFields }) },
    data: { a: '1', b: 'theirs' },
  });
  return { server, live };
}

test('a cached object that holds our fields costs no request at all', async () => {
  const { server, live } = setUp([OURS]);
  const result = await applyIfChanged(server, CONFIG_MAPS, intent({ a: '1' }), { fieldManager: 'me', live });
  expect(result).toEqual({ operation: 'none', object: live });
  expect(server.requests).toEqual([]);
});

test('without a cached object it costs one read', async () => {
  const { server } = setUp([OURS]);
  const result = await applyIfChanged(server, CONFIG_MAPS, intent({ a: '1' }), { fieldManager: 'me' });
  expect(result.operation).toBe('none');
  expect(server.verbs()).toEqual(['get']);
});

test('a change is applied, by force unless told otherwise', async () => {
  const { server, live } = setUp([OURS]);
  const seen: unknown[] = [];
  const apply = server.apply.bind(server);
  server.apply = (type, object, options) => {
    seen.push(options);
    return apply(type, object, options);
  };
  const result = await applyIfChanged(server, CONFIG_MAPS, intent({ a: '2' }), { fieldManager: 'me', live });
  expect(result.operation).toBe('applied');
  expect(result.object.data?.a).toBe('2');
  await applyIfChanged(server, CONFIG_MAPS, intent({ a: '3' }), { fieldManager: 'me', live, force: false });
  expect(seen).toEqual([
    { fieldManager: 'me', force: true },
    { fieldManager: 'me', force: false },
  ]);
  expect(server.requests[0]?.body).toEqual({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: KEY,
    data: { a: '2' },
  });
});

test('what does not exist is created by applying it', async () => {
  const server = new MemoryClient();
  const result = await applyIfChanged(server, CONFIG_MAPS, intent({ a: '1' }), { fieldManager: 'me' });
  expect(result.operation).toBe('created');
  expect(server.verbs()).toEqual(['get', 'apply']);
});

test('a cache that says "none" saves the read', async () => {
  const server = new MemoryClient();
  await applyIfChanged(server, CONFIG_MAPS, intent({ a: '1' }), { fieldManager: 'me', live: null });
  expect(server.verbs()).toEqual(['apply']);
});

test('where the ownership leaves a doubt, one apply is sent and its answer remembered', async () => {
  const { server, live } = setUp();
  const run = (data: Record<string, string>) =>
    applyIfChanged(server, CONFIG_MAPS, intent(data), {
      fieldManager: 'me',
      live: server.peek(CONFIG_MAPS, KEY) ?? live,
    });
  expect((await run({ a: '1' })).operation).toBe('none');
  expect((await run({ a: '1' })).operation).toBe('none');
  expect(server.verbs()).toEqual(['apply']);
  expect((await run({ a: '2' })).operation).toBe('applied');
  expect((await run({ a: '2' })).operation).toBe('none');
  expect(server.verbs()).toEqual(['apply', 'apply']);
});

test('a remembered answer ends when another manager changes our fields', async () => {
  const { server, live } = setUp();
  const run = () =>
    applyIfChanged(server, CONFIG_MAPS, intent({ a: '1' }), {
      fieldManager: 'me',
      live: server.peek(CONFIG_MAPS, KEY) ?? live,
    });
  await run();
  server.edit(CONFIG_MAPS, KEY, (object) => {
    object.data = { a: 'drifted' };
  });
  expect((await run()).operation).toBe('applied');
  expect(server.peek(CONFIG_MAPS, KEY)?.data?.a).toBe('1');
});

test('a remembered answer survives writes to other fields, but not to ours', async () => {
  // The server stores another form of our value, so field ownership alone cannot tell.
  const { server, live } = setUp([OURS]);
  const run = () =>
    applyIfChanged(server, CONFIG_MAPS, intent({ a: '1000m' }), {
      fieldManager: 'me',
      live: server.peek(CONFIG_MAPS, KEY) ?? live,
    });
  server.apply = (async () => {
    server.requests.push({ verb: 'apply', resource: 'configmaps', key: KEY });
    return server.peek(CONFIG_MAPS, KEY);
  }) as unknown as typeof server.apply;
  await run();
  server.edit(CONFIG_MAPS, KEY, (object) =>
    Object.assign(object, { status: { seen: true }, data: { a: '1', b: 'new' } }),
  );
  await run();
  expect(server.verbs()).toEqual(['apply']);
  server.edit(CONFIG_MAPS, KEY, (object) => {
    object.data = { a: '2' };
  });
  await run();
  expect(server.verbs()).toEqual(['apply', 'apply']);
});

test('two managers do not share what is remembered', async () => {
  const { server, live } = setUp();
  await applyIfChanged(server, CONFIG_MAPS, intent({ a: '1' }), { fieldManager: 'me', live });
  await applyIfChanged(server, CONFIG_MAPS, intent({ a: '1' }), { fieldManager: 'other', live });
  expect(server.verbs()).toEqual(['apply', 'apply']);
});
