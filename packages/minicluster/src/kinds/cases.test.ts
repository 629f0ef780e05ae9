import { describe, expect, test } from 'vitest';
import { kindOf, loadCases, loadRecord, runCase } from './cases.test.helper.ts';
import { kindsOnly } from './kinds.test.helper.ts';

// The expectations were recorded from kube-apiserver v1.36.3; see README.md.
const record = loadRecord();
const cases = loadCases();

describe.each([...new Set(cases.map(({ file }) => file))])('%s', (file) => {
  test.each(cases.filter((entry) => entry.file === file))(
    '$name: as a real server answers',
    async (entry) => {
      const outcomes = await runCase(entry, kindsOnly(kindOf), 'case-namespace');
      expect(outcomes).toEqual(record[entry.name]);
    },
  );
});

test('every case has a name of its own', () => {
  expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
});

test('nothing is recorded of cases that are gone', () => {
  expect(Object.keys(record).sort()).toEqual(cases.map(({ name }) => name).sort());
});
