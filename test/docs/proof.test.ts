/** docs/proof.md names every promise of the README, with commands that exist and the date of each last result. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT, read } from './blocks.ts';

const README = read('README.md');
const PAGE = read('docs/proof.md');
const SCRIPTS = Object.keys((JSON.parse(read('package.json')) as { scripts: object }).scripts);

/** Promises of the README outside of its list, word for word. */
const SENTENCES = [
  'With nothing but Node 20 (or newer), npm and git',
  'annotations, flags, environment, metrics and lease are all understood',
  'kubectl and Helm work on it',
  'A whole operator in about 150 lines',
  'The same scenarios run on minicluster under a virtual clock and on a real kube-apiserver',
  'which one command starts on any machine with Go',
  'stand beside their floors',
];

const flat = (text: string): string =>
  text.replaceAll(/\s+/g, ' ').replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1');

/** The bold beginnings of a list: `- **Nothing lost, nothing twice.** It is …` */
function promisesOf(markdown: string): string[] {
  const [, rest = ''] = markdown.split('\n## What you get\n');
  const section = rest.split('\n## ')[0] ?? '';
  return [...section.matchAll(/^- \*\*(.+?)\*\*/gm)].map(([, promise = '']) => promise);
}

function rowsBelow(heading: string): string[][] {
  const [, rest = ''] = PAGE.split(`\n## ${heading}\n`);
  const section = rest.split('\n## ')[0] ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

const commandsIn = (text: string): string[] =>
  [...text.matchAll(/`((?:npm|npx) [^`]+)`/g)].map(([, command = '']) => command);

/** The reason why a command cannot be run, or undefined. */
function complaintAbout(command: string): string | undefined {
  const [tool, verb = '', ...rest] = command.split(/\s+/);
  if (tool === 'npm' && verb === 'run')
    return SCRIPTS.includes(rest[0] ?? '') ? pathsIn(rest) : 'no such script';
  if (tool === 'npm') return ['ci', 'test', 'start'].includes(verb) ? undefined : 'no such command';
  return verb === 'vitest' || verb === 'tsx' ? pathsIn(rest) : 'no such tool';
}

function pathsIn(words: readonly string[]): string | undefined {
  const missing = words.filter((word) => word.includes('/') && !existsSync(join(ROOT, word)));
  return missing.length > 0 ? `${missing.join(', ')} is not there` : undefined;
}

/** A date, or that it was not run since one, some time before one, or never. */
const WHEN = /^(?:never|(?:not run since |before )?\d{4}-\d\d-\d\d)$/;

describe('docs/proof.md', () => {
  const promises = rowsBelow('Promises of the README');

  test('names every promise of the README', () => {
    const listed = promisesOf(README);
    expect(listed.length).toBeGreaterThanOrEqual(6);
    const named = promises.map(([name = '']) => flat(name));
    for (const promise of [...listed, ...SENTENCES]) expect(named).toContain(promise);
  });

  test.each(SENTENCES)('the README still says: %s', (sentence) => {
    expect(flat(README)).toContain(sentence);
  });

  test.each(promises.map((row) => [row[0] ?? '', row] as const))(
    '%s: a command, a time, a result, a day',
    (_, row) => {
      expect(row).toHaveLength(5);
      expect(commandsIn(row[1] ?? '').length).toBeGreaterThan(0);
      expect(row[2]).toMatch(/\d+ (?:s|min|h)\b/);
      expect(row[3]).not.toBe('');
      expect(row[4]).toMatch(WHEN);
    },
  );

  test.each(['test:long', 'test:versions', 'test:soak', 'bench'])(
    'tells how the last npm run %s ended',
    (script) => {
      const rows = rowsBelow('Long runs').filter(([first = '']) => first.startsWith(`\`npm run ${script}`));
      expect(rows.length).toBeGreaterThan(0);
      for (const row of rows) expect(row.at(-1)).toMatch(WHEN);
    },
  );

  test('every command on the page exists', () => {
    const commands = commandsIn(PAGE);
    expect(commands.length).toBeGreaterThan(15);
    expect(commands.flatMap((command) => complaintAbout(command) ?? [])).toEqual([]);
  });
});
