import { afterEach, describe, expect, it } from 'vitest';
import { expired, type FakeServer, serverError, tooLarge } from './fake-server.test.support.ts';
import { type Harness, type HarnessOptions, startReflector, stateOf } from './harness.test.support.ts';

let harness: Harness | undefined;

async function start(options: HarnessOptions = {}): Promise<Harness> {
  harness = await startReflector(options);
  return harness;
}

/** After every test: nothing may be left behind. */
afterEach(async () => {
  await harness?.stop();
  expect(harness?.clock.pendingTimers).toBe(0);
  expect(harness?.server.streams.size).toBe(0);
  harness = undefined;
});

const threeItems = (server: FakeServer): void => {
  for (const name of ['a', 'b', 'c']) server.put(`ns/${name}`, name);
};
const paged: HarnessOptions['tuning'] = { watchList: false };

describe('Requested versions', () => {
  it('lists the newest state first and watches from the version of the list', async () => {
    const { asked, sink, server } = await start({ tuning: paged, prepare: threeItems });
    expect(asked()).toEqual(['list newest limit 500', 'watch 103']);
    expect(sink.state).toEqual(stateOf(server));
  });

  it('relists at the last version that it has seen when the watch has expired', async () => {
    const { asked, server, clock, relists } = await start({ tuning: paged, prepare: threeItems });
    server.put('ns/d', 'd');
    await clock.settle();
    server.cut(expired());
    await clock.settle();
    expect(asked().slice(2)).toEqual(['list 104', 'watch 104']);
    expect(relists).toEqual(['expired']);
  });

  it('lists the newest state at once when the last version has expired for lists too', async () => {
    const { asked, server, clock, sink } = await start({ tuning: paged, prepare: threeItems });
    server.failNext('list', expired());
    server.put('ns/d', 'd');
    server.cut(expired());
    await clock.settle();
    expect(asked().slice(2)).toEqual(['list 104', 'list newest limit 500', 'watch 104']);
    expect(sink.state).toEqual(stateOf(server));
  });

  it('goes back to relisting at the last version once a list has worked', async () => {
    const { asked, server, clock } = await start({ tuning: paged, prepare: threeItems });
    server.failNext('list', expired());
    server.cut(expired());
    await clock.settle();
    server.put('ns/d', 'd');
    await clock.settle();
    server.cut(expired());
    await clock.settle();
    expect(asked().slice(5)).toEqual(['list 104', 'watch 104']);
  });

  it('lists the newest state at once when the server has not reached the last version', async () => {
    const { asked, server, clock, sink } = await start({ tuning: paged, prepare: threeItems });
    server.put('ns/d', 'd');
    await clock.settle();
    server.failNext('list', tooLarge());
    server.cut(expired());
    await clock.settle();
    expect(asked().slice(2)).toEqual(['list 104', 'list newest limit 500', 'watch 104']);
    expect(sink.state).toEqual(stateOf(server));
  });

  it('waits before it asks a third time', async () => {
    const { asked, server, clock } = await start({ tuning: paged, prepare: threeItems });
    server.failNext('list', tooLarge(), tooLarge());
    server.cut(expired());
    await clock.settle();
    expect(asked().slice(2)).toEqual(['list 103', 'list newest limit 500']);
    await clock.advance(1600);
    expect(asked().slice(4)).toEqual(['list newest limit 500', 'watch 103']);
  });

  it('takes the version of a bookmark, so that a quiet kind does not expire', async () => {
    const { asked, server, clock, sink } = await start({ tuning: paged, prepare: threeItems });
    server.tick(1000);
    server.bookmark();
    await clock.settle();
    server.compact();
    server.cut('eof');
    await clock.advance(0);
    expect(sink.version).toBe('1103');
    expect(asked().slice(2)).toEqual(['watch 1103']);
  });
});

