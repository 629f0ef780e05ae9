import { describe, expect, test } from 'vitest';
import { viewOf } from '../reloader/report/report.test.support.ts';
import type { WorkloadView } from '../reloader/report/reporter.ts';
import type { Later } from '../reloader/schedule/types.ts';
import { workloadFacts } from '../reloader/want/world.test.support.ts';
import { partsOver } from './parts.test.support.ts';
import { select } from './selection.ts';

const SECRET = { kind: 'Secret', namespace: 'shop', name: 'key' } as const;

function view(name: string, more: Partial<WorkloadView> = {}): WorkloadView {
  const facts = workloadFacts();
  const named = { ...facts, metadata: { ...facts.metadata, name } };
  const base = viewOf(named, more);
  return { ...base, want: { ...base.want, sources: [{ ref: SECRET }] as never } };
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
  test('are computed when somebody asks, and then only for what was touched', async () => {
    const { lines, shown, asked } = cluster(view('a'), view('b'));
    lines.touch(view('a').ref);
    expect(asked()).toBe(0);
    expect(lines.all().map(({ line }) => line.workload.name)).toEqual(['a', 'b']);
    const before = asked();
    await lines.fresh();
    lines.all();
    expect(asked()).toBe(before);
    shown.set('a', view('a', { deferred: held }));
    lines.touch(view('a').ref);
    await lines.fresh();
    expect(asked()).toBe(before + 1);
    expect(lines.all()[0]?.line).toMatchObject({ state: 'waiting', pending: { why: 'batching' } });
  });

  test('get a new number only when they come out different', async () => {
    const { lines, sequence, shown } = cluster(view('a'));
    const [first] = lines.all();
    lines.touch(view('a').ref);
    await lines.fresh();
    expect(lines.all()[0]?.number).toBe(first?.number);
    expect(JSON.parse(first?.json ?? '')).toMatchObject({ number: first?.number, workload: { name: 'a' } });
    const mark = sequence.last;
    shown.set('a', view('a', { lastError: 'quota' }));
    lines.touch(view('a').ref);
    await lines.fresh();
    expect([...(lines.since(mark) ?? [])].map(({ line }) => line.state)).toEqual(['failing']);
  });

  test('of deleted workloads go, and who comes back is told', async () => {
    const { lines, sequence, shown } = cluster(view('a'), view('b'));
    lines.all();
    const mark = sequence.last;
    shown.delete('a');
    lines.touch(view('a').ref);
    await lines.fresh();
    expect(lines.all()).toHaveLength(1);
    expect(lines.goneSince(mark)).toMatchObject([{ ref: { name: 'a' } }]);
  });

  test('that nobody asks for are given up, and made again', async () => {
    const { lines, clock, sequence } = cluster(view('a'));
    lines.all();
    const mark = sequence.last;
    await clock.advance(120_001);
    lines.touch(view('a').ref);
    expect(lines.isKept).toBe(false);
    expect(lines.since(mark)).toBeUndefined();
    expect(lines.all()).toHaveLength(1);
    expect(lines.since(mark)).toBeUndefined();
  });

  test('are kept while somebody listens', async () => {
    const { lines, clock } = cluster(view('a'));
    lines.all();
    const stop = lines.listen(() => undefined);
    await clock.advance(500_000);
    lines.touch(view('a').ref);
    expect(lines.isKept).toBe(true);
    stop();
  });
});

describe('a selection', () => {
  const { lines } = cluster(
    view('cart', { deferred: held }),
    view('search', { lastError: 'quota' }),
    view('web'),
    view('worker'),
  );
  const names = (selection: Partial<Parameters<typeof select>[1]>): string[] =>
    select(lines.all(), { words: [], limit: 0, ...selection }).page.map(({ line }) => line.workload.name);

  test('is by state, wait, words and source', () => {
    expect(names({})).toEqual(['cart', 'search', 'web', 'worker']);
    expect(names({ state: 'failing' })).toEqual(['search']);
    expect(names({ state: 'batching' })).toEqual(['cart']);
    expect(names({ words: ['w', 'shop/'] })).toEqual(['web', 'worker']);
    expect(names({ words: ['secret/key'] })).toHaveLength(4);
    expect(names({ source: 'shop/Secret/key' })).toHaveLength(4);
    expect(names({ source: 'shop/Secret/other' })).toEqual([]);
    expect(names({ kind: 'job' })).toEqual([]);
    expect(names({ namespace: 'bank' })).toEqual([]);
  });

  test('counts what the other filters let pass', () => {
    const { counts } = select(lines.all(), { words: [], limit: 1, state: 'failing' });
    expect(counts).toEqual({
      all: 4,
      byState: { failing: 1, waiting: 1, rolling: 0, troubled: 0, current: 2 },
      byWait: { batching: 1 },
      frozen: 0,
    });
  });

  test('comes in pages that meet', () => {
    const first = select(lines.all(), { words: [], limit: 3 });
    expect(first.next).toBe('shop/Deployment/web');
    expect(names({ limit: 3, after: first.next })).toEqual(['worker']);
    expect(select(lines.all(), { words: [], limit: 3, after: first.next }).next).toBeUndefined();
  });
});
