import { afterEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { createRegistry } from '../metrics/registry.ts';
import type { Stored } from '../model/types.ts';
import { FakeServer, ITEMS, type Item } from '../reflector/fake-server.test.support.ts';
import { createCapturingLogger } from '../testing/capturing-logger.ts';
import { metricValue } from '../testing/metric-value.ts';
import { createRandom } from '../testing/random.ts';
import { Replay, versions } from './harness.test.support.ts';
import { NamespacedInformer, type ScopeChange } from './namespaced-informer.ts';

const NAMESPACES = ['one', 'two', 'three'];
const stops: (() => Promise<void>)[] = [];

function create(namespaces: readonly string[]) {
  const clock = new VirtualClock();
  const server = new FakeServer(clock);
  for (const namespace of NAMESPACES) server.put(`${namespace}/a`, namespace);
  const metrics = createRegistry();
  const log = createCapturingLogger('info');
  const informer = new NamespacedInformer<Item, Stored<Item>>({
    client: server,
    type: ITEMS,
    clock,
    metrics,
    logger: log.logger,
    random: createRandom(1).next,
    indexes: { value: (item) => [item.data?.value ?? ''] },
    namespaces,
  });
  const replay = new Replay<Stored<Item>>();
  const registration = informer.addHandler(replay.handler);
  const scope: ScopeChange[] = [];
  informer.onScopeChange((change) => scope.push(change));
  return { clock, server, metrics, log, informer, replay, registration, scope };
}

async function start(namespaces: readonly string[], prepare: (server: FakeServer) => void = () => {}) {
  const created = create(namespaces);
  const { clock, server, informer } = created;
  prepare(server);
  const controller = new AbortController();
  const running = informer.run(controller.signal);
  stops.push(async () => {
    controller.abort();
    await running;
    expect(clock.pendingTimers).toBe(0);
    expect(server.streams.size).toBe(0);
  });
  await clock.settle();
  return created;
}

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

describe('An informer over several namespaces', () => {
  it('holds the objects of those and of no others', async () => {
    const { informer, server } = await start(['one', 'two']);
    expect(versions(informer.store.list())).toEqual({ 'one/a': '101', 'two/a': '102' });
    expect(versions(informer.store.list('two'))).toEqual({ 'two/a': '102' });
    expect(versions(informer.store.byIndex('value', 'one'))).toEqual({ 'one/a': '101' });
    expect(informer.store.get({ namespace: 'three', name: 'a' })).toBeUndefined();
    expect(informer.store.size).toBe(2);
    expect(server.asked.map(({ options }) => options.namespace)).toEqual(['one', 'two']);
  });

  it('is synced with an empty set as well', async () => {
    const { informer, registration } = await start([]);
    expect(informer.synced).toBe(true);
    expect(registration.synced).toBe(true);
    expect(() => informer.store.byIndex('nothing', 'x')).toThrow('no index "nothing"');
  });

  it('tells handlers of all of them, and is synced after the last', async () => {
    const { informer, server, clock, replay, registration } = await start(['one', 'two'], (prepared) =>
      prepared.failNext('watch-list', 'hang'),
    );
    expect(replay.summary).toEqual(['add a@102 initial']);
    expect([informer.synced, registration.synced, informer.syncedIn('two')]).toEqual([false, false, true]);
    await clock.advance(80_000);
    expect(replay.summary).toEqual(['add a@102 initial', 'add a@101 initial']);
    expect([informer.synced, registration.synced]).toEqual([true, true]);
    server.put('two/b', 'new');
    await clock.settle();
    expect(replay.summary.at(-1)).toBe('add b@104');
    expect(replay.faults).toEqual([]);
  });

  it('reflects what all of its parts reflect', async () => {
    const { informer, server, clock } = await start(['one', 'two']);
    server.put('two/a', 'newer');
    await clock.settle();
    expect(informer.store.resourceVersion).toBe('103');
    expect(informer.reached({ namespace: 'two', name: 'x' })).toBe('104');
    expect(informer.reached({ namespace: 'three', name: 'x' })).toBeUndefined();
  });
});

describe('A namespace that is added', () => {
  it('is read at once, its objects are initial', async () => {
    const { informer, clock, replay, scope } = await start(['one']);
    scope.length = 0;
    informer.setNamespaces(['one', 'three']);
    await clock.settle();
    expect(replay.summary).toEqual(['add a@101 initial', 'add a@103 initial']);
    expect(informer.syncedIn('three')).toBe(true);
    expect(scope).toEqual([
      { type: 'added', namespace: 'three' },
      { type: 'synced', namespace: 'three' },
    ]);
  });

  it('is indexed like the others, also by what was declared later', async () => {
    const { informer, clock } = await start(['one']);
    informer.addIndexes({ name: (item) => [item.metadata.name] });
    informer.setNamespaces(['one', 'two']);
    await clock.settle();
    expect(versions(informer.store.byIndex('name', 'a'))).toEqual({ 'one/a': '101', 'two/a': '102' });
    expect(informer.indexValues('name', { metadata: { name: 'x', uid: '', resourceVersion: '' } })).toEqual([
      'x',
    ]);
  });

  it('does not disturb those that are there', async () => {
    const { informer, clock, server } = await start(['one']);
    informer.setNamespaces(['two', 'one']);
    await clock.settle();
    expect(server.asked.map(({ options }) => options.namespace)).toEqual(['one', 'two']);
  });

  it('is shown to a handler that comes later', async () => {
    const { informer, clock } = await start(['one']);
    informer.setNamespaces(['one', 'two']);
    await clock.settle();
    const late = new Replay<Stored<Item>>();
    expect(informer.addHandler(late.handler).synced).toBe(true);
    expect(late.summary).toEqual(['add a@101 initial', 'add a@102 initial']);
  });
});

describe('A namespace that is removed', () => {
  it('stops at once, and its objects leave the store without delete events', async () => {
    const { informer, clock, replay, scope, server } = await start(['one', 'two']);
    scope.length = 0;
    informer.setNamespaces(['one']);
    await clock.settle();
    expect(versions(informer.store.list())).toEqual({ 'one/a': '101' });
    expect(informer.covers({ namespace: 'two', name: 'a' })).toBe(false);
    expect(scope).toEqual([{ type: 'removed', namespace: 'two' }]);
    expect(server.streams.size).toBe(1);
    server.put('two/b', 'unseen');
    await clock.settle();
    expect(replay.summary).toEqual(['add a@101 initial', 'add a@102 initial']);
  });

  it('no longer keeps the informer from being synced', async () => {
    const { informer, clock } = await start(['one', 'two'], (server) =>
      server.failNext('watch-list', 'hang'),
    );
    expect(informer.synced).toBe(false);
    informer.setNamespaces(['two']);
    await clock.settle();
    expect(informer.synced).toBe(true);
  });

  it('and added again is listed again', async () => {
    const { informer, clock, server } = await start(['one', 'two']);
    informer.setNamespaces(['one']);
    server.put('two/b', 'new');
    informer.setNamespaces(['one', 'two']);
    await clock.settle();
    expect(versions(informer.store.list('two'))).toEqual({ 'two/a': '102', 'two/b': '104' });
  });
});

describe('A forbidden namespace', () => {
  it('blocks only itself', async () => {
    const { informer, registration, metrics } = await start(['one', 'two'], (server) =>
      server.forbidden.add('two'),
    );
    expect([informer.synced, registration.synced]).toEqual([true, true]);
    expect([informer.syncedIn('one'), informer.syncedIn('two')]).toEqual([true, false]);
    expect(informer.health().state.phase).toBe('watching');
    expect(informer.healthByNamespace().get('two')?.state.phase).toBe('forbidden');
    expect(metricValue(metrics, 'informer_synced', { type: 'items.test.example' })).toBe(0);
  });

  it('is read once it is allowed', async () => {
    const { informer, server, clock, replay, scope } = await start(['one', 'two'], (prepared) =>
      prepared.forbidden.add('two'),
    );
    server.forbidden.clear();
    await clock.advance(60_000);
    expect(informer.syncedIn('two')).toBe(true);
    expect(replay.summary).toEqual(['add a@101 initial', 'add a@102 initial']);
    expect(scope.at(-1)).toEqual({ type: 'synced', namespace: 'two' });
  });

  it('does not count in the health of the rest', async () => {
    const { informer, server, clock } = await start(['one', 'two'], (prepared) =>
      prepared.forbidden.add('two'),
    );
    await clock.advance(30_000);
    expect(informer.health()).toMatchObject({ lastEventAgeMs: 30_000, consecutiveStalls: 0 });
    server.outage = (verb) => (verb === 'watch' ? 'hang' : undefined);
    server.cut('silent');
    await clock.advance(110_000);
    expect(informer.health()).toMatchObject({ lastEventAgeMs: 140_000, consecutiveStalls: 2 });
  });

  it('shows when it is the only one', async () => {
    const { informer } = await start(['two'], (server) => server.forbidden.add('two'));
    expect(informer.health().state.phase).toBe('forbidden');
  });
});

describe('Running an informer over several namespaces', () => {
  it('is refused while it runs, and possible again afterwards', async () => {
    const { informer, clock, server } = create(['one']);
    const first = new AbortController();
    const running = informer.run(first.signal);
    await expect(informer.run(first.signal)).rejects.toThrow('already runs');
    await clock.settle();
    first.abort();
    await running;
    expect(informer.health().state.phase).toBe('stopped');
    server.put('one/b', 'new');
    const second = new AbortController();
    const again = informer.run(second.signal);
    await clock.settle();
    expect(informer.store.size).toBe(2);
    second.abort();
    await again;
    expect(clock.pendingTimers).toBe(0);
  });

  it('rejects its waiters when it stops', async () => {
    const { informer, clock, server } = create(['one']);
    server.outage = () => 'hang';
    const controller = new AbortController();
    const running = informer.run(controller.signal);
    const waiting = expect(informer.whenSynced()).rejects.toThrow('over');
    await clock.settle();
    controller.abort(new Error('over'));
    await running;
    await waiting;
  });

  it('survives a listener that throws', async () => {
    const { informer, clock, log } = await start(['one']);
    informer.onScopeChange(() => {
      throw new Error('broken');
    });
    informer.setNamespaces(['one', 'two']);
    await clock.settle();
    expect(informer.syncedIn('two')).toBe(true);
    expect(log.messages('error')[0]).toContain('scope listener threw');
  });
});
