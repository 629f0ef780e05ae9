import { startMinicluster } from '@reloader/minicluster';
import { createClient, findCondition, kinds, NotFoundError } from '@reloader/runtime';
import {
  assertRights,
  eventually,
  forEachSeed,
  installCrd,
  type Random,
  recordRights,
  recordWrites,
  runOperator,
  settle,
  VirtualClock,
} from '@reloader/runtime/testing';
import { describe, expect, test, vi } from 'vitest';
import type { Database, DatabaseServer } from './database-server.ts';
import { DatabaseClaims, databaseClaims } from './operator.ts';

// Five clusters in a row take their time on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const key = { namespace: 'default', name: 'shop' };

/** In memory. Creating a database takes a moment; with `faults`, requests are lost before or after they took effect. */
class MemoryServer implements DatabaseServer {
  readonly databases = new Map<string, Database>();
  readonly passwords = new Map<string, string>();
  readonly faults: Random | undefined;

  constructor(faults?: Random) {
    this.faults = faults;
  }

  async find(name: string): Promise<Database | undefined> {
    this.#mayFail();
    return this.databases.get(name);
  }

  async create(name: string, owner: string): Promise<Database> {
    this.#mayFail();
    const made: Database = { name, owner, state: 'creating', address: 'db.example:5432' };
    this.databases.set(name, made);
    this.#mayFail();
    return made;
  }

  async setPassword(name: string, password: string): Promise<void> {
    this.#mayFail();
    this.passwords.set(name, password);
    this.#mayFail();
  }

  async drop(name: string): Promise<void> {
    this.#mayFail();
    this.databases.delete(name);
    this.#mayFail();
  }

  finish(): void {
    for (const [name, database] of this.databases) this.databases.set(name, { ...database, state: 'ready' });
  }

  #mayFail(): void {
    if (this.faults?.chance(0.3)) throw new Error('the database server did not answer');
  }
}

async function start(server = new MemoryServer()) {
  const clock = new VirtualClock();
  const cluster = await startMinicluster({ clock, seed: 1 });
  const client = createClient({ transport: cluster.transport(), clock });
  await settle(clock, installCrd(client, DatabaseClaims.crd(), { clock }));
  const writes = recordWrites(client);
  const rights = recordRights(writes.client);
  const operator = databaseClaims(server);
  const running = runOperator(operator, { client: rights.client, clock });
  const claim = (onDelete: 'drop' | 'keep' = 'drop') =>
    settle(clock, client.create(DatabaseClaims, { metadata: key, spec: { database: 'shop', onDelete } }));
  const ready = async (): Promise<string> => {
    const { status } = await client.get(DatabaseClaims, key);
    const condition = findCondition(status?.conditions, 'Ready');
    return `${condition?.status} ${condition?.reason}`;
  };
  const isReady = async (): Promise<void> => expect(await ready()).toBe('True Reconciled');
  const isGone = (): Promise<void> =>
    expect(client.get(DatabaseClaims, key)).rejects.toBeInstanceOf(NotFoundError);
  const end = async (): Promise<void> => {
    await running.stop();
    await settle(clock, cluster.stop());
  };
  return { clock, client, server, operator, writes, rights, claim, ready, isReady, isGone, end };
}

describe('A DatabaseClaim', () => {
  test('waits for its database, then has a Secret that opens it', async () => {
    const { clock, client, server, claim, ready, isReady, end } = await start();
    await claim();
    await eventually(clock, async () => expect(await ready()).toBe('Unknown Creating'));
    server.finish();
    await eventually(clock, isReady);
    const { data } = await settle(clock, client.get(kinds.Secret, key));
    expect(Buffer.from(data?.password ?? '', 'base64').toString()).toBe(server.passwords.get('shop'));
    await end();
  });

  test('creates a dropped database again within a minute', async () => {
    const { clock, server, claim, isReady, end } = await start();
    await claim();
    await clock.advance(1_000);
    server.finish();
    await eventually(clock, isReady);
    server.databases.clear();
    await clock.advance(61_000);
    expect([...server.databases.keys()]).toEqual(['shop']);
    await end();
  });

  test.each([
    ['drop', []],
    ['keep', ['shop']],
  ] as const)('that goes with onDelete: %s leaves %j', async (onDelete, left) => {
    const { clock, client, server, claim, isReady, isGone, operator, rights, end } = await start();
    await claim(onDelete);
    await clock.advance(1_000);
    server.finish();
    await eventually(clock, isReady);
    await settle(clock, client.delete(DatabaseClaims, key));
    await eventually(clock, isGone);
    expect([...server.databases.keys()]).toEqual(left);
    assertRights(operator.rules(), rights.used);
    await end();
  });

  test('does not touch the database of somebody else, and says so', async () => {
    const { clock, client, server, claim, ready, isGone, end } = await start();
    server.databases.set('shop', { name: 'shop', owner: 'other', state: 'ready', address: 'x' });
    await claim();
    await eventually(clock, async () => expect(await ready()).toBe('False NameTaken'));
    await settle(clock, client.delete(DatabaseClaims, key));
    await eventually(clock, isGone);
    expect(server.databases.get('shop')?.owner).toBe('other');
    await end();
  });

  test('cannot be renamed: the API server refuses it', async () => {
    const { clock, client, claim, end } = await start();
    await claim();
    const body = { spec: { database: 'other' } };
    await expect(settle(clock, client.patch(DatabaseClaims, key, { type: 'merge', body }))).rejects.toThrow(
      'database cannot be changed',
    );
    await end();
  });

  test('with lost requests it still becomes Ready, is deleted, and writes nothing in between', async () => {
    await forEachSeed({ count: 5 }, async (random) => {
      const world = await start(new MemoryServer(random));
      const { clock, client, server, claim, isReady, isGone, writes } = world;
      await claim();
      await eventually(clock, async () => {
        server.finish();
        await isReady();
      });
      const { data } = await settle(clock, client.get(kinds.Secret, key));
      expect(Buffer.from(data?.password ?? '', 'base64').toString()).toBe(server.passwords.get('shop'));
      await clock.advance(120_000);
      writes.takeWrites();
      const failures = () => writes.takeWrites().filter(({ target }) => target.startsWith('secrets'));
      await clock.advance(600_000);
      expect(failures()).toEqual([]);
      await settle(clock, client.delete(DatabaseClaims, key));
      await eventually(clock, isGone);
      expect(server.databases.size).toBe(0);
      await world.end();
    });
  });
});
