import { describe, expect, test, vi } from 'vitest';
import { viewOf } from '../reloader/report/report.test.support.ts';
import type { WorkloadView } from '../reloader/report/reporter.ts';
import { workloadFacts } from '../reloader/want/world.test.support.ts';
import { partsOver } from './parts.test.support.ts';
import type { StreamBatch } from './shapes.ts';
import type { Subscription } from './streams.ts';

const SECRET = { kind: 'Secret', namespace: 'shop', name: 'key' } as const;

function view(name: string, lastError?: string): WorkloadView {
  const facts = workloadFacts();
  const base = viewOf({ ...facts, metadata: { ...facts.metadata, name } }, { lastError });
  return { ...base, want: { ...base.want, sources: [{ ref: SECRET }] as never } };
}

class FakeSink {
  text = '';
  buffered = 0;
  ended = false;

  write(chunk: string | Uint8Array): void {
    this.text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
  }

  end(): void {
    this.ended = true;
  }

  /** Everything that was sent since the last call. */
  take(): { readonly batches: StreamBatch[]; readonly resets: number } {
    const parts = this.text.split('\n\n');
    this.text = '';
    const batches = parts.flatMap((part) => /^id: .*\nevent: batch\ndata: (.*)$/.exec(part)?.[1] ?? []);
    return {
      batches: batches.map((each) => JSON.parse(each) as StreamBatch),
      resets: parts.filter((part) => part.startsWith('event: reset')).length,
    };
  }
}

function play(size = 2) {
  const shown = new Map(Array.from({ length: size }, (_, at) => [`w${at}`, view(`w${at}`)]));
  const parts = partsOver(() => shown.values());
  parts.lines.all();
  const open = async (more: Partial<Subscription> = {}) => {
    const sink = new FakeSink();
    const close = parts.streams.open({
      sink,
      from: undefined,
      namespace: undefined,
      stillMay: async () => true,
      ...more,
    });
    await parts.lines.fresh();
    return { sink, close };
  };
  const change = (name: string, error: string): void => {
    shown.set(name, view(name, error));
    parts.lines.touch(view(name).ref);
  };
  return { ...parts, shown, open, change };
}

const errors = ({ batches }: ReturnType<FakeSink['take']>) =>
  batches.flatMap(({ lines }) => lines.map(({ lastError }) => lastError));

