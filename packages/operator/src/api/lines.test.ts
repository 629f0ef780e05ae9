import { VirtualClock } from '@reloader/runtime/testing';
import { describe, expect, test, vi } from 'vitest';
import type { Freeze } from '../reloader/model/want.ts';
import { viewOf } from '../reloader/report/report.test.support.ts';
import type { WorkloadView } from '../reloader/report/reporter.ts';
import type { Later } from '../reloader/schedule/types.ts';
import { workloadFacts } from '../reloader/want/world.test.support.ts';
import { Lines } from './lines.ts';
import { partsOver } from './parts.test.support.ts';
import { select } from './selection.ts';
import { Sequence } from './sequence.ts';

const SECRET = { kind: 'Secret', namespace: 'shop', name: 'key' } as const;

function view(name: string, more: Partial<WorkloadView> = {}): WorkloadView {
  const facts = workloadFacts();
  const named = { ...facts, metadata: { ...facts.metadata, name } };
  const base = viewOf(named, more);
  return { ...base, want: { ...base.want, sources: [{ ref: SECRET }] as never } };
}

function frozen(name: string, freezes: readonly Partial<Freeze>[]): WorkloadView {
  const base = view(name);
  return { ...base, want: { ...base.want, policy: { ...base.want.policy, freezes: freezes as Freeze[] } } };
}

const held: Later = {
  kind: 'later',
  why: 'batching',
  until: 5_000,
  message: 'collects',
  change: 'c',
  since: 0,
};

function cluster(...views: WorkloadView[]) {
  const shown = new Map(views.map((each) => [each.ref.name, each]));
  let asked = 0;
  const parts = partsOver(() => {
    asked += 1;
    return shown.values();
  });
  return { ...parts, shown, asked: () => asked };
}

