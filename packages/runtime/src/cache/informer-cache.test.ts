import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { ResourceType } from '../client/resource.ts';
import { VirtualClock } from '../clock/virtual-clock.ts';
import type { Stored } from '../model/types.ts';
import { FakeServer, ITEMS, type Item } from '../reflector/fake-server.test.support.ts';
import { versions } from './harness.test.support.ts';
import type { Cached } from './informer.ts';
import { InformerCache, NotCachedError } from './informer-cache.ts';
import { identityOf } from './projection.ts';

const OTHERS: ResourceType = { group: '', version: 'v1', kind: 'Other', plural: 'others', namespaced: true };

function setUp() {
  const clock = new VirtualClock();
  const server = new FakeServer(clock);
  server.put('ns/a', 'a');
  server.put('other/b', 'b');
  const cache = new InformerCache({ client: server, clock, random: () => 0.5 });
  const controller = new AbortController();
  const run = (): Promise<void> => cache.run(controller.signal);
  return { clock, server, cache, controller, run };
}

describe('Declaring informers', () => {
  it('gives the same informer for the same declaration', () => {
    const { cache } = setUp();
    const project = (item: Stored<Item>): Cached => ({ metadata: identityOf(item) });
    expect(cache.informer({ type: ITEMS })).toBe(cache.informer({ type: ITEMS }));
    expect(cache.informer({ type: ITEMS, project })).toBe(cache.informer({ type: ITEMS, project }));
    expect(cache.namespaced({ type: ITEMS })).toBe(cache.namespaced({ type: ITEMS }));
  });

  it.each([
    ['namespace', { namespace: 'ns' }],
    ['label selector', { labelSelector: 'a=b' }],
    ['field selector', { fieldSelector: 'a=b' }],
    ['projection', { project: (item: Stored<Item>): Cached => ({ metadata: identityOf(item) }) }],
    ['metadata only', { metadataOnly: true as const }],
  ])('gives another informer for another %s', (_, difference) => {
    const { cache } = setUp();
    const plain: unknown = cache.informer({ type: ITEMS });
    expect(cache.informer({ type: ITEMS, ...difference } as { type: typeof ITEMS })).not.toBe(plain);
  });

  it('adds the indexes of every declaration to the one informer', async () => {
    const { cache, clock, controller, run } = setUp();
    cache.informer({ type: ITEMS, indexes: { value: (item) => [item.data?.value ?? ''] } });
    const running = run();
    await clock.settle();
    const shared = cache.informer({ type: ITEMS, indexes: { name: (item) => [item.metadata.name] } });
    expect(versions(shared.store.byIndex('value', 'a'))).toEqual({ 'ns/a': '101' });
    expect(versions(shared.store.byIndex('name', 'b'))).toEqual({ 'other/b': '102' });
    controller.abort();
    await running;
  });
});

describe('Reading from the cache', () => {
  it('finds what is declared', async () => {
    const { cache, clock, controller, run } = setUp();
    cache.informer({ type: ITEMS });
    const running = run();
    await cache.whenSynced();
    await clock.settle();
    expect(cache.get(ITEMS, { namespace: 'ns', name: 'a' })?.metadata.uid).toBe('uid-1');
    expect(versions(cache.list(ITEMS))).toEqual({ 'ns/a': '101', 'other/b': '102' });
    expect(versions(cache.list(ITEMS, 'other'))).toEqual({ 'other/b': '102' });
    controller.abort();
    await running;
  });

  it('fails for an undeclared kind, and says what to do', () => {
    const { cache, server } = setUp();
    cache.informer({ type: ITEMS });
    const read = (): unknown => cache.get(OTHERS, { namespace: 'ns', name: 'a' });
    expect(read).toThrow(NotCachedError);
    expect(read).toThrow(
      'Other "ns/a" from the cache: no informer of others was declared; declare one before',
    );
    expect(server.asked).toEqual([]);
  });

  it('fails where the declared informers hold only a part', () => {
    const { cache } = setUp();
    cache.informer({ type: ITEMS, namespace: 'ns' });
    cache.informer({ type: ITEMS, labelSelector: 'a=b' });
    cache.namespaced({ type: ITEMS, namespaces: ['third'] });
    expect(() => cache.get(ITEMS, { namespace: 'other', name: 'b' })).toThrow('hold only a part');
    expect(() => cache.list(ITEMS)).toThrow('in all namespaces from the cache');
    expect(() => cache.list(ITEMS, 'other')).toThrow('in namespace other from the cache');
    expect([...cache.list(ITEMS, 'ns')]).toEqual([]);
    expect(cache.get(ITEMS, { namespace: 'ns', name: 'a' })).toBeUndefined();
    expect(cache.get(ITEMS, { namespace: 'third', name: 'a' })).toBeUndefined();
  });
});

describe('Running the cache', () => {
  it('runs what was declared before and after its start, and ends all of it', async () => {
    const { cache, clock, controller, run, server } = setUp();
    const before = cache.informer({ type: ITEMS });
    const running = run();
    const after = cache.informer({ type: ITEMS, namespace: 'ns' });
    const several = cache.namespaced({ type: ITEMS, namespaces: ['other'] });
    await clock.settle();
    expect([before.synced, after.synced, several.synced]).toEqual([true, true, true]);
    expect([...cache.health().values()].map(({ state }) => state.phase)).toEqual(Array(3).fill('watching'));
    expect(new Set(cache.health().keys()).size).toBe(3);
    await expect(run()).rejects.toThrow('already runs');
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
    controller.abort();
    await running;
    expect(clock.pendingTimers).toBe(0);
    expect(server.streams.size).toBe(0);
  });

  it('waits for all informers to be synced', async () => {
    const { cache, clock, controller, run, server } = setUp();
    cache.informer({ type: ITEMS });
    cache.informer({ type: ITEMS, namespace: 'ns' });
    server.failNext('watch-list', 'hang');
    const running = run();
    let synced = false;
    const waiting = cache.whenSynced().then(() => {
      synced = true;
    });
    await clock.advance(60_000);
    expect(synced).toBe(false);
    await clock.advance(20_000);
    await waiting;
    controller.abort();
    await running;
  });

  it('stops all informers when one has a bug', async () => {
    const { cache, clock, controller, run, server } = setUp();
    cache.informer({ type: ITEMS, namespace: 'ns' });
    const broken = cache.informer({ type: ITEMS });
    broken.run = () => Promise.reject(new TypeError('a defect'));
    await expect(run()).rejects.toThrow('a defect');
    expect(clock.pendingTimers).toBe(0);
    expect(server.streams.size).toBe(0);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('ends at once when its signal was aborted before', async () => {
    const { cache, clock, controller, run } = setUp();
    cache.informer({ type: ITEMS });
    controller.abort();
    await run();
    expect(clock.pendingTimers).toBe(0);
  });
});
