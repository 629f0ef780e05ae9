/** `docs/requirements.md`: every requirement with the tests that show it. */
import { markdownTable } from '@reloader/runtime/kind';
import { citations } from './citations.ts';
import { EARLIER_DEFECTS } from './defects.ts';
import { LEDGER } from './ledger.ts';
import { RELIABILITY } from './reliability.ts';
import type { Chapter, Requirement } from './requirement.ts';
import { ROWS } from './rows.ts';

export const CHAPTERS: readonly Chapter[] = [...ROWS, ...LEDGER, ...RELIABILITY, ...EARLIER_DEFECTS];

const INTRODUCTION = `<!-- Generated from test/requirements: change it there, then run \`npm run generate\`. -->

# Requirements

Everything that the operator has to do, with the number by which tests cite it and the tests that show it. A test cites a
requirement in its title, so that \`npx vitest run test/reloader -t 'row 22'\` plays what belongs to a row. A test fails
where a requirement has none, or where a title cites a number that is not here.
`;

export function requirementsDocument(): string {
  const cited = citations();
  return [INTRODUCTION, summary(cited), ...CHAPTERS.map((chapter) => section(chapter, cited))].join('\n');
}

/** The tests that show it: those that cite it, and those that are listed with it. */
export function testsOf(
  { id, tests = [] }: Requirement,
  cited: ReadonlyMap<string, readonly string[]>,
): string[] {
  return [...new Set([...(cited.get(id) ?? []), ...tests])];
}

/** The part that no test shows; undefined once the title of a test cites the requirement. */
function missingFrom({ id, missing }: Requirement, cited: ReadonlyMap<string, unknown>): string | undefined {
  return cited.has(id) ? undefined : missing;
}

function summary(cited: ReadonlyMap<string, readonly string[]>): string {
  const all = CHAPTERS.flatMap(({ requirements }) => requirements);
  const open = all.filter((requirement) => missingFrom(requirement, cited) !== undefined).map(({ id }) => id);
  const rest = open.length === 0 ? 'None lacks a test.' : `Not or not wholly shown: ${open.join(', ')}.`;
  return `There are ${all.length} requirements. ${rest}\n`;
}

function section(
  { title, about, requirements }: Chapter,
  cited: ReadonlyMap<string, readonly string[]>,
): string {
  const rows = requirements.map((requirement) => [
    requirement.id,
    requirement.asks,
    shownBy(requirement, cited),
  ]);
  return `## ${title}\n\n${about}\n\n${markdownTable(['', 'what', 'shown by'], rows)}`;
}

function shownBy(requirement: Requirement, cited: ReadonlyMap<string, readonly string[]>): string {
  const links = testsOf(requirement, cited).map((path) => `[${path.split('/').at(-1)}](../${path})`);
  const missing = missingFrom(requirement, cited);
  return [...links, ...(missing === undefined ? [] : [`no test yet: ${missing}`])].join(', ');
}

/** Path within the repository to content. */
export function generatedRequirements(): ReadonlyMap<string, string> {
  return new Map([['docs/requirements.md', requirementsDocument()]]);
}