describe('lines', () => {
  test('are computed on request, and then only for touched workloads', async () => {
    const { lines, shown, asked } = cluster(view('a'), view('b'));
    lines.touch(view('a').ref);
    expect(asked()).toBe(0);
    expect(lines.all().map(({ workload }) => workload.name)).toEqual(['a', 'b']);
    const before = asked();
    await lines.fresh();
    lines.all();
    expect(asked()).toBe(before);
    shown.set('a', view('a', { deferred: held }));
    lines.touch(view('a').ref);
    await lines.fresh();
    expect(asked()).toBe(before + 1);
    expect(lines.all()[0]).toMatchObject({ state: 'waiting', why: 'batching' });
    expect(await lines.read(lines.all().slice(0, 1))).toMatchObject([{ pending: { why: 'batching' } }]);
  });

  test('are listed as they are computed, not all at the first request', async () => {
    const views = Array.from({ length: 5 }, (_, at) => view(`w${at}`));
    let listed = 0;
    const lines = new Lines({
      sequence: new Sequence('epoch'),
      *all() {
        for (const { ref } of views) {
          listed += 1;
          yield ref;
        }
      },
      view: ({ name }) => views.find(({ ref }) => ref.name === name),
      clock: new VirtualClock(),
    });
    lines.listen(() => undefined);
    expect(listed).toBe(0);
    await lines.fresh();
    expect(listed).toBe(5);
    expect(lines.countsIn('shop').all).toBe(5);
    lines.touchAll();
    expect(listed).toBe(5);
    await lines.fresh();
    expect(listed).toBe(10);
  });

  test('get a new number only when they have changed', async () => {
    const { lines, sequence, shown } = cluster(view('a'));
    const [first] = lines.all();
    lines.touch(view('a').ref);
    await lines.fresh();
    expect(lines.all()[0]?.number).toBe(first?.number);
    expect(await lines.read(lines.all())).toMatchObject([{ number: first?.number, workload: { name: 'a' } }]);
    const mark = sequence.last;
    shown.set('a', view('a', { lastError: 'quota' }));
    lines.touch(view('a').ref);
    await lines.fresh();
    const changes = lines.changesSince(mark) ?? [];
    expect(changes.map(({ json = '' }) => JSON.parse(json) as object)).toMatchObject([
      { number: lines.all()[0]?.number, state: 'failing', workload: { name: 'a' } },
    ]);
  });

  test('change with the reason and the end of a freeze, which overviews tell', async () => {
    const { lines, sequence, shown } = cluster(frozen('a', [{ place: 'namespace', reason: 'Sale' }]));
    lines.all();
    for (const more of [{ reason: 'Christmas' }, { reason: 'Christmas', until: 9e12 }]) {
      const mark = sequence.last;
      shown.set('a', frozen('a', [{ place: 'namespace', ...more }]));
      lines.touch(view('a').ref);
      await lines.fresh();
      expect(lines.changesSince(mark), JSON.stringify(more)).toHaveLength(1);
    }
  });

  test('are computed again when a freeze ends by itself, although no change waits', async () => {
    const clock = new VirtualClock();
    const place = 'workload';
    const [soon, later] = [clock.now() + 90_000, clock.now() + 3_600_000];
    const views = [frozen('a', [{ place, until: soon }]), frozen('b', [{ place, until: later }]), view('c')];
    const { lines } = partsOver(() => views, clock);
    const heard = vi.fn();
    lines.listen(heard);
    await lines.fresh();
    expect(lines.countsIn(undefined).frozen).toBe(2);
    await clock.advance(89_999);
    expect(heard).not.toHaveBeenCalled();
    await clock.advance(1);
    expect(heard).toHaveBeenCalledTimes(1);
    await lines.fresh();
    expect(lines.countsIn(undefined).frozen).toBe(1);
    await clock.advance(later - clock.now());
    await lines.fresh();
    expect(lines.countsIn(undefined).frozen).toBe(0);
  });

  test('of deleted workloads are removed, and the removal is a change', async () => {
    const { lines, sequence, shown } = cluster(view('a'), view('b'));
    lines.all();
    const mark = sequence.last;
    shown.delete('a');
    lines.touch(view('a').ref);
    await lines.fresh();
    expect(lines.all()).toHaveLength(1);
    const [gone] = lines.changesSince(mark) ?? [];
    expect(gone).toMatchObject({ workload: { name: 'a' } });
    expect(gone).not.toHaveProperty('json');
  });

  test('are dropped if no reader asks, and computed again on request', async () => {
    const { lines, clock, sequence } = cluster(view('a'));
    lines.all();
    const mark = sequence.last;
    await clock.advance(20_000);
    lines.all();
    await clock.advance(29_999);
    expect(lines.isKept).toBe(true);
    await clock.advance(1);
    expect(lines.isKept).toBe(false);
    expect(lines.changesSince(mark)).toBeUndefined();
    expect(lines.all()).toHaveLength(1);
    expect(lines.changesSince(mark)).toBeUndefined();
  });

  test('are kept while there is a listener', async () => {
    const { lines, clock } = cluster(view('a'));
    lines.all();
    const stop = lines.listen(() => undefined);
    await clock.advance(500_000);
    lines.touch(view('a').ref);
    expect(lines.isKept).toBe(true);
    stop();
    await clock.advance(60_000);
    expect(lines.isKept).toBe(false);
  });

  test('remember the last 256 changes', async () => {
    const { lines, sequence, shown } = cluster(view('a'));
    lines.all();
    const mark = sequence.last;
    for (let at = 0; at < 257; at++) {
      shown.set('a', view('a', { lastError: `${at}` }));
      lines.touch(view('a').ref);
      lines.all();
      if (at === 255) expect(lines.changesSince(mark)).toHaveLength(256);
    }
    expect(lines.changesSince(mark)).toBeUndefined();
    expect(lines.changesSince(mark + 1)).toHaveLength(256);
  });

  test('are no changes when all are computed for the first time', async () => {
    const { lines, sequence } = cluster(view('a'), view('b'));
    await lines.fresh();
    expect(lines.changesSince(sequence.last)).toEqual([]);
    expect(lines.changesSince(sequence.last - 1)).toBeUndefined();
  });

  test.each([
    [999, 0],
    [1_000, 1],
  ])(
    '%i of them leave memory to be given back %i times: when all are there, and when given up',
    async (size, times) => {
      const names = new Map(Array.from({ length: size }, (_, at) => [`w${at}`, view(`w${at}`)]));
      const tidy = vi.fn();
      const clock = new VirtualClock();
      const { lines } = partsOver(() => names.values(), clock, tidy);
      await lines.fresh();
      await clock.advance(3_000);
      expect(tidy).toHaveBeenCalledTimes(times);
      await clock.advance(60_000);
      expect(tidy).toHaveBeenCalledTimes(2 * times);
    },
  );

  test('stay in the order of their names, whatever comes and goes', () => {
    const names = Array.from({ length: 60 }, (_, at) => `w${(at * 37) % 60}`);
    const { lines, shown } = cluster();
    for (const name of names) {
      shown.set(name, view(name));
      lines.touch(view(name).ref);
      if (name.endsWith('3')) lines.all();
    }
    for (const name of names.slice(0, 20)) {
      shown.delete(name);
      lines.touch(view(name).ref);
    }
    expect(lines.all().map(({ workload }) => workload.name)).toEqual(names.slice(20).sort());
  });

  test('change their version when the list of sources changes', () => {
    const { lines, shown } = cluster(view('a'));
    lines.all();
    const version = lines.sourcesVersion;
    shown.set('a', view('a', { lastError: 'quota' }));
    lines.touch(view('a').ref);
    lines.all();
    expect(lines.sourcesVersion).toBe(version);
    shown.set('b', view('b'));
    lines.touch(view('b').ref);
    lines.all();
    expect(lines.sourcesVersion).toBeGreaterThan(version);
  });
});

