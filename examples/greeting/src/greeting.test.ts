import { startMinicluster } from '@reloader/minicluster';
import {
  createClient,
  findCondition,
  type KubernetesObject,
  kinds,
  NotFoundError,
  type ResourceType,
} from '@reloader/runtime';
import {
  assertRights,
  eventually,
  installCrd,
  recordRights,
  recordWrites,
  runOperator,
  settle,
  VirtualClock,
} from '@reloader/runtime/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Greeting, greetings } from './operator.ts';

/** Typed as far as this test reads them. */
const Events: ResourceType<KubernetesObject & { reason?: string; message?: string }> = kinds.CoreEvent;
const key = { namespace: 'default', name: 'ada' };

async function start() {
  const clock = new VirtualClock();
  const cluster = await startMinicluster({ clock });
  const client = createClient({ transport: cluster.transport(), clock });
  await settle(clock, installCrd(client, Greeting.crd(), { clock }));
  const writes = recordWrites(client);
  const rights = recordRights(writes.client);
  const running = runOperator(greetings, { client: rights.client, clock });
  const greet = (who: string) => settle(clock, client.create(Greeting, { metadata: key, spec: { who } }));
  const ready = async (status: string): Promise<string | undefined> => {
    const { status: found } = await client.get(Greeting, key);
    const condition = findCondition(found?.conditions, 'Ready');
    expect(condition?.status).toBe(status);
    return condition?.reason;
  };
  return { clock, cluster, client, writes, rights, running, greet, ready };
}

let world: Awaited<ReturnType<typeof start>>;
beforeEach(async () => {
  world = await start();
});
afterEach(async () => {
  await world.running.stop();
  await settle(world.clock, world.cluster.stop());
});

test('a Greeting gets its ConfigMap, and both follow each other', async () => {
  const { clock, client, greet, ready } = world;
  await greet('Ada');
  await eventually(clock, () => ready('True'));
  const { status } = await settle(clock, client.get(Greeting, key));
  expect(status).toMatchObject({ text: 'Hello Ada', phase: 'Ready', observedGeneration: 1 });
  await settle(clock, client.delete(kinds.ConfigMap, key));
  await eventually(clock, async () => {
    expect((await client.get(kinds.ConfigMap, key)).data).toEqual({ text: 'Hello Ada' });
  });
});

test('a configuration error is reported as Stalled', async () => {
  const { clock, client, greet, ready, writes } = world;
  await greet('nobody');
  expect(await eventually(clock, () => ready('False'))).toBe('Configuration');
  const { status } = await settle(clock, client.get(Greeting, key));
  expect(findCondition(status?.conditions, 'Stalled')?.status).toBe('True');
  writes.takeWrites();
  await clock.advance(4 * 60_000);
  expect(writes.takeWrites()).toEqual([]);
});

test('once everything is as specified, nothing more is written', async () => {
  const { clock, greet, ready, writes } = world;
  await greet('Ada');
  await eventually(clock, () => ready('True'));
  await clock.advance(60_000);
  writes.takeWrites();
  await clock.advance(60 * 60_000);
  expect(writes.takeWrites()).toEqual([]);
});

test('goes with a goodbye, and needs no right but those in its rules', async () => {
  const { clock, client, greet, ready, rights } = world;
  await greet('Ada');
  await eventually(clock, () => ready('True'));
  await settle(clock, client.delete(Greeting, key));
  await eventually(clock, () => expect(client.get(Greeting, key)).rejects.toBeInstanceOf(NotFoundError));
  await clock.advance(60_000);
  const { items } = await settle(clock, client.list(Events, { namespace: 'default' }));
  expect(items.map(({ reason, message }) => `${reason}: ${message}`)).toContain('Goodbye: Goodbye Ada');
  assertRights(greetings.rules(), rights.used);
});
