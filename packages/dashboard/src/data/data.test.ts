/** The pure functions of the page, without a browser. */
import type {
  LineCounts,
  NumberedLine,
  OverviewAnswer,
  StreamBatch,
  TimelineEvent,
  Wait,
} from '@reloader/operator/api';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { filterOf, listPath } from './filter.ts';
import { freezeCommand, workloadCommands } from './kubectl.ts';
import { bucketsOf, lanesOf, ticksOf } from './lanes.ts';
import { type Page, PagedList } from './paged-list.ts';
import { formatRoute, parseRoute } from './route.ts';
import { EventParser } from './sse.ts';
import { Store } from './store.ts';
import { durationText, endWord, untilText, waitWord } from './words.ts';

const web = { kind: 'Deployment', namespace: 'shop', name: 'web' } as const;

describe('the address', () => {
  test.each([
    ['', { view: 'now', query: {} }],
    ['#/now', { view: 'now', query: {} }],
    ['#/w?state=frozen', { view: 'workloads', query: { state: 'frozen' } }],
    ['#/w/Deployment/shop/web', { view: 'workload', ref: web, query: {} }],
    [
      '#/s/Secret/shop/a.b',
      { view: 'source', ref: { kind: 'Secret', namespace: 'shop', name: 'a.b' }, query: {} },
    ],
    ['#/w/Deployment/shop', { view: 'workloads', query: {} }],
    ['#/elsewhere', { view: 'now', query: {} }],
    ['#/constructor', { view: 'now', query: {} }],
    ['#/toString/Deployment/shop/web', { view: 'now', query: {} }],
    [
      '#/w/%zz/shop/web',
      { view: 'workload', ref: { kind: '%zz', namespace: 'shop', name: 'web' }, query: {} },
    ],
  ])('%s', (hash, route) => {
    expect(parseRoute(hash)).toEqual(route);
  });

  test.each([
    '#/now',
    '#/w?state=frozen',
    '#/w/Deployment/shop/web?q=a+b',
    '#/t',
    '#/f',
    '#/s/Secret/shop/a%20b',
  ])('%s comes out as it went in', (hash) => {
    expect(formatRoute(parseRoute(hash))).toBe(hash);
  });
});

test.each([
  [{}, 'workloads?'],
  [{ q: ' ', key: 'x' }, 'workloads?'],
  [{ state: 'batching' }, 'workloads?state=batching'],
  [{ q: 'shop/c secret/key', namespace: 'shop' }, 'workloads?q=shop%2Fc+secret%2Fkey&namespace=shop'],
])('the address %j asks for %s', (query, path) => {
  expect(listPath('workloads', filterOf(query))).toBe(path);
});

const line = (name: string, number: number, more: Partial<NumberedLine> = {}): NumberedLine => ({
  number,
  workload: { ...web, name },
  state: 'current',
  sources: [],
  reloads: 0,
  problems: 0,
  ...more,
});

