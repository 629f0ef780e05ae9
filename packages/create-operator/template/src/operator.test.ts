/** The operator on a cluster inside this process. The clock is virtual: an hour takes milliseconds. */
import { type Minicluster, startMinicluster } from '@reloader/minicluster';
import { type Client, createClient, findCondition, kinds } from '@reloader/runtime';
import {
  assertRights,
  eventually,
  installCrd,
  type RunningOperator,
  recordRights,
  runOperator,
  settle,
  VirtualClock,
} from '@reloader/runtime/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { __Kind__Kind } from './kind.ts';
import { __plural__Operator } from './operator.ts';

const key = { namespace: 'default', name: 'sample' };

let clock: VirtualClock;
let cluster: Minicluster;
let client: Client;
let rights: ReturnType<typeof recordRights>;
let running: RunningOperator;

beforeEach(async () => {
  clock = new VirtualClock();
  cluster = await startMinicluster({ clock });
  client = createClient({ transport: cluster.transport(), clock });
  await settle(clock, installCrd(client, __Kind__Kind.crd(), { clock }));
  rights = recordRights(createClient({ transport: cluster.transport(), clock }));
  running = runOperator(__plural__Operator, { client: rights.client, clock });
  await settle(clock, client.create(__Kind__Kind, { metadata: key, spec: { message: 'hello' } }));
});
afterEach(async () => {
  await running.stop();
  await settle(clock, cluster.stop());
});

const isReady = async (): Promise<void> => {
  const { status } = await client.get(__Kind__Kind, key);
  expect(findCondition(status?.conditions, 'Ready')?.status).toBe('True');
};
const holds = async (message: string): Promise<void> => {
  expect((await client.get(kinds.ConfigMap, key)).data).toEqual({ message });
};

test('a __Kind__ has its ConfigMap, and says so', async () => {
  await eventually(clock, isReady);
  await settle(clock, holds('hello'));
  const { status } = await settle(clock, client.get(__Kind__Kind, key));
  expect(status?.configMap).toBe('sample');
});

test('the ConfigMap follows the spec, and comes back when somebody deletes it', async () => {
  await eventually(clock, isReady);
  const patch = { type: 'merge', body: { spec: { message: 'good evening' } } } as const;
  await settle(clock, client.patch(__Kind__Kind, key, patch));
  await eventually(clock, () => holds('good evening'));
  await settle(clock, client.delete(kinds.ConfigMap, key));
  await eventually(clock, () => holds('good evening'));
});

test('it needs no right but those of its rules', async () => {
  await eventually(clock, isReady);
  await clock.advance(60_000);
  assertRights(__plural__Operator.rules(), rights.used);
});
