import { expect, test } from 'vitest';
import type { WorkloadLine } from '../api/shapes.ts';
import { picture, type Scene } from './picture.ts';
import { Screen } from './screen.ts';

const line = (name: string, more: Partial<WorkloadLine> = {}): WorkloadLine => ({
  workload: { kind: 'Deployment', namespace: 'shop', name },
  sources: [{ kind: 'Secret', namespace: 'shop', name: 'credentials' }],
  reloads: 2,
  problems: 0,
  ...more,
});

const scene = (more: Partial<Scene> = {}): Scene => ({
  workloads: [line('web')],
  pods: new Map([['Deployment/shop/web', { wanted: 3, updated: 3, available: 3 }]]),
  reloads: [],
  news: [],
  hint: 'Try: something',
  now: 1_000_000,
  ...more,
});

test('a row names workload, pods, reloads, state and what it watches', () => {
  const [, row] = picture(scene(), { columns: 120, rows: 24 });
  expect(row?.split(/ {2,}/)).toEqual([
    'shop',
    'deployment/web',
    '3/3',
    '2',
    'up to date',
    'secret/credentials',
  ]);
});

test.each([
  [
    line('web', { pending: { why: 'batching', until: new Date(1_012_400).toISOString(), message: '' } }),
    'batching 13s',
  ],
  [line('web', { pending: { why: 'frozen', message: '' } }), 'frozen'],
  [line('web', { lastError: 'quota' }), 'failing'],
])('state %#', (workload, state) => {
  expect(picture(scene({ workloads: [workload] }), { columns: 120, rows: 24 })[1]).toContain(state);
});

test('a rollout shows how far it is', () => {
  const pods = new Map([['Deployment/shop/web', { wanted: 3, updated: 1, available: 3 }]]);
  expect(picture(scene({ pods }), { columns: 120, rows: 24 })[1]).toContain('rolling 1/3');
});

test('no line is wider than the terminal, and there are never more lines than it has rows', () => {
  const workloads = Array.from({ length: 40 }, (_, index) =>
    line(`a-rather-long-name-of-an-application-${index}`),
  );
  const news = ['a long piece of news '.repeat(10)];
  for (const columns of [20, 40, 71, 72, 200]) {
    for (const rows of [3, 10, 24, 80]) {
      const lines = picture(scene({ workloads, news }), { columns, rows });
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(columns);
      expect(lines.length).toBeLessThan(rows);
    }
  }
});

test('a narrow terminal keeps the name and the state', () => {
  const [, row] = picture(scene(), { columns: 50, rows: 24 });
  expect(row?.split(/ {2,}/)).toEqual(['deployment/web', '2', 'up to date']);
});

test('what does not fit is counted', () => {
  const workloads = Array.from({ length: 40 }, (_, index) => line(`app-${index}`));
  expect(picture(scene({ workloads }), { columns: 120, rows: 12 }).join('\n')).toMatch(/… and \d+ more/);
});

test('a picture is drawn over the one before, and the cursor comes back at the end', () => {
  const written: string[] = [];
  const screen = new Screen({ write: (text) => written.push(text) });
  screen.draw(['one', 'two', 'three']);
  screen.draw(['four']);
  screen.draw(['five']);
  screen.end();
  expect(written[1]).toBe('\u001b[3A\r\u001b[Jfour\n');
  expect(written[2]).toBe('\u001b[1A\r\u001b[Jfive\n');
  expect(written[0]).toContain('\u001b[?25l');
  expect(written.at(-1)).toBe('\u001b[?25h');
  expect(screen.size).toEqual({ columns: 80, rows: 24 });
});