describe('the store', () => {
  const counts = (all: number): LineCounts => ({
    all,
    byState: { failing: 0, waiting: 0, rolling: 0, troubled: 0, current: all },
    byWait: {},
    frozen: 0,
  });
  const batch = (more: Partial<StreamBatch>): StreamBatch => ({
    revision: 'e:9',
    lines: [],
    gone: [],
    counts: counts(3),
    events: [],
    leading: true,
    ...more,
  });
  const overview = { revision: 'e:5', counts: counts(3), leading: true } as OverviewAnswer;
  const begun = (): Store => {
    const store = new Store();
    store.changed = () => undefined;
    store.begin({ may: [] }, overview);
    return store;
  };

  test('of two lines the newer is shown, whichever came first', () => {
    const store = begun();
    store.add(batch({ lines: [line('a', 7, { state: 'rolling' })] }));
    expect(store.newest(line('a', 6)).state).toBe('rolling');
    expect(store.newest(line('a', 8)).state).toBe('current');
    expect(store.newest(line('b', 1)).number).toBe(1);
  });

  test.each<[string, Partial<StreamBatch>, changes: number, population: number]>([
    ['nothing but events', {}, 0, 0],
    ['a line that changed', { lines: [line('a', 7)] }, 1, 0],
    ['a workload that is gone', { gone: [web] }, 1, 1],
    ['a workload that is new', { lines: [line('n', 7)], counts: counts(4) }, 1, 1],
    ['more changes than are told', { more: true }, 1, 1],
  ])('%s', (_, more, changes, population) => {
    const store = begun();
    store.add(batch(more));
    expect([store.changes, store.population]).toEqual([changes, population]);
  });

  test('an answer of before the stream is read again, one of after it or of another process is not', () => {
    const store = begun();
    expect(['e:4', 'e:5', 'e:10', 'f:1'].map((revision) => store.isBeforeStream(revision))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  test('events are in order, each once, whatever arrives first', () => {
    const store = begun();
    const event = (number: number): TimelineEvent => ({ number, at: '', type: 'wait' });
    store.add(batch({ events: [event(8), event(9)] }));
    store.addEvents([event(-1), event(7), event(8)]);
    expect(store.events.map(({ number }) => number)).toEqual([-1, 7, 8, 9]);
  });

  /** Frames are drawn by the test, timers run by it. */
  function playFrames(): (() => void)[] {
    const frames: (() => void)[] = [];
    vi.useFakeTimers();
    vi.stubGlobal('requestAnimationFrame', (draw: () => void) => frames.push(draw));
    onTestFinished(() => {
      vi.unstubAllGlobals();
      vi.useRealTimers();
    });
    return frames;
  }

  test('the first change is drawn at once, and those that keep coming four times a second', () => {
    const frames = playFrames();
    const store = new Store();
    store.subscribe(() => undefined);
    store.changed();
    expect(frames).toHaveLength(1);
    frames.pop()?.();
    let drawn = 0;
    for (let ms = 0; ms < 1_000; ms += 10) {
      store.changed();
      vi.advanceTimersByTime(10);
      for (const draw of frames.splice(0)) {
        draw();
        drawn += 1;
      }
    }
    expect(drawn).toBe(4);
  });

  test('only subscribers that are concerned are told, and without one no frame is drawn', () => {
    const frames = playFrames();
    const store = new Store();
    store.begin({ may: [] }, overview);
    const told: string[] = [];
    store.subscribe(
      () => told.push('population'),
      () => store.population > 0,
    );
    store.subscribe(
      () => told.push('link'),
      () => store.link === 'stale',
    );
    store.add(batch({ lines: [line('a', 7)], counts: overview.counts }));
    expect(frames).toHaveLength(0);
    store.add(batch({ gone: [web] }));
    store.add(batch({ gone: [web] }));
    expect(frames).toHaveLength(1);
    frames[0]?.();
    expect(told).toEqual(['population']);
  });

  test('the newest change of one source, and of any', () => {
    const store = begun();
    const key = { kind: 'Secret', namespace: 'shop', name: 'key' } as const;
    const changed = (number: number, name: string): TimelineEvent => ({
      number,
      at: '',
      type: 'source',
      source: { ...key, name },
    });
    store.addEvents([changed(3, 'key'), changed(4, 'other'), { number: 5, at: '', type: 'wait' }]);
    expect(store.lastChangeOf('shop/Secret/key')).toBe(3);
    expect(store.lastChangeOf()).toBe(4);
    expect(store.lastChangeOf('shop/Secret/none')).toBe(0);
  });

  test('another process begins anew', () => {
    const store = begun();
    store.add(batch({ lines: [line('a', 7)] }));
    store.begin({ may: [] }, { ...overview, revision: 'f:1' });
    expect(store.line({ ...web, name: 'a' })).toBeUndefined();
    expect(store.population).toBe(1);
  });
});

describe('a list that is read in pages', () => {
  function play(total: number) {
    const asked: number[] = [];
    const state = { total, word: 'old', failing: false };
    const list = new PagedList<string>(
      async (offset, limit) => {
        asked.push(offset);
        if (state.failing) throw new Error('down');
        const count = Math.max(0, Math.min(limit, state.total - offset));
        const items = Array.from({ length: count }, (_, at) => `${state.word} ${offset + at}`);
        return { items, total: state.total };
      },
      () => undefined,
    );
    const settled = () => new Promise((resolve) => setTimeout(resolve));
    return { list, asked, state, settled };
  }

  test('asks for what is shown, once', async () => {
    const { list, asked, settled } = play(10_000);
    list.renew();
    list.show(0, 40);
    await settled();
    expect(list.total).toBe(10_000);
    expect([list.row(0), list.row(99), list.row(100)]).toEqual(['old 0', 'old 99', undefined]);
    list.show(5_080, 5_120);
    list.show(5_081, 5_121);
    await settled();
    expect(list.row(5_100)).toBe('old 5100');
    expect(asked).toEqual([0, 5_000, 5_100]);
  });

  test('shows old rows until the new ones are there, and asks only for what is shown', async () => {
    const { list, asked, state, settled } = play(300);
    list.show(0, 300);
    await settled();
    list.show(100, 140);
    asked.length = 0;
    state.word = 'new';
    list.renew();
    expect(list.row(100)).toBe('old 100');
    await settled();
    expect([list.row(100), list.row(0)]).toEqual(['new 100', 'old 0']);
    expect(asked).toEqual([100]);
    list.show(0, 40);
    await settled();
    expect(list.row(0)).toBe('new 0');
  });

  test('keeps no more than a few screens', async () => {
    const { list, settled } = play(10_000);
    for (let first = 0; first < 2_000; first += 100) list.show(first, first + 100);
    await settled();
    expect(list.row(0)).toBeUndefined();
    expect(list.row(1_950)).toBe('old 1950');
  });

  test('an error is shown, and disappears with the next answer', async () => {
    const { list, state, settled } = play(10);
    state.failing = true;
    list.renew();
    await settled();
    expect(list.error).toBe('down');
    state.failing = false;
    list.renew();
    await settled();
    expect(list.error).toBeUndefined();
    expect(list.row(3)).toBe('old 3');
  });

  test('an answer that was overtaken is not shown', async () => {
    const waiting: ((page: Page<string>) => void)[] = [];
    const list = new PagedList<string>(
      () => new Promise((resolve) => waiting.push(resolve)),
      () => undefined,
    );
    list.renew();
    list.renew();
    waiting[1]?.({ items: ['second'], total: 1 });
    await new Promise((resolve) => setTimeout(resolve));
    waiting[0]?.({ items: ['first'], total: 1 });
    await new Promise((resolve) => setTimeout(resolve));
    expect(list.row(0)).toBe('second');
  });
});

test('names of a cluster cannot leave their command', () => {
  expect(freezeCommand({ ...web, name: "x'; rm -rf /" }, true)).toBe(
    "kubectl annotate 'deployment/x'\\''; rm -rf /' -n shop reloader.stakater.com/freeze=true --overwrite",
  );
  expect(workloadCommands(web, true).map(({ text }) => text)).toContain(
    'kubectl annotate deployment/web -n shop reloader.stakater.com/freeze- reloader.stakater.com/freeze-reason-',
  );
});

test.each<[Wait['why'], string[]]>([
  ['approval', ['approve', 'now']],
  ['doubt', ['approve', 'now']],
  ['window', ['now']],
  ['frozen', []],
])('what waits for %s is let through by %j', (why, commands) => {
  const pending = { why, message: '', change: 'k3v9x2mqpa' };
  const texts = workloadCommands(web, false, pending).map(({ text }) => text);
  expect(texts.filter((text) => text.includes('--change'))).toEqual(
    commands.map((verb) => `kubectl reloader ${verb} deployment/web -n shop --change k3v9x2mqpa`),
  );
});

test('events are put together from the pieces in which they arrive', () => {
  const parser = new EventParser();
  expect(parser.push(':\n\nid: e:1\nevent: ba')).toEqual([]);
  expect(parser.push('tch\ndata: {"a":1}\n\n:\n')).toEqual([{ id: 'e:1', event: 'batch', data: '{"a":1}' }]);
  expect(parser.push('\nevent: reset\ndata: {}\n\n')).toEqual([
    { id: undefined, event: 'reset', data: '{}' },
  ]);
});

describe('lanes', () => {
  const at = (seconds: number): string => new Date(seconds * 1000).toISOString();
  const event = (seconds: number, more: Partial<TimelineEvent>): TimelineEvent => ({
    number: seconds,
    at: at(seconds),
    type: 'wait',
    workload: web,
    ...more,
  });
  const events = [
    event(1, { type: 'source', workload: undefined as never, change: 'changed', concerned: 1 }),
    event(2, { wait: { why: 'batching', message: '' } }),
    event(5, { type: 'reload' }),
    event(8, { type: 'rollout', result: 'failed', message: 'x' }),
    event(9, { wait: { why: 'frozen', message: '' } }),
  ];

  test('a wait ends with the reload, a reload with its result, and what goes on reaches to now', () => {
    const [sources, lane] = lanesOf(events, 0, 20_000, 12_000);
    expect(sources).toMatchObject({ key: '', bars: [{ from: 1000, tone: 'change' }] });
    expect(lane?.bars.map(({ from, to, tone }) => [from, to, tone])).toEqual([
      [2000, 5000, 'wait'],
      [5000, 8000, 'failed'],
      [9000, 12_000, 'frozen'],
    ]);
  });

  test('what is outside is left out, and too much is counted', () => {
    expect(lanesOf(events, 8_500, 20_000, 12_000).map(({ bars }) => bars.length)).toEqual([1]);
    expect(bucketsOf(events, 0, 10_000, 2)).toEqual([
      { from: 0, changes: 1, reloads: 0, failures: 0 },
      { from: 5000, changes: 0, reloads: 1, failures: 1 },
    ]);
  });
});

test('times and gates in words', () => {
  expect([500, 59_000, 190_000, 3_600_000, 200_000_000].map(durationText)).toEqual([
    '1s',
    '59s',
    '3m 10s',
    '1h',
    '2d',
  ]);
  expect(untilText('1970-01-01T00:00:10Z', 8_000)).toBe('in 3s');
  expect(untilText('1970-01-01T00:00:10Z', 11_000)).toBe('now');
  expect(waitWord('batching')).toBe('Collecting changes');
  expect(waitWord('moon-phase')).toBe('Moon phase');
  expect(endWord('frozen')).toBe('until it is unfrozen');
  expect(endWord('moon-phase')).toBe('until something happens');
});

test.each([
  [8_000, 2_000],
  [60_000, 10_000],
  [3_600_000, 600_000],
])('the axis of %i ms has round times, %i ms apart', (span, step) => {
  const ticks = ticksOf({ from: 1_234_567, to: 1_234_567 + span });
  expect(ticks.length).toBeGreaterThan(2);
  expect(ticks.every((time) => time % step === 0)).toBe(true);
  expect(new Set(ticks.slice(1).map((time, at) => time - (ticks[at] ?? 0)))).toEqual(new Set([step]));
});
