import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { apiErrorFrom } from '../client/errors.ts';
import { expired, type FakeServer, serverError } from './fake-server.test.support.ts';
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

describe('Log messages', () => {
  it('says once that reading is forbidden, and once that it works again', async () => {
    const forbidden = apiErrorFrom({ code: 403, reason: 'Forbidden' });
    const { server, clock, reflector, lines, sink, phases } = await start({
      prepare: (prepared) => {
        threeItems(prepared);
        prepared.outage = () => forbidden;
      },
    });
    await clock.advance(300_000);
    expect(reflector.phase).toEqual({ phase: 'forbidden', error: forbidden });
    expect(new Set(phases)).toEqual(new Set(['forbidden']));
    phases.length = 0;
    server.outage = () => undefined;
    await clock.advance(60_000);
    expect(phases).toEqual(['listing', 'watching']);
    expect(reflector.phase).toEqual({ phase: 'watching' });
    expect(lines()).toEqual([
      expect.stringContaining('warn Not allowed to read items.test.example: grant'),
      'info Reading items.test.example works again',
    ]);
    expect(sink.state).toEqual(stateOf(server));
  });

  it('keeps what it has while it is forbidden, and goes on without a relist', async () => {
    const { server, clock, sink, relists, reflector } = await start({ prepare: threeItems });
    server.outage = () => apiErrorFrom({ code: 403, reason: 'Forbidden' });
    server.cut('eof');
    server.put('ns/d', 'd');
    await clock.advance(30_000);
    expect(reflector.phase.phase).toBe('forbidden');
    expect(sink.state.size).toBe(3);
    server.outage = () => undefined;
    await clock.advance(60_000);
    expect(sink.state).toEqual(stateOf(server));
    expect(relists).toEqual([]);
  });

  it('says that a kind is missing, and reads it all once it is there', async () => {
    const { server, clock, sink, reflector, lines } = await start({
      prepare: (prepared) => {
        prepared.outage = () => apiErrorFrom({ code: 404, reason: 'NotFound' });
      },
    });
    await clock.advance(100_000);
    expect(reflector.phase.phase).toBe('missing');
    threeItems(server);
    server.outage = () => undefined;
    await clock.advance(60_000);
    expect(sink.state).toEqual(stateOf(server));
    expect(lines()[0]).toContain('does not serve items.test.example: install');
  });
});

describe('Stopping', () => {
  it('refuses to run twice at the same time', async () => {
    const { reflector } = await start({ prepare: threeItems });
    await expect(reflector.run(new AbortController().signal)).rejects.toThrow('already runs');
  });

  it.each(['list', 'watch', 'watch-list'] as const)('ends while a %s hangs', async (verb) => {
    const { server } = await start({
      tuning: { watchList: verb === 'watch-list' },
      prepare: (prepared) => {
        prepared.outage = (asked) => (asked === verb ? 'hang' : undefined);
      },
    });
    expect(server.asked.at(-1)?.verb).toBe(verb);
  });

  it('forgets what it had collected', async () => {
    const { stop, sink } = await start({
      prepare: (server) => {
        threeItems(server);
        server.watchLists = 'endless';
      },
    });
    await stop();
    expect(sink.calls).toEqual(['begin', 'discard']);
  });

  it('ends while it backs off', async () => {
    const { reflector } = await start({
      prepare: (prepared) => {
        prepared.outage = () => serverError();
      },
    });
    expect(reflector.phase.phase).toBe('backing-off');
  });

  it('goes on from what it knows when it is run again', async () => {
    const { reflector, server, stop, asked, clock } = await start({ prepare: threeItems });
    await stop();
    const again = new AbortController();
    const running = reflector.run(again.signal);
    await clock.settle();
    again.abort();
    await running;
    expect(asked()).toEqual(['watch-list newest', 'watch-list 103']);
    expect(server.streams.size).toBe(0);
  });

  it('leaves no listener on the signal of its owner', async () => {
    const { reflector, stop, clock, server } = await start({ prepare: threeItems });
    await stop();
    const controller = new AbortController();
    const listeners = (): number => getEventListeners(controller.signal, 'abort').length;
    const running = reflector.run(controller.signal);
    for (let round = 0; round < 20; round++) {
      server.cut(round % 2 ? 'eof' : expired());
      await clock.advance(2000);
    }
    // Its own timer, and that of a pause if there is one.
    expect(listeners()).toBeLessThanOrEqual(2);
    controller.abort();
    await running;
    expect(listeners()).toBe(0);
  });
});

describe('Metadata only', () => {
  it('asks for metadata in every request', async () => {
    const { server, clock } = await start({ metadataOnly: true, prepare: threeItems });
    server.cut(expired());
    await clock.settle();
    expect(server.asked.map(({ options }) => options.metadataOnly)).toEqual([true, true]);
  });
});
