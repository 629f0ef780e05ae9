/** Failures between an API server and a cache, each with the exact expected number or state. */
import { describe, expect, it } from 'vitest';
import { apiErrorFrom, ConnectionError, DecodeError } from '../client/errors.ts';
import type { Stored } from '../model/types.ts';
import {
  type Fault,
  type Item,
  serverError,
  throttled,
  tooLarge,
} from '../reflector/fake-server.test.support.ts';
import { metricValue } from '../testing/metric-value.ts';
import { forEachSeed, type Random } from '../testing/random.ts';
import { type InformerHarness, serverVersions, startInformer, versions } from './harness.test.support.ts';

type Harness = InformerHarness<Stored<Item>>;
type Options = Parameters<typeof startInformer<Stored<Item>>>[0];

const type = 'items.test.example';
const KEYS = ['a/1', 'a/2', 'a/3', 'b/1', 'b/2', 'b/3'];

async function inScenario(options: Options, play: (harness: Harness) => Promise<void>): Promise<void> {
  const harness = await startInformer<Stored<Item>>({
    ...options,
    prepare: (server) => {
      for (const key of KEYS.slice(0, 4)) server.put(key, 'first');
      options?.prepare?.(server);
    },
  });
  try {
    await play(harness);
    expect(harness.replay.faults).toEqual([]);
  } finally {
    await harness.stop();
  }
  expect(harness.clock.pendingTimers).toBe(0);
  expect(harness.server.streams.size).toBe(0);
}

function expectSame({ informer, server, replay }: Harness): void {
  expect(versions(informer.store.list())).toEqual(serverVersions(server));
  expect(versions(replay.view.values())).toEqual(serverVersions(server));
}

function write({ server }: Harness, random: Random): void {
  const key = random.pick(KEYS);
  if (random.chance(0.3)) server.remove(key);
  else server.put(key, String(random.int(1000)));
}

const relists = (harness: Harness, reason: string): number | undefined =>
  metricValue(harness.metrics, 'informer_relists_total', { type, reason });
const lists = ({ server }: Harness): number => server.asked.filter(({ verb }) => verb !== 'watch').length;

describe('R1: watches are closed at random points', () => {
  it('loses no event and lists nothing again', async () => {
    await forEachSeed({ count: 60 }, (random) =>
      inScenario({ seed: random.seed }, async (harness) => {
        for (let round = 0; round < 80; round++) {
          write(harness, random);
          if (random.chance(0.2)) harness.server.cut(random.pick(['eof', 'lost']));
          if (random.chance(0.5)) await harness.clock.advance(random.int(3000));
        }
        await harness.clock.advance(70_000);
        expectSame(harness);
        expect(lists(harness)).toBe(1);
      }),
    );
  });
});

describe('R2: what we know has expired, or is ahead of the server', () => {
  const recoveries = [true, false].flatMap((watchList) =>
    (['expired', 'too-large'] as const).map((reason) => ({ watchList, reason })),
  );
  it.each(recoveries)('costs one list after $reason on a watch (watch-list: $watchList)', async (row) => {
    await inScenario({ tuning: { watchList: row.watchList } }, async (harness) => {
      const { server, clock, replay } = harness;
      const before = replay.events.length;
      if (row.reason === 'expired') server.cut('silent');
      server.put('a/1', 'second');
      server.compact();
      if (row.reason === 'too-large') {
        server.failNext('watch', tooLarge());
        await clock.settle();
        server.cut('eof');
      }
      await clock.advance(70_000);
      expect(lists(harness)).toBe(2);
      expect(relists(harness, row.reason)).toBe(1);
      expect(replay.events.slice(before).filter((event) => event.type === 'delete')).toEqual([]);
      expectSame(harness);
    });
  });

  it('costs one list in one piece after an expired continue token', async () => {
    let pages = 0;
    const prepare: NonNullable<Options>['prepare'] = (server) => {
      server.outage = (verb) => {
        if (verb === 'list' && ++pages === 2) {
          server.put('b/3', 'new');
          server.compact();
        }
        return undefined;
      };
    };
    await inScenario({ tuning: { watchList: false, pageSize: 3 }, prepare }, async (harness) => {
      expectSame(harness);
      expect(harness.server.asked.map(({ verb }) => verb)).toEqual(['list', 'list', 'list', 'watch']);
    });
  });
});

