import { afterEach, describe, expect, it } from 'vitest';
import type { Client, DeleteOptions, PatchOptions, WriteOptions } from '../client/client.ts';
import { apiErrorFrom, ConnectionError } from '../client/errors.ts';
import type { Stored } from '../model/types.ts';
import { ITEMS, type Item } from '../reflector/fake-server.test.support.ts';
import { A, hold, type Setting, startOverlay, stopOverlays } from './overlay.test.support.ts';
import { trackWrites } from './tracked-client.ts';
import { WriteTracker } from './write-tracker.ts';

afterEach(stopOverlays);

interface TrackedSetting extends Setting {
  readonly tracker: WriteTracker;
  readonly client: Client;
  /** The outcome of the next write instead of an answer. */
  readonly fail: (error: Error) => void;
  readonly calls: string[];
}

/** A client whose writes go to the fake server. */
async function start(): Promise<TrackedSetting> {
  const setting = await startOverlay();
  const { server, overlay } = setting;
  let failure: Error | undefined;
  const calls: string[] = [];
  const write = async (verb: string, options?: WriteOptions | DeleteOptions): Promise<Stored<Item>> => {
    calls.push(verb);
    if (failure) throw failure;
    const dry = server.objects().get('ns/a') as Stored<Item>;
    hold(server);
    const written = options?.dryRun || verb === 'delete' ? dry : server.put('ns/a', verb);
    if (verb === 'delete') server.remove('ns/a');
    hold(server);
    return written;
  };
  const plain = {
    create: (_: unknown, __: unknown, options?: WriteOptions) => write('create', options),
    update: (_: unknown, __: unknown, options?: WriteOptions) => write('update', options),
    patch: (_: unknown, __: unknown, ___: unknown, options?: PatchOptions) => write('patch', options),
    apply: (_: unknown, __: unknown, options?: PatchOptions) => write('apply', options),
    delete: async (_: unknown, __: unknown, options?: DeleteOptions) => void (await write('delete', options)),
    get: async () => calls.push('get'),
    list: async () => calls.push('list'),
    listEach: async () => calls.push('listEach'),
    watch: async () => calls.push('watch'),
    deleteCollection: async () => calls.push('deleteCollection'),
    raw: async () => calls.push('raw'),
    close: async () => calls.push('close'),
  } as unknown as Client;
  const tracker = new WriteTracker();
  tracker.attach(overlay);
  const fail = (error: Error): void => {
    failure = error;
  };
  return { ...setting, tracker, client: trackWrites(plain, tracker, 'me'), fail, calls };
}

const item: Item = { metadata: { namespace: 'ns', name: 'a' } };
const writes: readonly [string, (client: Client, options?: WriteOptions) => Promise<unknown>][] = [
  ['create', (client, options) => client.create(ITEMS, item, options)],
  ['update', (client, options) => client.update(ITEMS, item, options)],
  ['patch', (client, options) => client.patch(ITEMS, A, { type: 'merge', body: {} }, options)],
  ['apply', (client, options) => client.apply(ITEMS, item, options)],
];

describe('A client that tracks its writes', () => {
  it.each(writes)('shows the result of a %s in the cache at once', async (verb, write) => {
    const { client, overlay, tracker } = await start();
    await write(client);
    expect(overlay.store.get(A)?.data?.value).toBe(verb);
    expect(overlay.pending).toBe(1);
    const object = overlay.store.get(A) as Stored<Item>;
    const event = { type: 'update', old: object, object, resync: false } as const;
    expect(tracker.isOwnWrite(ITEMS, event, 'me')).toBe(true);
    expect(tracker.isOwnWrite(ITEMS, event, 'somebody else')).toBe(false);
  });

  it.each(writes)('does not track a dry run of a %s', async (_, write) => {
    const { client, overlay } = await start();
    await write(client, { dryRun: true });
    expect(overlay.pending).toBe(0);
  });

  it.each(writes)('tracks a %s of the status, and of no other subresource', async (_, write) => {
    const { client, overlay } = await start();
    await write(client, { subresource: 'scale' });
    expect(overlay.pending).toBe(0);
    await write(client, { subresource: 'status' });
    expect(overlay.pending).toBe(1);
  });

  it.each(writes)('does not trust the cache when the outcome of a %s is unknown', async (_, write) => {
    const { client, tracker, fail } = await start();
    fail(new ConnectionError('reset'));
    await expect(write(client)).rejects.toThrow('reset');
    await expect(tracker.waitFor(ITEMS, A)).resolves.toBe('timeout');
  });

  it.each([
    [409, 'Conflict', 'caught-up'],
    [422, 'Invalid', 'caught-up'],
    [500, 'InternalError', 'caught-up'],
    [504, 'Timeout', 'timeout'],
    [500, 'ServerTimeout', 'timeout'],
  ] as const)('knows what an answer %s %s means for the cache', async (code, reason, outcome) => {
    const { client, tracker, fail } = await start();
    fail(apiErrorFrom({ code, reason }));
    await expect(client.update(ITEMS, item)).rejects.toThrow(reason);
    await expect(tracker.waitFor(ITEMS, A)).resolves.toBe(outcome);
  });

  it('hides what it deleted, unless that was a dry run', async () => {
    const { client, overlay } = await start();
    await client.delete(ITEMS, A, { dryRun: true });
    expect(overlay.store.get(A)).toBeDefined();
    await client.delete(ITEMS, A);
    expect(overlay.store.get(A)).toBeUndefined();
  });

  it('does not trust the cache when the outcome of a deletion is unknown', async () => {
    const { client, tracker, fail } = await start();
    fail(new ConnectionError('reset'));
    await expect(client.delete(ITEMS, A)).rejects.toThrow('reset');
    await expect(tracker.waitFor(ITEMS, A)).resolves.toBe('timeout');
  });

  it('trusts the cache again after a live read', async () => {
    const { client, tracker, fail, server } = await start();
    fail(new ConnectionError('reset'));
    await client.update(ITEMS, item).catch(() => {});
    tracker.onRead(ITEMS, server.objects().get('ns/a') as Stored<Item>);
    await expect(tracker.waitFor(ITEMS, A)).resolves.toBe('caught-up');
  });

  it('passes everything else on', async () => {
    const { client, calls } = await start();
    await client.get(ITEMS, A);
    await client.list(ITEMS);
    await client.listEach(ITEMS, () => {});
    await client.watch(ITEMS);
    await client.deleteCollection(ITEMS);
    await client.raw({ method: 'GET', path: '/version', headers: {} });
    await client.close();
    expect(calls).toEqual(['get', 'list', 'listEach', 'watch', 'deleteCollection', 'raw', 'close']);
  });

  it('has nothing to wait for in kinds without a cache', async () => {
    const { tracker } = await start();
    const type = { ...ITEMS, plural: 'unknown' };
    await expect(tracker.waitFor(type, A)).resolves.toBe('caught-up');
  });

  it('does not call an overlay that was removed', async () => {
    const { overlay, client, tracker } = await start();
    const detach = tracker.attach(overlay);
    detach();
    await client.update(ITEMS, item);
    expect(overlay.pending).toBe(0);
  });
});