describe('Paging', () => {
  it('reads page after page and shows nothing before the last', async () => {
    const { asked, sink, server, clock } = await start({
      tuning: { ...paged, pageSize: 2 },
      prepare: (prepared) => {
        threeItems(prepared);
        prepared.outage = (verb, { continue: token }) => (verb === 'list' && token ? 'hang' : undefined);
      },
    });
    expect(asked()).toEqual(['list newest limit 2', 'list continue limit 2']);
    expect(sink.state.size).toBe(0);
    server.outage = () => undefined;
    await clock.advance(72_000);
    expect(sink.state).toEqual(stateOf(server));
  });

  it('is patient with a list that is long but not silent', async () => {
    const { asked, sink, server, clock, reflector } = await start({
      tuning: paged,
      prepare: (prepared) => {
        threeItems(prepared);
        prepared.pauseBetweenItemsMs = 60_000;
      },
    });
    await clock.advance(150_000);
    expect(reflector.lastReceived).toBe(120_000);
    await clock.advance(30_000);
    expect(asked()).toEqual(['list newest limit 500', 'watch 103']);
    expect(sink.state).toEqual(stateOf(server));
  });

  it('forgets the pages it has read when it has to start over', async () => {
    const { sink } = await start({
      tuning: { ...paged, pageSize: 2 },
      prepare: (prepared) => {
        threeItems(prepared);
        prepared.outage = (verb, { continue: token }) =>
          verb === 'list' && token ? serverError() : undefined;
      },
    });
    expect(sink.calls).toEqual(['begin', 'discard']);
  });

  it('keeps paging when a list of version "0" came in pages', async () => {
    const { asked, server, clock } = await start({
      tuning: { ...paged, pageSize: 2, firstListVersion: '0' },
      prepare: (prepared) => {
        threeItems(prepared);
        prepared.watchCache = false;
      },
    });
    server.cut(expired());
    await clock.settle();
    expect(asked()).toEqual([
      'list 0 limit 2',
      'list continue limit 2',
      'watch 103',
      'list 103 limit 2',
      'list continue limit 2',
      'watch 103',
    ]);
  });

  it('does not page a relist where the cache of the server answers', async () => {
    const { asked, server, clock } = await start({
      tuning: { ...paged, pageSize: 2, firstListVersion: '0' },
      prepare: threeItems,
    });
    server.cut(expired());
    await clock.settle();
    expect(asked()).toEqual(['list 0 limit 2', 'watch 103', 'list 103', 'watch 103']);
  });

  it('lists everything in one piece when a continue token has expired', async () => {
    const { asked, sink, server } = await start({
      tuning: { ...paged, pageSize: 2 },
      prepare: (prepared) => {
        threeItems(prepared);
        let pages = 0;
        prepared.outage = (verb) => {
          // Between the two pages an object is deleted, and the version of the first page expires.
          if (verb !== 'list' || ++pages !== 2) return undefined;
          prepared.remove('ns/a');
          prepared.compact();
          return undefined;
        };
      },
    });
    expect(asked()).toEqual(['list newest limit 2', 'list continue limit 2', 'list newest', 'watch 104']);
    expect(sink.state).toEqual(stateOf(server));
  });
});

describe('Watch-list', () => {
  it('fills the store from one stream and goes on with it', async () => {
    const { asked, sink, server, clock } = await start({ prepare: threeItems });
    server.put('ns/d', 'd');
    server.remove('ns/a');
    await clock.settle();
    expect(asked()).toEqual(['watch-list newest']);
    expect(sink.state).toEqual(stateOf(server));
    expect(sink.calls).toEqual(['begin', 'replace 103', 'ADDED d 104', 'DELETED a 105']);
  });

  it('asks for bookmarks and an age between 5 and 10 minutes', async () => {
    const { server, clock } = await start({ prepare: threeItems });
    for (let round = 0; round < 30; round++) {
      server.tick();
      server.bookmark();
      server.cut('eof');
      await clock.settle();
    }
    const seconds = server.asked.map(({ options }) => options.timeoutSeconds ?? 0);
    expect(server.asked.every(({ options }) => options.allowWatchBookmarks)).toBe(true);
    expect(Math.min(...seconds)).toBeGreaterThanOrEqual(300);
    expect(Math.max(...seconds)).toBeLessThan(600);
    expect(new Set(seconds).size).toBeGreaterThan(20);
  });

  it('remembers that the server does not know it', async () => {
    const { asked, server, clock } = await start({
      prepare: (prepared) => {
        threeItems(prepared);
        prepared.watchLists = 'unsupported';
      },
    });
    expect(asked()).toEqual(['watch-list newest', 'list newest limit 500', 'watch 103']);
    server.watchLists = 'yes';
    server.cut(expired());
    await clock.settle();
    expect(asked().slice(3)).toEqual(['list 103', 'watch 103']);
  });

  it('shows nothing, warns after 10 s and falls back when the end mark never comes', async () => {
    const { asked, clock, sink, lines, server } = await start({
      prepare: (prepared) => {
        threeItems(prepared);
        prepared.watchLists = 'endless';
        prepared.bookmarkEveryMs = 1e9;
      },
    });
    await clock.advance(9_999);
    expect(lines()).toEqual([]);
    await clock.advance(1);
    expect(lines()).toEqual([expect.stringContaining('not complete after 10 s')]);
    await clock.advance(59_000);
    expect(sink.state.size).toBe(0);
    await clock.advance(1_000);
    expect(asked()).toEqual(['watch-list newest', 'list newest limit 500', 'watch 103']);
    expect(sink.state).toEqual(stateOf(server));
  });

  it('leaves out what was deleted again before the end mark', async () => {
    const { clock, sink, server } = await start({
      prepare: (prepared) => {
        threeItems(prepared);
        prepared.watchLists = 'endless';
      },
    });
    server.remove('ns/b');
    for (const stream of server.streams) stream.bookmark(server.revision, true);
    await clock.settle();
    expect(sink.state).toEqual(stateOf(server));
    expect(sink.calls).toEqual(['begin', 'replace 104']);
  });
});
