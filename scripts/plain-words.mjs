// Phrases that a reader has to read twice, each with plainer words. In: the files of the repository. Out: a line for
// each use in a comment, a message, a test title or a page, with its place. CONTRIBUTING.md has the style behind it.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Refused everywhere. */
const PHRASES = [
  [/gone for good, by/i, 'say who deleted it: "a user deleted it"'],
  [/by somebody's will/i, 'name the actor: "on a user\'s request"'],
  [/at growing distances/i, '"with exponential backoff"'],
  [/pauses add up to the longest/i, '"the longest of the pauses applies"'],
];

/** Refused in PLAIN only. */
const STRICT = [
  [/what is dealt with/i, 'name it: "the processed keys"'],
  [/gone is proven/i, '"an object counts as deleted only if a list shows it"'],
  [/does not work as written/i, 'name the setting and the mistake'],
  [/leaves? no time behind/i, '"does not update the time in managedFields"'],
  [/who only takes? keys away/i, '"a write that only removes keys"'],
  [/growing pauses/i, '"exponential backoff"'],
  [/whoever/i, 'name the actor: "the caller", "the client", "the next leader"'],
  [/without a word/i, '"silently", or "returns nothing"'],
  [/have? the last word|has the last word/i, '"decide"'],
  [/in earnest/i, '"in production"'],
  [/comes? to the same end/i, '"is idempotent"'],
  [/(?:has|have) to put right/i, '"a person has to act", "configuration error"'],
  [
    /^\s*(?:\/\/|\/\*\*?|\*) (?:What|Who|Whose|Whom)\b/,
    'begin with the noun or the verb, not with a question word',
  ],
];

/** Read and rewritten as a whole. */
const PLAIN = [
  'packages/',
  'examples/',
  'bench/',
  'scripts/',
  'test/',
  'docs/',
  'README.md',
  'ARCHITECTURE.md',
  'SECURITY.md',
  'RELEASING.md',
];

const READ = /\.(ts|tsx|mts|mjs|js|go|sh|md|yaml|tpl)$/;
/** Quotes of other programs, history, and the pages that show a phrase to explain it. */
const EXEMPT =
  /^site\/(\.vitepress\/cache|api)\/|\.generated\.|^CHANGELOG\.md$|^CONTRIBUTING\.md$|(^|\/)plain-words(\.test)?\.|\/testdata\//;
/** Folders of what is installed, built or kept by Git. */
const SKIPPED = new Set(['node_modules', 'dist', '.git', 'coverage']);

/** Without Git: a tarball has to pass, too. */
function* filesBelow(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory() && !SKIPPED.has(entry.name)) yield* filesBelow(join(folder, entry.name));
    else if (entry.isFile()) yield join(folder, entry.name);
  }
}

/** One line for each phrase found, as `file:line: "phrase": use …`. */
export function plainWords(root) {
  return [...filesBelow(root)]
    .map((path) => relative(root, path))
    .filter((file) => READ.test(file) && !EXEMPT.test(file))
    .flatMap((file) => findings(file, readFileSync(join(root, file), 'utf8')));
}

/** Exported for its test. */
export function findings(file, text) {
  const phrases = PLAIN.some((start) => file.startsWith(start)) ? [...PHRASES, ...STRICT] : PHRASES;
  return text.split('\n').flatMap((line, index) =>
    phrases.flatMap(([phrase, better]) => {
      const found = phrase.exec(line)?.[0].trim();
      return found ? [`${file}:${index + 1}: "${found}": ${better} (CONTRIBUTING.md, House style)`] : [];
    }),
  );
}
