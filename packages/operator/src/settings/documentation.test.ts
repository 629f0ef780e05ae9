import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { flagsDocument } from './documentation.ts';
import { ENVIRONMENT } from './environment.ts';
import { FLAGS } from './flags.ts';
import { helpText } from './help.ts';

const names = Object.keys(FLAGS);

test('docs/flags.md is up to date: run `npm run generate`', () => {
  const file = new URL('../../../../docs/flags.md', import.meta.url);
  expect(readFileSync(file, 'utf8')).toBe(flagsDocument());
});

test('--help names every flag and every variable, once', () => {
  const lines = helpText().split('\n');
  for (const name of names) {
    expect(
      lines.filter((line) => line.startsWith(`  --${name}`) && /^(\s|$)/.test(line.slice(name.length + 4))),
    ).toHaveLength(1);
  }
  for (const name of Object.keys(ENVIRONMENT)) expect(lines).toContain(`  ${name}`);
});

test('--help fits a terminal', () => {
  for (const line of helpText().split('\n')) expect(line.length).toBeLessThanOrEqual(118);
});

test('every flag is explained in whole sentences', () => {
  for (const name of names) expect(FLAGS[name as keyof typeof FLAGS].help).toMatch(/^[A-Za-z0-9].*\.$/);
});

test('no cell of a table breaks its row', () => {
  const rows = flagsDocument()
    .split('\n')
    .filter((line) => line.startsWith('| `--'));
  expect(rows).toHaveLength(names.length);
  for (const row of rows) expect(row.match(/(?<!\\)\|/g)).toHaveLength(5);
});