describe('a selection', () => {
  const { lines } = cluster(
    view('cart', { deferred: held }),
    view('search', { lastError: 'quota' }),
    view('web'),
    view('worker'),
  );
  const names = async (selection: Partial<Parameters<typeof select>[1]>): Promise<string[]> => {
    const { page } = await select(lines.all(), { words: [], limit: 100, ...selection });
    return page.map(({ workload }) => workload.name);
  };

  test('is by state, wait, words and source', async () => {
    expect(await names({})).toEqual(['cart', 'search', 'web', 'worker']);
    expect(await names({ state: 'failing' })).toEqual(['search']);
    expect(await names({ state: 'batching' })).toEqual(['cart']);
    expect(await names({ words: ['w', 'shop/'] })).toEqual(['web', 'worker']);
    expect(await names({ words: ['secret/key'] })).toHaveLength(4);
    expect(await names({ source: 'shop/Secret/key' })).toHaveLength(4);
    expect(await names({ source: 'shop/Secret/other' })).toEqual([]);
    expect(await names({ kind: 'job' })).toEqual([]);
    expect(await names({ namespace: 'bank' })).toEqual([]);
    expect(await names({ key: 'shop/Deployment/web' })).toEqual(['web']);
  });

  test('counts the lines that pass the other filters', async () => {
    const { counts, total } = await select(lines.all(), { words: [], limit: 1, state: 'failing' });
    expect(total).toBe(1);
    expect(counts).toEqual({
      all: 4,
      byState: { failing: 1, waiting: 1, rolling: 0, troubled: 0, current: 2 },
      byWait: { batching: 1 },
      frozen: 0,
    });
  });

  test('comes in pages without gaps or overlaps', async () => {
    const first = await select(lines.all(), { words: [], limit: 3 });
    expect(first.next).toBe('shop/Deployment/web');
    expect(await names({ limit: 3, after: first.next })).toEqual(['worker']);
    expect(await names({ limit: 2, offset: 1 })).toEqual(['search', 'web']);
    expect(await names({ limit: 2, offset: 9 })).toEqual([]);
    expect(first.total).toBe(4);
    expect((await select(lines.all(), { words: [], limit: 3, after: first.next })).next).toBeUndefined();
  });
});
