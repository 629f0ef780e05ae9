/** Objects with every field that this package reads are the same as protobuf and as JSON. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useControlPlane } from '../../../../../test/control-plane/vitest.ts';
import { createInformer } from '../../cache/create-informer.ts';
import type { KubernetesObject, ObjectMeta } from '../../model/types.ts';
import type { Client, WatchEvent } from '../client.ts';
import { loadConfig } from '../config/load.ts';
import { createClient } from '../create-client.ts';
import { ForbiddenError, InvalidError } from '../errors.ts';
import { ConfigMap, Secret } from '../kinds.ts';
import { ConfigMapsInBytes, SecretsInBytes, type SourceBytes } from './objects.ts';

const cluster = useControlPlane({});
const namespace = 'protobuf';
let client: Client;

const TEXTS = ['', 'plain', 'ключ-😀', 'a\u0000b\u2028', `"\\\n${'x'.repeat(70_000)}`];
const metadata: ObjectMeta = {
  namespace,
  labels: { app: 'shop', empty: '' },
  annotations: Object.fromEntries(TEXTS.map((text, index) => [`note-${index}`, text])),
  finalizers: ['example.com/one', 'example.com/two'],
  ownerReferences: [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: 'owner',
      uid: '00000000-0000-0000-0000-000000000001',
      controller: true,
      blockOwnerDeletion: false,
    },
  ],
};
const bytes = Buffer.from(Array.from({ length: 512 }, (_, index) => index % 256)).toString('base64');

beforeAll(async () => {
  client = createClient({
    config: await loadConfig({ kubeconfig: cluster().kubeconfig }),
    fieldManager: 'protobuf-test',
  });
  await cluster().kubectl(['create', 'namespace', namespace]);
  const data = Object.fromEntries(TEXTS.map((text, index) => [`key-${index}`, text]));
  const inBase64 = Object.fromEntries(
    Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
  );
  await client.create(Secret, { metadata: { ...metadata, name: 'full' }, data: { ...inBase64, bytes } });
  await client.create(Secret, { metadata: { namespace, name: 'empty' }, type: 'example.com/own' });
  await client.create(Secret, { metadata: { namespace, name: 'fixed' }, immutable: true });
  await client.create(ConfigMap, {
    metadata: { ...metadata, name: 'full' },
    data,
    binaryData: { bytes },
    immutable: true,
  });
  await client.create(ConfigMap, { metadata: { namespace, name: 'empty' } });
  // Stays, because of its finalizers, with the time of its deletion.
  await client.delete(ConfigMap, { namespace, name: 'full' });
});
afterAll(() => client?.close());

/** Valid until the next object is read, so it is done at once. */
function inText<T extends KubernetesObject>(object: T): unknown {
  const { data, binaryData, ...rest } = object as T & Record<string, Record<string, SourceBytes> | undefined>;
  const texts = (
    values: Readonly<Record<string, SourceBytes>>,
    encoding: 'utf8' | 'base64',
  ): Record<string, string> =>
    Object.fromEntries(
      Object.entries(values).map(([key, value]) => [
        key,
        typeof value === 'string' ? value : Buffer.from(value).toString(encoding),
      ]),
    );
  return {
    ...rest,
    ...(data && { data: texts(data, object.kind === 'Secret' ? 'base64' : 'utf8') }),
    ...(binaryData && { binaryData: texts(binaryData, 'base64') }),
  };
}

/** Values were asked for, and came as bytes. */
function isBytes(object: KubernetesObject): boolean {
  const { data = {} } = object as { data?: Record<string, SourceBytes> };
  return Object.values(data).every((value) => value instanceof Uint8Array);
}

const CASES = [
  ['Secrets', Secret, SecretsInBytes],
  ['ConfigMaps', ConfigMap, ConfigMapsInBytes],
] as const;

test.each(CASES)('lists of %s', async (_, json, binary) => {
  const { items } = await client.list(json, { namespace });
  const read: unknown[] = [];
  const meta = await client.listEach(
    binary,
    (item) => {
      expect(isBytes(item)).toBe(true);
      read.push(inText(item));
    },
    { namespace },
  );
  expect(meta.resourceVersion).toMatch(/^\d+$/);
  expect(read).toEqual(items);
  expect(read.length).toBeGreaterThanOrEqual(2);
});

test('pages of lists', async () => {
  const names: string[] = [];
  const page = (options: object) =>
    client.listEach(SecretsInBytes, (item) => names.push(item.metadata.name), { namespace, ...options });
  const first = await page({ limit: 1 });
  expect(names).toEqual(['empty']);
  expect(first).toMatchObject({ continue: expect.any(String), remainingItemCount: 2 });
  await page({ continue: first.continue });
  expect(names).toEqual(['empty', 'fixed', 'full']);
});

test.each(CASES)(
  'watches of %s, from the first object to a change and a deletion',
  async (_, json, binary) => {
    const { metadata: start } = await client.list(json, { namespace });
    const resourceVersion = start.resourceVersion ?? '';
    const name = 'followed';
    await client.create(json as typeof ConfigMap, {
      metadata: { namespace, name },
      data: { key: 'dmFsdWU=' },
    });
    await client.patch(json, { namespace, name }, { type: 'merge', body: { data: { other: 'b3RoZXI=' } } });
    await client.delete(json, { namespace, name });
    const collected = async (type: typeof json | typeof binary): Promise<unknown[]> => {
      const events: unknown[] = [];
      const watch = await client.watch(type, { namespace, resourceVersion, timeoutSeconds: 10 });
      for await (const event of watch as AsyncIterable<WatchEvent<KubernetesObject>>) {
        if (event.type === 'BOOKMARK') continue;
        events.push({ type: event.type, object: inText(event.object) });
        if (event.type === 'DELETED') break;
      }
      return events;
    };
    const events = await collected(binary);
    expect(events).toEqual(await collected(json));
    expect(events.map((event) => (event as { type: string }).type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
  },
);

test('errors keep their meaning', async () => {
  const { kubeconfig } = await cluster().serviceAccount(namespace, 'nobody');
  const nobody = createClient({ config: await loadConfig({ kubeconfig }) });
  try {
    const forbidden = nobody.listEach(SecretsInBytes, () => undefined, { namespace });
    await expect(forbidden).rejects.toThrow(ForbiddenError);
    await expect(forbidden).rejects.toThrow(/cannot list resource "secrets" in API group ""/);
  } finally {
    await nobody.close();
  }
  const unknown = client.listEach(SecretsInBytes, () => undefined, {
    namespace,
    fieldSelector: 'spec.nothing=a',
  });
  await expect(unknown).rejects.toThrow(/field label not supported/);
  const invalid = client.watch(SecretsInBytes, {
    sendInitialEvents: true,
    resourceVersionMatch: 'Exact' as never,
  });
  await expect(invalid).rejects.toThrow(InvalidError);
});

test('a cache of whole Secrets keeps their values, also of those that arrive in pieces', async () => {
  const informer = createInformer({ client, type: SecretsInBytes, namespace });
  const stop = new AbortController();
  const running = informer.run(stop.signal);
  await informer.whenSynced();
  const kept = informer.store.get({ namespace, name: 'full' });
  const { data } = await client.get(Secret, { namespace, name: 'full' });
  expect(kept?.data).toEqual(data);
  stop.abort();
  await running;
});
