import { afterEach, describe, expect, it } from 'vitest';
import { apiErrorFrom } from '../client/errors.ts';
import type { Stored } from '../model/types.ts';
import { expired, type FakeServer, ITEMS, type Item } from '../reflector/fake-server.test.support.ts';
import { metricValue } from '../testing/metric-value.ts';
import { createInformer } from './create-informer.ts';
import { type InformerHarness, serverVersions, startInformer, versions } from './harness.test.support.ts';
import type { Cached } from './informer.ts';

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

describe('Being synced', () => {
  it('is awaited', async () => {
    const { server, clock, informer } = await start({
      prepare: (prepared) => {
        prepared.outage = () => apiErrorFrom({ code: 403, reason: 'Forbidden' });
      },
    });
    let synced = false;
    const waiting = informer.whenSynced().then(() => {
      synced = true;
    });
    await clock.advance(60_000);
    expect(synced).toBe(false);
    expect(informer.health()).toMatchObject({ synced: false, state: { phase: 'forbidden' } });
    server.outage = () => undefined;
    await clock.advance(60_000);
    await waiting;
    expect(informer.health()).toMatchObject({ synced: true, state: { phase: 'watching' } });
  });

  it('is reached with an empty collection too', async () => {
    const { informer } = await start();
    await informer.whenSynced();
    expect(informer.store.size).toBe(0);
  });

  it('is not awaited after the waiter aborts', async () => {
    const { informer } = await start({
      prepare: (server) => {
        server.outage = () => 'hang';
      },
    });
    const controller = new AbortController();
    const waiting = informer.whenSynced(controller.signal);
    controller.abort(new Error('no patience'));
    await expect(waiting).rejects.toThrow('no patience');
    await expect(informer.whenSynced(AbortSignal.abort(new Error('none at all')))).rejects.toThrow(
      'none at all',
    );
  });

  it('is not awaited beyond the end of the informer', async () => {
    const { informer, stop } = await start({
      prepare: (server) => {
        server.outage = () => 'hang';
      },
    });
    const waiting = expect(informer.whenSynced()).rejects.toThrow('aborted');
    await stop();
    await waiting;
    expect(informer.health().state.phase).toBe('stopped');
  });
});

describe('Metrics of informers', () => {
  it('exist at zero from the start', async () => {
    const { metrics } = await start({ prepare: twoItems });
    expect(metricValue(metrics, 'informer_watch_errors_total', { type, reason: 'expired' })).toBe(0);
    expect(metricValue(metrics, 'informer_relists_total', { type, reason: 'expired' })).toBe(0);
    expect(metricValue(metrics, 'informer_handler_errors_total', { type })).toBe(0);
  });

  it('have no age before the first event', async () => {
    const { metrics } = await start({
      prepare: (server) => {
        server.outage = () => 'hang';
      },
    });
    expect(metricValue(metrics, 'informer_last_event_age_seconds', { type })).toBeUndefined();
    expect(metricValue(metrics, 'informer_synced', { type })).toBe(0);
  });

  it('count objects, age, errors and relists', async () => {
    const { metrics, server, clock, stop } = await start({ prepare: twoItems });
    expect(metricValue(metrics, 'informer_synced', { type })).toBe(1);
    expect(metricValue(metrics, 'informer_objects', { type })).toBe(2);
    await clock.advance(30_000);
    expect(metricValue(metrics, 'informer_last_event_age_seconds', { type })).toBe(30);
    server.cut(expired());
    await clock.settle();
    expect(metricValue(metrics, 'informer_watch_errors_total', { type, reason: 'expired' })).toBe(1);
    expect(metricValue(metrics, 'informer_relists_total', { type, reason: 'expired' })).toBe(1);
    expect(metricValue(metrics, 'informer_last_event_age_seconds', { type })).toBe(0);
    await stop();
    expect(metricValue(metrics, 'informer_objects', { type })).toBeUndefined();
  });

  it('cover all informers of a kind', async () => {
    const { metrics, server, clock } = await start({ prepare: twoItems });
    const other = createInformer({ client: server, type: ITEMS, clock, metrics, namespace: 'elsewhere' });
    server.outage = () => 'hang';
    const controller = new AbortController();
    const running = other.run(controller.signal);
    expect(metricValue(metrics, 'informer_synced', { type })).toBe(0);
    expect(metricValue(metrics, 'informer_objects', { type })).toBe(2);
    controller.abort();
    await running;
    expect(metricValue(metrics, 'informer_synced', { type })).toBe(1);
  });
});

describe('The self-check', () => {
  it('says nothing when watch-list and list agree', async () => {
    const { server, log, clock } = await start({ prepare: twoItems, selfCheck: true });
    await clock.settle();
    expect(server.asked.map(({ verb }) => verb)).toEqual(['watch-list', 'list']);
    expect(server.asked[1]?.options).toMatchObject({ resourceVersion: '102', resourceVersionMatch: 'Exact' });
    expect(log.entries).toEqual([]);
  });

  it('reports every difference', async () => {
    const { log, clock, metrics } = await start({
      selfCheck: true,
      prepare: (server) => {
        twoItems(server);
        server.watchLists = 'endless';
        const { watch } = server;
        server.watch = async (...args) => {
          const stream = await watch.apply(server, args);
          for (const each of server.streams) {
            const metadata = { namespace: 'ns', name: 'ghost', uid: 'g', resourceVersion: '90' };
            each.data('ADDED', { metadata });
            each.bookmark(102, true);
          }
          return stream as never;
        };
      },
    });
    await clock.settle();
    expect(log.entries[0]?.values).toMatchObject({
      count: 1,
      differences: [{ key: 'ns/ghost', cached: '90', listed: undefined }],
    });
    expect(metricValue(metrics, 'informer_watch_errors_total', { type, reason: 'inconsistent' })).toBe(1);
  });
});

describe('Selectors', () => {
  it.each([true, false])('are sent with every request (watch-list: %s)', async (watchList) => {
    const selection = { namespace: 'ns', labelSelector: 'app=web', fieldSelector: 'metadata.name=a' };
    const { server, clock } = await start({ prepare: twoItems, tuning: { watchList }, ...selection });
    server.cut(expired());
    await clock.settle();
    expect(server.asked.length).toBeGreaterThan(1);
    for (const { options } of server.asked) expect(options).toMatchObject(selection);
  });
});

describe('Running', () => {
  it('is refused while it runs', async () => {
    const { informer } = await start();
    await expect(informer.run(new AbortController().signal)).rejects.toThrow('already runs');
  });

  it('again goes on with what is stored', async () => {
    const { informer, server, clock, stop, replay } = await start({ prepare: twoItems });
    await stop();
    server.remove('ns/a');
    const again = new AbortController();
    const running = informer.run(again.signal);
    await clock.settle();
    again.abort();
    await running;
    expect(replay.summary.slice(2)).toEqual(['delete a@101 stale']);
    expect(versions(informer.store.list())).toEqual(serverVersions(server));
  });
});
