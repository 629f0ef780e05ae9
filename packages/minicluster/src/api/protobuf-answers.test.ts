/** Answers in protobuf, read by the client of the runtime, whose decoder shares no code with this server. */
import { type Client, createClient, kinds, NotFoundError, SecretsInBytes } from '@reloader/runtime';
import { beforeEach, expect, test } from 'vitest';
import { decodeProtobuf } from '../wire/protobuf.ts';
import { type TestCluster, testCluster } from './cluster.test.helper.ts';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const SECRETS = '/api/v1/namespaces/default/secrets';

let t: TestCluster;
let client: Client;
beforeEach(async () => {
  t = await testCluster();
  client = createClient({ transport: t.cluster.transport(), clock: t.clock });
  for (const name of ['one', 'two'])
    await t.send('POST', SECRETS, {
      metadata: { name },
      data: { key: Buffer.from(name).toString('base64') },
    });
});

async function raw(path: string, accept: string): Promise<{ status: number; type: string; bytes: Buffer }> {
  const answer = await t.cluster.transport().request({ method: 'GET', path, headers: { accept } });
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.body) chunks.push(chunk);
  return { status: answer.status, type: answer.headers['content-type'] ?? '', bytes: Buffer.concat(chunks) };
}

test('an object is the same as in JSON', async () => {
  const { type, bytes } = await raw(`${SECRETS}/one`, PROTOBUF);
  expect(type).toBe(PROTOBUF);
  expect(decodeProtobuf(bytes)).toMatchObject((await t.send('GET', `${SECRETS}/one`)).body);
});

test('a list has all items, its version, and pages', async () => {
  const values: string[] = [];
  const read = { namespace: 'default', limit: 1 };
  const first = await client.listEach(SecretsInBytes, ({ data }) => values.push(String(data?.key)), read);
  expect(first).toMatchObject({ remainingItemCount: 1, resourceVersion: expect.stringMatching(/^\d+$/) });
  const rest = { ...read, continue: first.continue as string };
  await client.listEach(SecretsInBytes, ({ data }) => values.push(String(data?.key)), rest);
  expect(values).toEqual(['one', 'two']);
});

test('a watch has its initial events, a bookmark, and changes', async () => {
  const stream = await client.watch(SecretsInBytes, {
    namespace: 'default',
    sendInitialEvents: true,
    allowWatchBookmarks: true,
  });
  const seen: string[] = [];
  for await (const event of stream) {
    if (event.type !== 'BOOKMARK') seen.push(`${event.type} ${event.object.metadata.name}`);
    else if (event.initialEventsEnd) {
      seen.push('END');
      await client.delete(kinds.Secret, { namespace: 'default', name: 'one' });
    }
    if (event.type === 'DELETED') break;
  }
  expect(seen).toEqual(['ADDED one', 'ADDED two', 'END', 'DELETED one']);
});

test('errors of a request and of a watch are protobuf, too', async () => {
  const { status, type, bytes } = await raw(`${SECRETS}/none`, `${PROTOBUF},application/json`);
  expect([status, type]).toEqual([404, PROTOBUF]);
  expect(bytes.toString('latin1')).toContain('secrets "none" not found');
  const initial = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
  const inFuture = raw(`${SECRETS}?watch=1&${initial}&resourceVersion=999999999`, PROTOBUF);
  await t.clock.advance(10_000);
  const frame = await inFuture;
  expect([frame.status, frame.type]).toEqual([200, `${PROTOBUF};stream=watch`]);
  expect(frame.bytes.readUInt32BE(0)).toBe(frame.bytes.length - 4);
  await expect(client.get(kinds.Secret, { namespace: 'default', name: 'none' })).rejects.toThrow(
    NotFoundError,
  );
});
