/** The summary that `npm run coverage` prints, from a summary in Istanbul's format. */
import { expect, test } from 'vitest';
import { byPackage, summaryText } from '../../scripts/coverage.mjs';

const counts = (lines: number, branches: number, of: number) => ({
  lines: { covered: lines, total: of },
  branches: { covered: branches, total: of },
  functions: { covered: 0, total: 0 },
});

const FILES = {
  total: counts(1, 1, 1000),
  '/work/packages/runtime/src/queue/queue.ts': counts(9, 5, 10),
  '/work/packages/operator/src/go/bool.ts': counts(10, 10, 10),
  '/work/packages/operator/src/go/duration.ts': counts(15, 20, 30),
};

test('files are added up by package, whatever their size', () => {
  const sums = byPackage(FILES, '/work/');
  expect([...sums.keys()]).toEqual(['operator', 'runtime', 'together']);
  expect(sums.get('operator')).toMatchObject({
    lines: { covered: 25, total: 40 },
    branches: { covered: 30, total: 40 },
  });
  expect(sums.get('together')?.lines).toEqual({ covered: 34, total: 50 });
});

test('a package is a line', () => {
  expect(summaryText(byPackage(FILES, '/work/')).split('\n')).toEqual([
    'package      lines  branches functions',
    'operator    62.5 %    75.0 %         -',
    'runtime     90.0 %    50.0 %         -',
    'together    68.0 %    70.0 %         -',
  ]);
});
