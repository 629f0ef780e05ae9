/**
 * Finds the test files that cite each requirement in the title of a test.
 *
 * In: the sources of tests. Out: ids as `requirement.ts` writes them, each with the files that cite it, in order. Words
 * (`row 4`, `rules 2 and 3`) count anywhere in a title, letters (`O7`) at its beginning only, where they are
 * unambiguous. Titles are read from the text of the source, so a number that a template fills in is not seen.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { ROOT } from '../docs/blocks.ts';

const TITLE =
  /\b(?:test|it|describe|scenario|play\w*)(?:\.\w+)*(?:\([^()]*\))?\(\s*(?:'([^'\n]+)'|"([^"\n]+)"|`([^`]+)`)/g;
const WORDS = /\b(row|rule|promise|defect|document 1, line)s? (\d+(?:(?:, | and )\d+)*)/g;
const LETTERS = /^(?:[A-Z]\d+(?:, | and )?)+(?=[:, ])/;

/** `['rule 2', 'rule 3']` of `rules 2 and 3: …` */
export function citedBy(title: string): string[] {
  const words = [...title.matchAll(WORDS)].flatMap(([, word, numbers = '']) =>
    [...numbers.matchAll(/\d+/g)].map(([number]) => `${word} ${number}`),
  );
  return [...words, ...(LETTERS.exec(title)?.[0].match(/[A-Z]\d+/g) ?? [])];
}

export function titlesIn(source: string): string[] {
  return [...source.matchAll(TITLE)].map(
    ([, single, double, template]) => single ?? double ?? template ?? '',
  );
}

function sources(folder: string, isTest: (name: string) => boolean): string[] {
  return readdirSync(`${ROOT}/${folder}`, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return /^(node_modules|dist)$/.test(entry.name) ? [] : sources(path, isTest);
    return isTest(entry.name) ? [path] : [];
  });
}

/** Every file in `test/` may have titles: tests play scenarios without repeating their titles. */
function filesWithTitles(): string[] {
  const inTests = sources('test', (name) => name.endsWith('.ts'));
  const beside = ['packages', 'examples'].flatMap((folder) =>
    sources(folder, (name) => /\.test\.(?:\w+\.)?ts$/.test(name)),
  );
  return [...inTests, ...beside].filter((path) => !path.startsWith('test/requirements/')).sort();
}

export function citations(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const path of filesWithTitles()) {
    const ids = titlesIn(readFileSync(`${ROOT}/${path}`, 'utf8')).flatMap(citedBy);
    for (const id of new Set(ids)) found.set(id, [...(found.get(id) ?? []), path]);
  }
  return found;
}
