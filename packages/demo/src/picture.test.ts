import type { WorkloadLine } from '@reloader/operator/api';
import { createStyle } from '@reloader/operator/embed';
import { describe, expect, test } from 'vitest';
import { picture, type Scene } from './picture.ts';
import { Screen } from './screen.ts';
import { NEXT, STEPS } from './shop.ts';

const line = (name: string, more: Partial<WorkloadLine> = {}): WorkloadLine => ({
  workload: { kind: 'Deployment', namespace: 'shop', name },
  sources: [{ kind: 'Secret', namespace: 'shop', name: 'credentials' }],
  state: 'current',
  reloads: 2,
  problems: 0,
  ...more,
});

const scene = (more: Partial<Scene> = {}): Scene => ({
  workloads: [line('web')],
  pods: new Map([['Deployment/shop/web', { wanted: 3, updated: 3, available: 3 }]]),
  reloads: [],
  steps: [],
  begun: 0,
  next: [],
  now: 1_000_000,
  ...more,
});

const plain = createStyle(false);

test('a row names workload, pods, reloads, state and what it watches', () => {
  const [, row] = picture(scene(), { columns: 120, rows: 24 }, plain);
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
  expect(picture(scene({ workloads: [workload] }), { columns: 120, rows: 24 }, plain)[1]).toContain(state);
});

test('a rollout shows how far it is', () => {
  const pods = new Map([['Deployment/shop/web', { wanted: 3, updated: 1, available: 3 }]]);
  expect(picture(scene({ pods }), { columns: 120, rows: 24 }, plain)[1]).toContain('rolling 1/3');
});

test('no line is wider than the terminal, and there are never more lines than it has rows', () => {
  const workloads = Array.from({ length: 40 }, (_, index) =>
    line(`a-rather-long-name-of-an-application-${index}`),
  );
  const steps = ['a step with a long text '.repeat(10)];
  for (const columns of [40, 63, 64, 80, 99, 200]) {
    for (const rows of [3, 10, 24, 80]) {
      const lines = picture(scene({ workloads, steps, begun: 1 }), { columns, rows }, plain);
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(columns);
      expect(lines.length).toBeLessThan(rows);
    }
  }
});

test('a narrow terminal keeps the name and the state', () => {
  const [, row] = picture(scene(), { columns: 50, rows: 24 }, plain);
  expect(row?.split(/ {2,}/)).toEqual(['deployment/web', 'up to date']);
});

test('what does not fit is counted', () => {
  const workloads = Array.from({ length: 40 }, (_, index) => line(`app-${index}`));
  expect(picture(scene({ workloads }), { columns: 120, rows: 12 }, plain).join('\n')).toMatch(
    /… and \d+ more/,
  );
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

describe('the whole tour on a terminal of 80 columns and 40 rows', () => {
  const tour = { steps: STEPS.map(({ say }) => say), next: NEXT };
  const size = { columns: 80, rows: 40 };

  test.each([0, 1, 2, 3, 4, 5])('after %i steps all of them are there, and nothing is cut', (begun) => {
    const text = picture(scene({ ...tour, begun }), size, plain).join('\n');
    expect(text).not.toContain('…');
    const flowing = text.replace(/\s+/g, ' ');
    for (const step of tour.steps) expect(flowing).toContain(step);
    for (const command of NEXT) expect(text).toContain(`\n  ${command}`);
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  test('what is done, what happens and what comes look different', () => {
    const lines = picture(scene({ ...tour, begun: 2 }), size, plain);
    expect(lines.filter((line) => /\d\. /.test(line)).map((line) => line.slice(0, 4))).toEqual([
      '✔ 1.',
      '▸ 2.',
      '  3.',
      '  4.',
    ]);
  });

  test('states have colours, and none with NO_COLOR', () => {
    expect(picture(scene(), size, createStyle(true)).join('\n')).toContain('\u001b[32mup to date');
    expect(picture(scene(), size, plain).join('\n')).not.toContain('\u001b');
  });
});