describe('R3: watch-list is unknown or endless', () => {
  it('falls back to pages when the server refuses it', async () => {
    const prepare: NonNullable<Options>['prepare'] = (server) => {
      server.watchLists = 'unsupported';
    };
    await inScenario({ prepare }, async (harness) => {
      expectSame(harness);
      expect(harness.informer.synced).toBe(true);
    });
  });

  it('shows nothing of a state that is not complete, warns, and falls back', async () => {
    const prepare: NonNullable<Options>['prepare'] = (server) => {
      server.watchLists = 'endless';
      server.bookmarkEveryMs = 1e9;
    };
    await inScenario({ prepare }, async (harness) => {
      const { clock, informer, replay, log, server } = harness;
      await clock.advance(10_000);
      expect(log.messages('warn')).toHaveLength(1);
      server.remove('a/2');
      await clock.advance(69_000);
      expect(informer.store.size).toBe(0);
      expect(replay.events).toEqual([]);
      await clock.advance(1_001);
      expectSame(harness);
    });
  });
});

describe('R3: the initial state changes while it is sent', () => {
  it('shows only what is left of it, and tells of no deletion', async () => {
    const prepare: NonNullable<Options>['prepare'] = (server) => {
      server.watchLists = 'endless';
    };
    await inScenario({ prepare }, async (harness) => {
      const { clock, server, replay } = harness;
      server.remove('a/1');
      server.remove('a/2');
      server.put('a/2', 'another');
      server.put('a/3', 'changed');
      for (const stream of server.streams) stream.bookmark(server.revision, true);
      await clock.settle();
      expectSame(harness);
      expect(new Set(replay.events.map((event) => event.type))).toEqual(new Set(['add']));
      expect(lists(harness)).toBe(1);
    });
  });
});

describe('R4: the connection falls silent without an end', () => {
  it('is noticed within 71 s, and the age shows it meanwhile', async () => {
    await inScenario({}, async (harness) => {
      const { clock, server, informer, metrics } = harness;
      await clock.advance(60_000);
      const since = clock.monotonic();
      server.cut('silent');
      server.put('b/3', 'unseen');
      await clock.advance(50_000);
      expect(metricValue(metrics, 'informer_last_event_age_seconds', { type })).toBe(50);
      await clock.runUntil(() => informer.store.get({ namespace: 'b', name: '3' }) !== undefined);
      expect(clock.monotonic() - since).toBeLessThanOrEqual(71_000);
      expectSame(harness);
    });
  });

  it('counts silences in a row until something is heard', async () => {
    await inScenario({}, async ({ clock, server, informer, metrics }) => {
      server.outage = () => 'hang';
      server.cut('silent');
      await clock.advance(140_000);
      expect(informer.health().consecutiveStalls).toBe(2);
      expect(metricValue(metrics, 'informer_watch_errors_total', { type, reason: 'idle' })).toBe(2);
      server.outage = () => undefined;
      await clock.advance(70_000 + 60_000);
      expect(informer.health().consecutiveStalls).toBe(0);
    });
  });
});

