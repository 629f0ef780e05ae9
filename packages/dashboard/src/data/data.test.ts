/** What the page computes by itself, without a browser. */
import type { NumberedLine, TimelineEvent, Wait } from '@reloader/operator/api';
import { describe, expect, test } from 'vitest';
import { filtered, filterOf } from './filter.ts';
import { freezeCommand, workloadCommands } from './kubectl.ts';
import { bucketsOf, lanesOf } from './lanes.ts';
import { formatRoute, parseRoute } from './route.ts';
import { EventParser } from './sse.ts';
import { durationText, untilText, waitWord } from './words.ts';

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

describe('filters', () => {
  const line = (name: string, more: Partial<NumberedLine> = {}): NumberedLine => ({
    number: 1,
    workload: { ...web, name },
    state: 'current',
    sources: [{ kind: 'Secret', namespace: 'shop', name: 'key' }],
    reloads: 0,
    problems: 0,
    ...more,
  });
  const lines = [
    line('a', { state: 'waiting', pending: { why: 'batching', message: '' } }),
    line('b', { frozen: 'namespace' }),
    line('c', { state: 'failing' }),
  ];
  const names = (query: Record<string, string>) =>
    filtered(lines, filterOf(query)).lines.map(({ workload }) => workload.name);

  test('by state, by wait, by words', () => {
    expect(names({})).toEqual(['a', 'b', 'c']);
    expect(names({ state: 'batching' })).toEqual(['a']);
    expect(names({ state: 'frozen' })).toEqual(['b']);
    expect(names({ q: 'SECRET/KEY shop/c' })).toEqual(['c']);
    expect(names({ namespace: 'bank' })).toEqual([]);
  });

  test('the counts are those of all states', () => {
    expect(filtered(lines, filterOf({ state: 'failing' })).counts).toMatchObject({
      all: 3,
      frozen: 1,
      byState: { waiting: 1, failing: 1, current: 1 },
      byWait: { batching: 1 },
    });
  });
});

test('names of a cluster cannot leave their command', () => {
  expect(freezeCommand({ ...web, name: "x'; rm -rf /" }, true)).toBe(
    "kubectl annotate 'deployment/x'\\''; rm -rf /' -n shop reloader.stakater.com/freeze=true --overwrite",
  );
  expect(workloadCommands(web, true).map(({ text }) => text)).toContain(
    'kubectl annotate deployment/web -n shop reloader.stakater.com/freeze-',
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
  expect(waitWord('moonPhase')).toBe('MoonPhase');
});
