/** The programs of docs/operator-guides.md: each does what the page says. */
import { startMinicluster } from '@reloader/minicluster';
import {
  applyIfChanged,
  type Client,
  createClient,
  kinds,
  type ObjectKey,
  type ObjectOf,
  type Operator,
  operator,
  sleep,
} from '@reloader/runtime';
import { defineKind, Type } from '@reloader/runtime/kind';
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
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const Backups = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Backup',
  description: 'Copies a database somewhere safe.',
  spec: Type.Object({ database: Type.String() }),
});
type Backup = ObjectOf<typeof Backups>;

let clock: VirtualClock;
let client: Client;
let ends: (() => Promise<unknown>)[];

beforeEach(async () => {
  clock = new VirtualClock();
  const cluster = await startMinicluster({ clock, seed: 1 });
  client = createClient({ transport: cluster.transport(), clock });
  ends = [() => settle(clock, cluster.stop())];
  await settle(clock, installCrd(client, Backups.crd(), { clock }));
});
afterEach(async () => {
  for (const end of ends) await end();
});

function run(declared: Operator) {
  const running = runOperator(declared, { client, clock });
  ends.unshift(() => running.stop());
  return running;
}

const key = (name: string): ObjectKey => ({ namespace: 'default', name });
const create = (name: string, database = name): Promise<unknown> =>
  settle(clock, client.create(Backups, { metadata: key(name), spec: { database } }));
const change = (name: string, database: string): Promise<unknown> =>
  settle(clock, client.patch(Backups, key(name), { type: 'merge', body: { spec: { database } } }));

describe('limits', () => {
  test('a start limit delays and drops nothing', async () => {
    const starts: number[] = [];
    const began = clock.now();
    const copy = async (): Promise<void> => void starts.push(clock.now() - began);

    const backups = operator(Backups, {
      // However often the object is edited: at most two copies of one database in ten minutes.
      queue: { startLimit: { count: 2, withinMs: 600_000 } },
      resyncMs: 0,
    }).reconcile(async () => copy());

    run(backups);
    await create('shop');
    for (const database of ['a', 'b', 'c', 'd']) {
      await change('shop', database);
      await clock.advance(1_000);
    }
    await clock.advance(1_800_000);
    expect(starts).toHaveLength(3);
    expect(starts[2]).toBeGreaterThanOrEqual(600_000);
  });

  test('debouncing waits for quiet, up to a maximum', async () => {
    const seen: string[] = [];
    const copy = async (database: string): Promise<void> => void seen.push(database);

    const backups = operator(Backups, {
      // Five seconds without a change, or half a minute after the first.
      queue: { debounce: { quietMs: 5_000, maxWaitMs: 30_000 } },
      resyncMs: 0,
    }).reconcile(async ({ object }) => copy(object.spec.database));

    run(backups);
    await create('shop', 'v0');
    for (let edit = 1; edit <= 12; edit++) {
      await change('shop', `v${edit}`);
      await clock.advance(4_000);
    }
    await clock.advance(60_000);
    expect(seen.length).toBe(2);
    expect(seen.at(-1)).toBe('v12');
  });
});

test('inspect tells what runs, what waits and what failed', async () => {
  const backups = operator(Backups).reconcile(async ({ object, signal, clock }) => {
    if (object.spec.database === 'broken') throw new Error('the disk is full');
    await sleep(clock, 30_000, signal);
  });

  const { controller } = run(backups);
  await create('fine');
  await create('broken');
  await clock.advance(10_000);
  const byName = new Map(controller.inspect().map((report) => [report.key, report]));
  expect(byName.get('default/fine')).toMatchObject({ state: 'processing', failures: 0 });
  expect(byName.get('default/broken')).toMatchObject({
    state: 'waiting',
    lastError: 'Error: the disk is full',
  });
  expect(byName.get('default/broken')?.failures).toBeGreaterThan(5);
});

test('after its last attempt an object waits for its next event', async () => {
  const told: string[] = [];
  const page = async (text: string): Promise<void> => void told.push(text);
  let tries = 0;
  const copy = async (): Promise<void> => {
    tries += 1;
    throw new Error('no route to the server');
  };

  const backups = operator(Backups, { maxRetries: 3 }).reconcile(async ({ object, isLastAttempt }) => {
    try {
      await copy();
    } catch (error) {
      if (isLastAttempt) await page(`${object.metadata.name}: ${(error as Error).message}`);
      throw error;
    }
  });

  const { controller } = run(backups);
  await create('shop');
  await clock.advance(3_600_000);
  expect(tries).toBe(4);
  expect(told).toEqual(['shop: no route to the server']);
  expect(controller.inspect()).toMatchObject([{ key: 'default/shop', state: 'idle' }]);
  await change('shop', 'other');
  await clock.advance(1_000);
  expect(tries).toBeGreaterThan(4);
});

test('a waiting pass ends when a newer event arrives', async () => {
  const begun: string[] = [];
  const startCopy = async ({ spec }: Pick<Backup, 'spec'>): Promise<void> => void begun.push(spec.database);

  const backups = operator(Backups, { timeoutMs: 3_600_000 }).reconcile(
    async ({ object, signal, superseded, clock }) => {
      await startCopy(object);
      // An hour, unless the pass is cancelled, or the object changes meanwhile.
      await sleep(clock, 3_000_000, AbortSignal.any([signal, superseded]));
    },
  );

  run(backups);
  await create('shop', 'old');
  await clock.advance(60_000);
  await change('shop', 'new');
  await eventually(clock, () => expect(begun).toEqual(['old', 'new']), { withinMs: 5_000 });
  const { status } = await settle(clock, client.get(Backups, key('shop')));
  // Starting again is not a failure of the object: nothing is reported.
  expect(JSON.stringify(status ?? {})).not.toContain('Superseded');
});

test('a label on an object of others is applied once, and nothing else of it is touched', async () => {
  const backups = operator(Backups)
    .watches(kinds.Namespace, () => [])
    .needs(kinds.Namespace, 'patch')
    .reconcile(async ({ key, client, cached, signal }) => {
      const { namespace: name = '' } = key;
      const live = cached(kinds.Namespace, { name }) ?? null;
      const intent = { metadata: { name, labels: { 'example.com/backups': 'yes' } } };
      await applyIfChanged(client, kinds.Namespace, intent, { fieldManager: 'backups', live, signal });
    });

  const writes = recordWrites(client);
  const rights = recordRights(writes.client);
  const running = runOperator(backups, { client: rights.client, clock });
  ends.unshift(() => running.stop());
  await create('shop');
  const labels = async () => (await client.get(kinds.Namespace, { name: 'default' })).metadata.labels;
  await eventually(clock, async () => expect(await labels()).toMatchObject({ 'example.com/backups': 'yes' }));
  await clock.advance(60_000);
  writes.takeWrites();
  await change('shop', 'other');
  await clock.advance(3_600_000);
  expect(writes.takeWrites().filter(({ target }) => target.startsWith('namespaces'))).toEqual([]);
  assertRights(backups.rules(), rights.used);
});