describe('a stream', () => {
  test('sends its position at once', async () => {
    const { open } = play();
    const { sink } = await open();
    expect(sink.text.startsWith(':\n\n')).toBe(true);
    expect(sink.take().batches).toMatchObject([
      { lines: [], gone: [], events: [], leading: true, counts: { all: 2 } },
    ]);
  });

  test('sends the changes of a tenth of a second in one batch', async () => {
    const { open, change, clock } = play();
    const { sink } = await open();
    sink.take();
    change('w0', 'one');
    change('w1', 'two');
    change('w0', 'three');
    await clock.advance(99);
    expect(sink.take().batches).toEqual([]);
    await clock.advance(1);
    const told = sink.take();
    expect(told.batches).toHaveLength(1);
    expect(errors(told).sort()).toEqual(['three', 'two']);
  });

  test("continues at its reader's position", async () => {
    const { open, change, clock, streams } = play();
    const first = await open();
    const [{ revision = '' } = {}] = first.sink.take().batches;
    first.close();
    expect(streams.size).toBe(0);
    change('w1', 'missed');
    const again = await open({ from: revision });
    await clock.advance(100);
    const told = again.sink.take();
    expect(told.resets).toBe(0);
    expect(errors(told)).toEqual(['missed']);
  });

  test.each(['other:1', 'epoch:999999', 'nonsense'])(
    'begins anew for a reader that stands at %s',
    async (from) => {
      const { open } = play();
      expect((await open({ from })).sink.take().resets).toBe(1);
    },
  );

  test('sends events of the timeline, too, and deleted workloads', async () => {
    const { open, shown, timeline, lines, clock } = play();
    const { sink } = await open();
    sink.take();
    timeline.sourceChanged('Secret', SECRET, 'old-digest', 'new-digest', 3);
    shown.delete('w0');
    lines.touch(view('w0').ref);
    await clock.advance(100);
    const [batch] = sink.take().batches;
    expect(batch?.events).toMatchObject([
      { type: 'source', change: 'changed', source: SECRET, concerned: 3 },
    ]);
    expect(batch?.gone).toMatchObject([{ name: 'w0' }]);
    expect(JSON.stringify(batch)).not.toContain('digest');
  });

  test('tells that its replica begins to lead, once, although nothing else changed', async () => {
    let leading = false;
    const leads = () => leading;
    const { lines, streams, clock } = partsOver(() => [view('w0')], undefined, undefined, leads);
    const sink = new FakeSink();
    streams.open({ sink, from: undefined, namespace: undefined, stillMay: async () => true });
    await lines.fresh();
    expect(sink.take().batches).toMatchObject([{ leading: false }]);
    leading = true;
    for (const expected of [[{ leading: true, lines: [] }], []]) {
      lines.touchAll();
      await clock.advance(1_000);
      expect(sink.take().batches).toMatchObject(expected);
    }
  });

  test('of one namespace sends nothing of others', async () => {
    const { open, change, timeline, clock } = play();
    const { sink } = await open({ namespace: 'bank' });
    sink.take();
    change('w0', 'one');
    timeline.sourceChanged('Secret', SECRET, 'a', 'b', 1);
    await clock.advance(100);
    expect(sink.take().batches).toEqual([]);
  });

  test('of one namespace sends its events, however many others have', async () => {
    const { open, timeline, clock } = play();
    const { sink } = await open({ namespace: 'shop' });
    sink.take();
    timeline.sourceChanged('Secret', SECRET, 'a', 'b', 1);
    for (let at = 0; at < 500; at++)
      timeline.sourceChanged('Secret', { ...SECRET, namespace: 'bank' }, 'a', 'b', 1);
    await clock.advance(100);
    const [batch] = sink.take().batches;
    expect(batch?.events).toMatchObject([{ source: SECRET }]);
    expect(batch).not.toHaveProperty('more');
  });

  test('says so if it leaves out events', async () => {
    const { open, timeline, clock } = play();
    const { sink } = await open();
    sink.take();
    for (let at = 0; at < 501; at++) timeline.sourceChanged('Secret', SECRET, 'a', 'b', 1);
    await clock.advance(100);
    const [batch] = sink.take().batches;
    expect(batch?.events).toHaveLength(500);
    expect(batch).toMatchObject({ more: true });
  });

  test('of very many changes sends only a notice and the current counts', async () => {
    const { open, change, clock, lines } = play(120);
    const { sink } = await open();
    sink.take();
    for (let at = 0; at < 100; at++) change(`w${at}`, 'x');
    await clock.advance(100);
    await lines.fresh();
    const [all] = sink.take().batches;
    expect(all?.lines).toHaveLength(100);
    expect(all).not.toHaveProperty('more');
    for (let at = 0; at < 101; at++) change(`w${at}`, 'y');
    await clock.advance(500);
    await lines.fresh();
    const { batches } = sink.take();
    expect(batches).toMatchObject([{ lines: [], more: true, counts: { byState: { failing: 101 } } }]);
  });

  test('tells a reader that missed more than is remembered to read again', async () => {
    const { open } = play();
    const [batch] = (await open({ from: 'epoch:0' })).sink.take().batches;
    expect(batch).toMatchObject({ lines: [], more: true });
  });

  test('writes one batch once, however many wait for it', async () => {
    const { open, change, clock, timeline } = play();
    const readers = await Promise.all(Array.from({ length: 10 }, () => open()));
    for (const { sink } of readers) sink.take();
    const made = vi.spyOn(timeline, 'after');
    change('w0', 'one');
    await clock.advance(100);
    expect(made).toHaveBeenCalledOnce();
    for (const { sink } of readers) expect(errors(sink.take())).toEqual(['one']);
  });

  test('sends a batch in every tenth of a second while changes keep coming', async () => {
    const { open, change, clock } = play();
    const { sink } = await open();
    sink.take();
    const batches: number[] = [];
    for (let tenth = 0; tenth < 20; tenth++) {
      change('w0', `first ${tenth}`);
      await clock.advance(60);
      change('w0', `second ${tenth}`);
      await clock.advance(39);
      expect(sink.take().batches).toEqual([]);
      await clock.advance(1);
      const told = sink.take();
      batches.push(told.batches.length);
      expect(errors(told)).toEqual([`second ${tenth}`]);
    }
    expect(batches).toEqual(Array(20).fill(1));
  });

  test('sends fewer batches while many workloads change, and again one in a tenth of a second after that', async () => {
    const { open, change, clock, lines } = play(30);
    const { sink } = await open();
    sink.take();
    const sentAfter = async (ms: number): Promise<number> => {
      await clock.advance(ms);
      await lines.fresh();
      return sink.take().batches.length;
    };
    const changeMany = (error: string): void => {
      for (let at = 0; at < 21; at++) change(`w${at}`, error);
    };
    changeMany('x');
    expect(await sentAfter(100)).toBe(1);
    changeMany('y');
    expect(await sentAfter(499)).toBe(0);
    expect(await sentAfter(1)).toBe(1);
    await clock.advance(500);
    change('w0', 'z');
    expect(await sentAfter(100)).toBe(1);
  });

  test('of a flood of changes sends one batch when it ends, and one in three seconds until then', async () => {
    const { open, change, clock, lines } = play(120);
    const { sink } = await open();
    for (let at = 0; at < 101; at++) change(`w${at}`, 'first');
    await clock.advance(100);
    await lines.fresh();
    sink.take();
    const sentAt: number[] = [];
    const pass = async (from: number, to: number, changing: boolean): Promise<void> => {
      for (let ms = from; ms < to; ms += 100) {
        if (changing) for (let at = 0; at < 101; at++) change(`w${at}`, `at ${ms}`);
        await clock.advance(100);
        // A batch that is due is computed in pieces.
        for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
        if (sink.take().batches.length > 0) sentAt.push(ms + 100);
      }
    };
    await pass(0, 7_000, true);
    await pass(7_000, 9_000, false);
    expect(sentAt).toEqual([3_000, 6_000, 7_400]);
  });

  test('a slow reader gets the current state, and one that consumes nothing is dropped', async () => {
    const { open, change, clock, streams } = play();
    const { sink } = await open();
    sink.take();
    sink.buffered = 300_000;
    change('w0', 'one');
    await clock.advance(100);
    change('w0', 'two');
    await clock.advance(200);
    expect(sink.take().batches).toEqual([]);
    sink.buffered = 0;
    await clock.advance(100);
    expect(errors(sink.take())).toEqual(['two']);
    sink.buffered = 300_000;
    change('w0', 'three');
    for (let tenths = 0; tenths < 304; tenths++) await clock.advance(100);
    expect(sink.ended).toBe(true);
    expect(streams.size).toBe(0);
  });

  test('sends a heartbeat every 15 s, and ends when its reader is no longer authorized', async () => {
    let may = true;
    const { open, clock } = play();
    const { sink } = await open({ stillMay: async () => may });
    sink.take();
    await clock.advance(15_000);
    expect(sink.text).toBe(':\n\n');
    may = false;
    await clock.advance(45_000);
    expect(sink.ended).toBe(true);
  });

  test('there are 32 at most, and all end at once', async () => {
    const { open, streams } = play();
    const all = await Promise.all(Array.from({ length: 32 }, () => open()));
    expect(streams.isFull).toBe(true);
    streams.end();
    expect(all.every(({ sink }) => sink.ended)).toBe(true);
    expect(streams.size).toBe(0);
    expect(streams.isFull).toBe(true);
  });
});
