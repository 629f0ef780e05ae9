import { afterEach, describe, expect, it } from 'vitest';
import type { Stored } from '../model/types.ts';
import { expired, type FakeServer, type Item } from '../reflector/fake-server.test.support.ts';
import { metricValue } from '../testing/metric-value.ts';
import { type InformerHarness, startInformer, versions } from './harness.test.support.ts';
import type { Cached } from './informer.ts';
import { identityOf } from './projection.ts';

const stops: (() => Promise<void>)[] = [];
const clocks: InformerHarness<Cached>['clock'][] = [];

async function start<C extends Cached = Stored<Item>>(
  options: Parameters<typeof startInformer<C>>[0] = {},
): Promise<InformerHarness<C>> {
  const harness = await startInformer<C>(options);
  stops.push(harness.stop);
  clocks.push(harness.clock);
  return harness;
}

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  for (const clock of clocks.splice(0)) expect(clock.pendingTimers).toBe(0);
});

const twoItems = (server: FakeServer): void => {
  server.put('ns/a', 'a');
  server.put('ns/b', 'b');
};
const type = 'items.test.example';

describe('Projections', () => {
  it('decide what is kept', async () => {
    const { informer, server, clock, replay } = await start<Cached & { length: number }>({
      prepare: twoItems,
      project: (item) => ({ metadata: identityOf(item), length: item.data?.value?.length ?? 0 }),
    });
    server.put('ns/a', 'longer');
    server.remove('ns/b');
    await clock.settle();
    expect([...informer.store.list()]).toEqual([
      { metadata: { namespace: 'ns', name: 'a', uid: 'uid-1', resourceVersion: '103' }, length: 6 },
    ]);
    expect(replay.events.at(-1)?.object).toEqual({ metadata: expect.anything(), length: 1 });
  });

  it('see the kind in every object, also in lists, which do not carry it', async () => {
    const kinds: unknown[] = [];
    const { server, clock } = await start<Cached>({
      prepare: twoItems,
      tuning: { watchList: false },
      project: (item) => {
        kinds.push([item.apiVersion, item.kind]);
        return { metadata: identityOf(item) };
      },
    });
    server.put('ns/c');
    await clock.settle();
    expect(kinds).toEqual(Array(3).fill(['test.example/v1', 'Item']));
  });

  it('are applied while a list streams, not to a list as a whole', async () => {
    const { informer, server, clock } = await start<Cached>({
      tuning: { watchList: false, pageSize: 2 },
      project: (item) => ({ metadata: identityOf(item) }),
      prepare: (prepared) => {
        twoItems(prepared);
        prepared.put('ns/c');
        prepared.outage = (verb, { continue: token }) => (verb === 'list' && token ? 'hang' : undefined);
      },
    });
    // The first page was projected and is held, but no reader can see it.
    expect(informer.store.size).toBe(0);
    server.outage = () => undefined;
    await clock.advance(80_000);
    expect(informer.store.size).toBe(3);
  });

  it('are not called again for objects that a relist shows unchanged', async () => {
    let projected = 0;
    const { server, clock } = await start<Cached>({
      prepare: twoItems,
      project: (item) => {
        projected++;
        return { metadata: identityOf(item) };
      },
    });
    server.cut(expired());
    await clock.settle();
    expect(projected).toBe(2);
  });

  it('that fail for one object affect no other, and its last state is kept', async () => {
    const { server, clock, informer, metrics, log, replay } = await start<Cached & { value: string }>({
      prepare: twoItems,
      project: (item) => {
        if (item.data?.value === 'poison') throw new Error('cannot digest this');
        return { metadata: identityOf(item), value: item.data?.value ?? '' };
      },
    });
    server.put('ns/a', 'poison');
    server.put('ns/c', 'c');
    server.put('ns/d', 'poison');
    await clock.settle();
    server.cut(expired());
    await clock.settle();
    expect([...informer.store.list()].map(({ value }) => value).sort()).toEqual(['a', 'b', 'c']);
    expect(replay.faults).toEqual([]);
    expect(metricValue(metrics, 'informer_watch_errors_total', { type, reason: 'projection' })).toBe(4);
    expect(log.messages('error')).toHaveLength(1);
    server.put('ns/a', 'fine again');
    server.remove('ns/d');
    await clock.settle();
    expect(informer.store.get({ namespace: 'ns', name: 'a' })?.value).toBe('fine again');
  });

  it('that drop the identity are reported', async () => {
    const { log, informer } = await start<Cached>({
      prepare: twoItems,
      project: ({ metadata: { name, uid, resourceVersion } }) => ({
        metadata: { name, uid, resourceVersion },
      }),
    });
    expect(informer.store.size).toBe(0);
    expect(String(log.entries[0]?.values.error)).toContain('lost metadata.namespace');
  });

  it('can be frozen, so that no consumer changes a shared object', async () => {
    const { informer } = await start({ prepare: twoItems, freeze: true });
    const item = informer.store.get({ namespace: 'ns', name: 'a' });
    expect(() => {
      if (item?.data) item.data.value = 'changed';
    }).toThrow(TypeError);
  });
});

describe('Frozen projections', () => {
  it('may hold bytes', async () => {
    const { informer } = await start<Cached & { digest: Uint8Array }>({
      prepare: twoItems,
      freeze: true,
      project: (item) => ({ metadata: identityOf(item), digest: new Uint8Array([1, 2, 3]) }),
    });
    expect(informer.store.size).toBe(2);
  });
});

describe('Indexes of an informer', () => {
  it('may be added while it runs', async () => {
    const { informer, server, clock } = await start({ prepare: twoItems });
    informer.addIndexes({ value: (item) => [item.data?.value ?? ''] });
    server.put('ns/c', 'a');
    await clock.settle();
    expect(versions(informer.store.byIndex('value', 'a'))).toEqual({ 'ns/a': '101', 'ns/c': '103' });
  });

  it('follow a relist', async () => {
    const { informer, server, clock } = await start({
      prepare: twoItems,
      indexes: { value: (item) => [item.data?.value ?? ''] },
    });
    server.cut('silent');
    server.remove('ns/a');
    server.put('ns/b', 'a');
    server.compact();
    await clock.advance(70_000);
    expect(versions(informer.store.byIndex('value', 'a'))).toEqual({ 'ns/b': '104' });
    expect([...informer.store.byIndex('value', 'b')]).toEqual([]);
  });
});