describe('R5: the server refuses for ten minutes', () => {
  const outages: readonly [string, () => Fault][] = [
    ['429 with Retry-After 5', () => throttled(5)],
    ['429 without a hint', () => throttled()],
    ['500', serverError],
    ['connection refused', () => new ConnectionError('connect ECONNREFUSED')],
    ['401', () => apiErrorFrom({ code: 401, reason: 'Unauthorized' })],
    ['403', () => apiErrorFrom({ code: 403, reason: 'Forbidden' })],
    ['404', () => apiErrorFrom({ code: 404, reason: 'NotFound' })],
    ['a garbled answer', () => new DecodeError('The line is not JSON')],
  ];

  it.each(outages)('%s: at most 0.3 requests a second, and back within 60 s', async (name, fault) => {
    await forEachSeed({ count: 10 }, (random) =>
      inScenario({ seed: random.seed }, async (harness) => {
        const { clock, server } = harness;
        const before = server.asked.length;
        server.outage = fault;
        server.cut('lost');
        server.put('b/3', 'meanwhile');
        await clock.advance(600_000);
        expect((server.asked.length - before) / 600).toBeLessThanOrEqual(0.3);
        server.outage = () => undefined;
        await clock.advance(60_000);
        expectSame(harness);
        expect(harness.informer.health().state.phase).toBe('watching');
        if (name.startsWith('429')) expect(lists(harness)).toBe(1);
      }),
    );
  });

  it.each(outages)(
    '%s from the start: at most 0.3 requests a second, and synced within 60 s',
    async (_, fault) => {
      const prepare: NonNullable<Options>['prepare'] = (server) => {
        server.outage = fault;
      };
      await inScenario({ prepare }, async (harness) => {
        const { clock, server, informer } = harness;
        await clock.advance(600_000);
        expect(informer.synced).toBe(false);
        expect(server.asked.length / 600).toBeLessThanOrEqual(0.3);
        server.outage = () => undefined;
        await clock.advance(60_000);
        expect(informer.synced).toBe(true);
        expectSame(harness);
      });
    },
  );
});

describe('R6: a line of the watch cannot be read', () => {
  it('goes on behind it without losing anything', async () => {
    await inScenario({}, async (harness) => {
      const { clock, server } = harness;
      server.put('a/1', 'second');
      server.cut(new DecodeError('The line has more than 10485760 bytes'));
      server.put('b/3', 'third');
      await clock.advance(5_000);
      expectSame(harness);
      expect(lists(harness)).toBe(1);
    });
  });
});

describe('R7: an object is deleted and created again during a gap in the watch', () => {
  it.each([true, false])('both events are reported (history still there: %s)', async (inWindow) => {
    await inScenario({}, async (harness) => {
      const { clock, server, replay } = harness;
      const before = replay.events.length;
      server.cut('silent');
      server.remove('a/1');
      server.put('a/1', 'another');
      if (!inWindow) server.compact();
      await clock.advance(70_000);
      expect(replay.events.slice(before).map((event) => event.type)).toEqual(['delete', 'add']);
      expectSame(harness);
    });
  });
});

describe('C2: the next connection leads to a server that lags', () => {
  it.each([1, 2, 3, 5, 8])('%s revisions behind: nothing goes back in time', async (lag) => {
    await forEachSeed({ count: 20 }, (random) =>
      inScenario({ seed: random.seed }, async (harness) => {
        const { clock, server, informer, replay } = harness;
        for (let round = 0; round < 10; round++) write(harness, random);
        await clock.settle();
        const known = versions(informer.store.list());
        const seen = replay.events.length;
        server.lag = lag;
        server.lyingQuorum = true;
        server.cut(random.pick(['eof', 'lost']));
        await clock.advance(20_000);
        expect(versions(informer.store.list())).toEqual(known);
        expect(replay.events).toHaveLength(seen);
        server.lag = 0;
        server.catchUp();
        await clock.advance(60_000);
        expectSame(harness);
      }),
    );
  });

  it('accepts an older state that persists: the server was restored from a backup', async () => {
    await inScenario({}, async (harness) => {
      const { clock, server, informer } = harness;
      const backup = server.revision;
      server.put('a/1', 'undone');
      server.put('b/3', 'undone');
      await clock.settle();
      server.rollBack(backup);
      await clock.advance(60_000);
      expect(informer.store.get({ namespace: 'b', name: '3' })).toBeDefined();
      await clock.advance(600_000);
      expectSame(harness);
      expect(informer.health().state.phase).toBe('watching');
    });
  });
});

describe('C3: several updates are seen as one', () => {
  it.each([1, 2, 3, 4, 5])('%s updates: the last state is there, as one update', async (count) => {
    await inScenario({}, async (harness) => {
      const { clock, server, replay } = harness;
      const before = replay.events.length;
      server.cut('silent');
      for (let update = 1; update <= count; update++) server.put('a/1', `update ${update}`);
      server.compact();
      await clock.advance(70_000);
      expect(replay.events.slice(before)).toMatchObject([
        { type: 'update', relisted: true, object: { data: { value: `update ${count}` } } },
      ]);
      expectSame(harness);
    });
  });
});
