/**
 * YAML with one or several documents, without custom tags.
 *
 * The library's messages quote the text, so only the place is passed on. Aliases share their values, which saves memory
 * but not the time to walk them: a value is counted once for each alias.
 */
import { CORE_SCHEMA, loadAll, types, YAMLException } from 'js-yaml';
import { DEEPEST, mistake, type Parsed, TOO_DEEP } from '../parsed.ts';

const SCHEMA = CORE_SCHEMA.extend({ implicit: [types.merge] });
/** Far more than a megabyte of text without aliases can contain. */
const MOST_VALUES = 1_000_000;
const MOST_MERGED_KEYS = 10_000;
const MOST_DOCUMENTS = 1_000;

export function parseYaml(text: string): Parsed {
  const documents: unknown[] = [];
  try {
    loadAll(text, (document) => void documents.push(document), {
      schema: SCHEMA,
      maxDepth: DEEPEST,
      maxTotalMergeKeys: MOST_MERGED_KEYS,
    });
  } catch (error) {
    return mistake(wordsFor(error), placeIn(error));
  }
  if (documents.length > MOST_DOCUMENTS) return mistake(`has more than ${MOST_DOCUMENTS} documents`);
  const size = { left: MOST_VALUES };
  for (const document of documents) {
    const problem = walk(document, size, 0);
    if (problem !== undefined) return mistake(problem);
  }
  // A text without any document is an empty value, as programs read it: rules and schemas must be asked about it, too.
  return { documents: documents.length > 0 ? documents : [null] };
}

function walk(value: unknown, size: { left: number }, depth: number): string | undefined {
  size.left -= 1;
  if (size.left < 0) return 'is endless: its aliases stand for too much';
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === DEEPEST) return TOO_DEEP;
  for (const child of Object.values(value)) {
    const problem = walk(child, size, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function placeIn(error: unknown): { readonly line: number; readonly column: number } | undefined {
  const mark = error instanceof YAMLException ? error.mark : undefined;
  return mark && { line: mark.line + 1, column: mark.column + 1 };
}

function wordsFor(error: unknown): string {
  const reason = error instanceof YAMLException ? error.reason : '';
  return WORDS.find(([begins]) => reason.startsWith(begins))?.[1] ?? 'is not YAML';
}

/** The beginning of the library's reason, and our text for it. */
const WORDS: readonly (readonly [begins: string, says: string])[] = [
  ['nesting exceeded', TOO_DEEP],
  ['duplicated mapping key', 'repeats a key of the same map'],
  ['bad indentation', 'is not indented as what it belongs to'],
  ['tab characters', 'is indented by a tab'],
  ['can not read a block mapping entry', 'has a key of several lines; is a colon missing?'],
  ['can not read an implicit mapping pair', 'lacks a colon'],
  ['missed comma', 'lacks a comma'],
  ['unexpected end of the', 'lacks a closing quote or bracket'],
  ['unidentified alias', 'has an alias of an anchor that is not there'],
  ['unknown tag', 'has a tag, which only some programs understand'],
  ['cannot resolve a node', 'has a tag that does not fit its value'],
  ['unacceptable node kind', 'has a tag that does not fit its value'],
  ['unknown escape sequence', 'has an escape in double quotes that YAML does not know'],
  ['merge keys exceeded', `merges more than ${MOST_MERGED_KEYS} keys`],
  ['cannot merge mappings', 'merges something that is no map'],
  ['the stream contains non-printable', 'holds characters that YAML does not allow'],
  ['end of the stream or a document separator', 'has something that YAML does not expect there'],
];
