import { afterEach, describe, expect, it } from 'vitest';
import { ConnectionError } from '../client/errors.ts';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { objectApi } from './api.ts';
import { FakeServer, ITEMS, serverError, throttled } from './fake-server.test.support.ts';
import {
  type Harness,
  type HarnessOptions,
  RecordingSink,
  startReflector,
  stateOf,
} from './harness.test.support.ts';
import { Reflector } from './reflector.ts';

let harness: Harness | undefined;

async function start(options: HarnessOptions = {}): Promise<Harness> {
  harness = await startReflector(options);
  return harness;
}

/** After every test: nothing may be left behind. */
afterEach(async () => {
  if (!harness) return;
  await harness.stop();
  expect(harness.clock.pendingTimers).toBe(0);
  expect(harness.server.streams.size).toBe(0);
  harness = undefined;
});

const threeItems = (server: FakeServer): void => {
  for (const name of ['a', 'b', 'c']) server.put(`ns/${name}`, name);
};

describe('When the watch fails', () => {
  it('does not relist when it is throttled, and waits at least as long as it is told', async () => {
    const { asked, server, clock, relists } = await start({ prepare: threeItems });
    server.failNext('watch', throttled(5), throttled(5));
    server.put('ns/d', 'd');
    server.cut('eof');
    await clock.settle();
    const refused = server.asked.at(-1)?.at ?? 0;
    await clock.runUntil(() => server.asked.length === 4);
    const times = server.asked.slice(1).map(({ at }) => at - refused);
    expect(asked().slice(1)).toEqual(['watch 104', 'watch 104', 'watch 104']);
    expect(times[1]).toBeGreaterThanOrEqual(5000);
    expect((times[2] ?? 0) - (times[1] ?? 0)).toBeGreaterThanOrEqual(5000);
    expect(relists).toEqual([]);
  });

  it('does not relist when the connection is refused', async () => {
    const { asked, server, clock, sink } = await start({ prepare: threeItems });
    server.failNext('watch', new ConnectionError('refused'), new ConnectionError('refused'));
    server.cut('lost');
    await clock.advance(10_000);
    server.put('ns/d', 'd');
    await clock.settle();
    expect(asked().slice(1)).toEqual(['watch 103', 'watch 103', 'watch 103']);
    expect(sink.state).toEqual(stateOf(server));
  });

  it('goes on without a relist after a burst of server errors', async () => {
    const { server, clock, relists, sink } = await start({ prepare: threeItems });
    server.failNext('watch', serverError(), serverError(), serverError());
    server.cut(serverError());
    await clock.advance(60_000);
    server.put('ns/d', 'd');
    await clock.settle();
    expect(relists).toEqual([]);
    expect(sink.state).toEqual(stateOf(server));
  });

  it('relists when server errors last', async () => {
    const { server, clock, relists, sink } = await start({ prepare: threeItems });
    server.outage = (verb) => (verb === 'watch' ? serverError() : undefined);
    server.put('ns/d', 'd');
    server.cut(serverError());
    await clock.runUntil(() => relists.length > 0, 200_000);
    await clock.advance(60_000);
    expect(relists).toEqual(['errors']);
    expect(sink.state).toEqual(stateOf(server));
  });

  it('backs off from watches that end at once', async () => {
    const { server, clock, problems } = await start({ prepare: threeItems });
    for (let round = 0; round < 200; round++) {
      server.cut('eof');
      await clock.advance(500);
    }
    // 100 s of streams that live less than a second: pauses of 0.8, 1.6, 3.2 ... and up to twice that.
    expect(server.asked.length).toBeLessThan(9);
    expect(problems.filter((kind) => kind === 'very-short').length).toBeGreaterThanOrEqual(4);
  });

  it('opens a watch again at once when the server ends it in order', async () => {
    const { asked, clock, server } = await start({ prepare: threeItems });
    await clock.advance(600_000);
    const first = server.asked[1];
    expect(asked()[1]).toBe('watch 103');
    expect(first?.at).toBe((server.asked[0]?.options.timeoutSeconds ?? 0) * 1000);
  });

  it('replaces a silent connection after 70 s and counts silences in a row', async () => {
    const { server, clock, reflector, sink, lines } = await start({ prepare: threeItems });
    await clock.advance(30_000);
    server.bookmark();
    await clock.settle();
    server.outage = (verb) => (verb === 'watch' ? 'hang' : undefined);
    server.cut('silent');
    server.put('ns/d', 'd');
    await clock.advance(69_999);
    expect(reflector.stalls).toBe(0);
    await clock.advance(70_001);
    expect(reflector.stalls).toBe(2);
    server.outage = () => undefined;
    await clock.advance(70_000);
    expect(reflector.stalls).toBe(0);
    expect(sink.state).toEqual(stateOf(server));
    const silences = lines().filter((line) => line.includes('was silent'));
    expect(silences.map((line) => line.split(' ')[0])).toEqual(['info', 'warn', 'warn']);
  });

  it('leaves out something of another kind and goes on', async () => {
    const { server, clock, malformed, sink } = await start({ prepare: threeItems });
    for (const stream of server.streams) {
      stream.data('ADDED', { kind: 'Table', metadata: { name: 't', uid: 't', resourceVersion: '104' } });
      stream.data('ADDED', { metadata: { name: '', uid: 't', resourceVersion: '105' } });
    }
    server.tick(2);
    server.put('ns/d', 'd');
    await clock.settle();
    expect(malformed).toEqual(['its kind is Table, not Item', 'it has no name']);
    expect(sink.state).toEqual(stateOf(server));
  });
});

describe('When the sink throws', () => {
  it('ends with that error, and asks the server for nothing more', async () => {
    const clock = new VirtualClock();
    const server = new FakeServer(clock);
    threeItems(server);
    const sink = new RecordingSink();
    sink.collect = () => {
      throw new RangeError('a bug');
    };
    const reflector = new Reflector({ type: ITEMS, api: objectApi(server, ITEMS), sink, clock });
    await expect(reflector.run(new AbortController().signal)).rejects.toThrow('a bug');
    expect(server.asked).toHaveLength(1);
  });
});
