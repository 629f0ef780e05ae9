/** Every requirement is shown by a test, every citation names a requirement, and the page is up to date. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../docs/blocks.ts';
import { citations, citedBy, titlesIn } from './citations.ts';
import { CHAPTERS, requirementsDocument, testsOf } from './page.ts';

const REQUIREMENTS = CHAPTERS.flatMap(({ requirements }) => requirements);
const SHOWS = /^(?:packages|examples|test)\/.*\.ts$|^bench\/measures\/.*\.ts$/;
const cited = citations();

describe('requirements', () => {
  test('have one number each', () => {
    const ids = REQUIREMENTS.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  test('are shown by a test, or say what is missing', () => {
    const bare = REQUIREMENTS.filter(
      (requirement) => requirement.missing === undefined && testsOf(requirement, cited).length === 0,
    );
    expect(bare.map(({ id }) => id)).toEqual([]);
  });

  test('list tests that exist', () => {
    const listed = REQUIREMENTS.flatMap(({ id, tests = [] }) => tests.map((path) => ({ id, path })));
    expect(listed.filter(({ path }) => !SHOWS.test(path) || !existsSync(`${ROOT}/${path}`))).toEqual([]);
  });

  test('are all that titles cite', () => {
    const known = new Set(REQUIREMENTS.map(({ id }) => id));
    expect([...cited].filter(([id]) => !known.has(id))).toEqual([]);
  });
});

test('docs/requirements.md is up to date: run `npm run generate`', () => {
  expect(readFileSync(`${ROOT}/docs/requirements.md`, 'utf8')).toBe(requirementsDocument());
});

describe('a title', () => {
  test.each([
    ['row 22: a pause survives', ['row 22']],
    ['rules 2 and 3: a ledger', ['rule 2', 'rule 3']],
    ['rows 4, 5 and 6: what a config says', ['row 4', 'row 5', 'row 6']],
    ['document 1, lines 2 and 3: logged', ['document 1, line 2', 'document 1, line 3']],
    ['O7: taken over', ['O7']],
    ['O8 and I7: names', ['O8', 'I7']],
    ['L1 with 10 000 seeds', ['L1']],
    ['S1: in memory (defect 21)', ['defect 21', 'S1']],
    ['HTTP2 answers, and S1 is in the middle', []],
    ['the first row of a table', []],
  ])('"%s" cites %j', (title, expected) => {
    expect(citedBy(title)).toEqual(expected);
  });

  test.each([
    ["test('plain', () => {", ['plain']],
    ['describe("it\'s quoted", () => {', ["it's quoted"]],
    ['return scenario(\n    `rule 5: upgrades`, async', ['rule 5: upgrades']],
    ["test.each(rows)('of a table', () => {", ['of a table']],
    ["playVirtually('rows', rows)", ['rows']],
    ["broken.push('I7: an operator ended')", []],
  ])('is read from %j', (source, expected) => {
    expect(titlesIn(source)).toEqual(expected);
  });
});
