/** Tests back our security promises: each promise and each threat names a test, and each named test exists. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT, read } from './blocks.ts';

/** A test, or an attack that tests play. */
const TEST = /^(?:packages|test)\/.*\.ts$|^test\/hostile\/attacks$/;

function section(page: string, heading: string): string {
  const [, rest = ''] = read(page).split(`\n## ${heading}\n`);
  return rest.split('\n## ')[0] ?? '';
}

const isThere = (path: string): boolean => TEST.test(path) && existsSync(join(ROOT, path));

describe('SECURITY.md', () => {
  const promises = section('SECURITY.md', 'What we promise')
    .split('\n- ')
    .slice(1)
    .map((promise) => promise.split('\n\n')[0] ?? '');

  test('every promise links to the tests that hold it', () => {
    expect(promises.length).toBeGreaterThan(5);
    for (const promise of promises) {
      const links = [...promise.matchAll(/\[tests?\]\(([^)]+)\)/g)].map(([, link = '']) => link);
      expect(links.length, promise).toBeGreaterThan(0);
      expect(
        links.filter((link) => !isThere(link)),
        promise,
      ).toEqual([]);
    }
  });
});

describe('docs/threat-model.md', () => {
  const rows = section('docs/threat-model.md', 'Threats')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2)
    .map((line) => line.split(' | '));

  test.each(rows.map((row) => [row[0]?.replace('| ', '').trim(), row.at(-1) ?? '']))('%s', (_, shownBy) => {
    const paths = [...shownBy.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
    expect(paths.length).toBeGreaterThan(0);
    expect(paths.filter((path) => !isThere(path))).toEqual([]);
  });

  test('has more than twenty threats', () => {
    expect(rows.length).toBeGreaterThan(20);
  });
});
