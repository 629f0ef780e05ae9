/** `scripts/check-commits.mjs`, on histories made for the test. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkCommits, subjectProblem } from '../../scripts/check-commits.mjs';

const LONG = 'x'.repeat(73);

describe('a subject', () => {
  test.each([
    ['of 72 characters', 'x'.repeat(72)],
    ['of 72 characters that take more bytes', 'ü'.repeat(72)],
    ['of 72 characters that are put together', 'e\u0301'.repeat(72)],
  ])('%s is fine', (_what, subject) => {
    expect(subjectProblem(subject)).toBeUndefined();
  });

  test('of 73 characters is too long', () => {
    expect(subjectProblem(LONG)).toBe('has a subject of 73 characters, more than 72');
  });

  test('that is not there is missed', () => {
    expect(subjectProblem('')).toBe('has no subject');
  });
});

describe('a history', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'commits-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const git = (root: string, ...args: string[]): string =>
    execFileSync(
      'git',
      ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'commit.gpgSign=false', ...args],
      {
        cwd: root,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
  const commit = (root: string, subject: string): string =>
    git(root, 'commit', '-q', '--allow-empty', '--allow-empty-message', '-m', subject);

  /** A repository with long subjects from before the check was added, and the commands of `then` after it. */
  function repository(...then: readonly string[]): string {
    const root = join(folder, 'whole');
    mkdirSync(join(root, 'scripts'), { recursive: true });
    git(root, 'init', '-q', '-b', 'main');
    commit(root, `${LONG} before`);
    writeFileSync(join(root, 'scripts/check-commits.mjs'), '');
    git(root, 'add', '.');
    commit(root, 'Subjects are checked');
    for (const subject of then) commit(root, subject);
    return root;
  }

  test('is looked at from the commit on that added the check', () => {
    const { problems, note } = checkCommits(repository('short', `${LONG} after`, ''));
    expect(problems).toEqual([
      expect.stringMatching(/^commit [0-9a-f]{12} has no subject/),
      expect.stringMatching(/^commit [0-9a-f]{12} has a subject of 79 characters, more than 72: x+ after$/),
    ]);
    expect(note).toBeUndefined();
  });

  test('may have merges with long subjects, and branches from before the check', () => {
    const root = repository('short');
    git(root, 'checkout', '-q', '-b', 'older', 'main~2');
    commit(root, `${LONG} on another branch`);
    git(root, 'checkout', '-q', 'main');
    git(root, 'merge', '-q', '--no-ff', '-m', `${LONG} merged`, 'older');
    expect(checkCommits(root)).toEqual({ problems: [], note: undefined });
  });

  test.each([
    [1, 0],
    [2, 1],
    [4, 2],
  ])('of a shallow clone of depth %d is checked where it is known', (depth, checked) => {
    const root = repository('short', `${LONG} after`);
    const clone = join(folder, 'shallow');
    git(folder, 'clone', '-q', `--depth=${depth}`, `file://${root}`, clone);
    const { problems, note } = checkCommits(clone);
    expect(note).toBe(`commit subjects: this is a shallow clone, checked ${checked}`);
    expect(problems).toHaveLength(checked === 0 ? 0 : 1);
  });

  test('that is not there is not checked, and that is said', () => {
    expect(checkCommits(folder)).toEqual({
      problems: [],
      note: 'commit subjects: not checked, there is no history here',
    });
  });

  test('of another repository is not checked, and that is said', () => {
    const root = repository(LONG);
    expect(checkCommits(join(root, 'scripts'))).toEqual({
      problems: [],
      note: 'commit subjects: not checked, this is no repository of its own',
    });
  });
});
