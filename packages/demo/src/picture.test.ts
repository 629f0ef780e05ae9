import type { WorkloadLine } from '@reloader/operator/api';
import { createStyle } from '@reloader/operator/embed';
import { describe, expect, test } from 'vitest';
import { picture, type Scene } from './picture.ts';
import { nextThings } from './run.ts';
import { Screen } from './screen.ts';
import { STEPS } from './shop.ts';

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
  next: undefined,
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

describe('the whole tour on a terminal of 80 columns and 24 rows', () => {
  const next = nextThings('http://127.0.0.1:40000/ui/', '/tmp/reloader-demo-abcdef/kubeconfig');
  const tour = { steps: STEPS.map(({ say }) => say), next };
  const size = { columns: 80, rows: 24 };
  const workloads = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => line(name));
  const reloads = workloads.map(({ workload }) => ({
    workload,
    at: new Date(0).toISOString(),
    result: 'succeeded' as const,
    sources: [{ kind: 'Secret' as const, namespace: 'shop', name: 'credentials' }],
  })) as unknown as Scene['reloads'];

  test.each([0, 1, 2, 3, 4, 5])(
    'after %i steps all is there, each step in one line, nothing cut',
    (begun) => {
      const lines = picture(scene({ ...tour, workloads, reloads, begun }), size, plain);
      expect(lines.length).toBeLessThanOrEqual(23);
      for (const { workload } of workloads) {
        expect(lines).toContainEqual(expect.stringContaining(`deployment/${workload.name} `));
      }
      for (const step of tour.steps) expect(lines).toContainEqual(expect.stringMatching(`\\d\\. ${step}$`));
      for (const command of next.commands) expect(lines).toContain(`  ${command}`);
      expect(lines).toContain('Last reloads');
      expect(lines.filter((each) => each.includes('succeeded')).length).toBeGreaterThanOrEqual(2);
      for (const each of lines) expect(each.length).toBeLessThanOrEqual(80);
      expect(lines.join('')).not.toContain('…');
    },
  );

  test('done, current and next steps look different', () => {
    const lines = picture(scene({ ...tour, begun: 2 }), size, plain);
    expect(lines.filter((each) => /\d\. /.test(each)).map((each) => each.slice(0, 4))).toEqual([
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

test('before the operator answers, it says so', () => {
  expect(picture(scene({ workloads: [] }), { columns: 80, rows: 24 }, plain)).toEqual([
    'The operator starts …',
  ]);
});
