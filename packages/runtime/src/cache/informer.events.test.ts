import { afterEach, describe, expect, it } from 'vitest';
import type { Stored } from '../model/types.ts';
import { expired, type FakeServer, type Item } from '../reflector/fake-server.test.support.ts';
import { metricValue } from '../testing/metric-value.ts';
import {
  type InformerHarness,
  Replay,
  serverVersions,
  startInformer,
  versions,
} from './harness.test.support.ts';
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

describe('Events', () => {
  it('start with the present objects, then report changes', async () => {
    const { server, clock, replay, informer } = await start({ prepare: twoItems });
    server.put('ns/a', 'a2');
    server.put('ns/c', 'c');
    server.remove('ns/b');
    await clock.settle();
    expect(replay.summary.slice(0, 2).sort()).toEqual(['add a@101 initial', 'add b@102 initial']);
    expect(replay.summary.slice(2)).toEqual(['update a@103', 'add c@104', 'delete b@105']);
    expect(versions(informer.store.list())).toEqual(serverVersions(server));
    expect(replay.faults).toEqual([]);
  });

  it('of a deletion carry the last state', async () => {
    const { server, clock, replay } = await start({ prepare: twoItems });
    server.remove('ns/b');
    await clock.settle();
    expect(replay.events.at(-1)).toMatchObject({
      type: 'delete',
      stale: false,
      object: { metadata: { resourceVersion: '103' }, data: { value: 'b' } },
    });
  });

  it('give a late handler the present objects, as initial', async () => {
    const { server, clock, informer } = await start({ prepare: twoItems });
    server.put('ns/c', 'c');
    await clock.settle();
    const late = new Replay<Stored<Item>>();
    const registration = informer.addHandler(late.handler);
    expect(registration.synced).toBe(true);
    expect(late.summary.sort()).toEqual(['add a@101 initial', 'add b@102 initial', 'add c@103 initial']);
  });

  it('of a relist are marked as relisted, and its deletions are stale', async () => {
    const { server, clock, replay } = await start({ prepare: twoItems });
    server.cut('silent');
    server.remove('ns/b');
    server.put('ns/a', 'a2');
    server.put('ns/c', 'c');
    server.compact();
    await clock.advance(70_000);
    expect(replay.summary.slice(2).sort()).toEqual([
      'add c@105 relisted',
      'delete b@102 stale',
      'update a@104 relisted',
    ]);
    expect(replay.faults).toEqual([]);
  });

  it('of a relist omit unchanged objects', async () => {
    const { server, clock, replay, informer } = await start({ prepare: twoItems });
    const before = informer.store.get({ namespace: 'ns', name: 'a' });
    server.cut(expired());
    await clock.settle();
    expect(server.asked).toHaveLength(2);
    expect(replay.summary).toHaveLength(2);
    expect(informer.store.get({ namespace: 'ns', name: 'a' })).toBe(before);
  });

  it('report a deletion and an addition when another object has the same name', async () => {
    const { server, clock, replay } = await start({ prepare: twoItems });
    server.cut('silent');
    server.remove('ns/a');
    server.put('ns/a', 'another');
    server.compact();
    await clock.advance(70_000);
    expect(replay.summary.slice(2)).toEqual(['delete a@101 stale', 'add a@104 relisted']);
    expect(replay.faults).toEqual([]);
  });

  it('report the same when a watch skips the deletion', async () => {
    const { server, clock, replay } = await start({ prepare: twoItems });
    for (const stream of server.streams) {
      stream.data('MODIFIED', {
        metadata: { namespace: 'ns', name: 'a', uid: 'another', resourceVersion: '110' },
      });
    }
    await clock.settle();
    expect(replay.summary.slice(2)).toEqual(['delete a@101 stale', 'add a@110']);
  });

  it('resync periodically, with 10 % jitter', async () => {
    const { clock, replay, informer } = await start({ prepare: twoItems, resyncPeriodMs: 3_600_000 });
    await clock.advance(3_600_000 * 0.9 - 1);
    expect(replay.events).toHaveLength(2);
    await clock.advance(3_600_000 * 0.2 + 2);
    expect(replay.summary.slice(2).sort()).toEqual(['update a@101 resync', 'update b@102 resync']);
    const last = replay.events.at(-1);
    expect(last?.type === 'update' && last.old === last.object).toBe(true);
    expect(informer.store.size).toBe(2);
    await clock.advance(3_600_000 * 1.1);
    expect(replay.events).toHaveLength(6);
  });

  it('resync about every ten hours by default', async () => {
    const { clock, replay } = await start({ prepare: twoItems });
    await clock.advance(9 * 3_600_000 - 1);
    expect(replay.events).toHaveLength(2);
    await clock.advance(2 * 3_600_000 + 2);
    expect(replay.events).toHaveLength(4);
  });

  it('never resync with a period of 0', async () => {
    const { clock, replay } = await start({ prepare: twoItems, resyncPeriodMs: 0 });
    await clock.advance(24 * 3_600_000);
    expect(replay.events).toHaveLength(2);
  });

  it('never resync before the first full list', async () => {
    const { clock, replay } = await start({
      resyncPeriodMs: 60_000,
      prepare: (server) => {
        twoItems(server);
        server.outage = () => 'hang';
      },
    });
    await clock.advance(200_000);
    expect(replay.events).toEqual([]);
  });

  it('reach the other handlers when one throws, and are counted', async () => {
    const { server, clock, informer, replay, metrics, log } = await start({ prepare: twoItems });
    informer.addHandler(() => {
      throw new Error('broken');
    });
    server.put('ns/c', 'c');
    await clock.settle();
    expect(replay.summary.at(-1)).toBe('add c@103');
    expect(metricValue(metrics, 'informer_handler_errors_total', { type })).toBe(3);
    expect(log.messages('error')[0]).toContain('A handler threw');
  });
});
