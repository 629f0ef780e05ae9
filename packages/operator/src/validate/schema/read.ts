/** Validates a schema that a tenant wrote, before it is used. */
import { re2 } from '../../expressions/libraries.ts';
import { KEYWORDS, type Schema, type Shape, TYPES } from './keywords.ts';

export const LARGEST_SCHEMA = 16_384;
const DEEPEST_SCHEMA = 24;
const LONGEST_PATTERN = 256;
/** In instructions: each of them may be tried at each character. */
const LARGEST_PATTERN = 1_000;

export type ReadSchema = { readonly schema: Schema } | { readonly problem: string };

export function readSchema(value: unknown): ReadSchema {
  const problem = problemOf(value, '', 0) ?? sizeProblem(value);
  return problem === undefined ? { schema: value as Schema } : { problem };
}

function sizeProblem(value: unknown): string | undefined {
  return JSON.stringify(value).length > LARGEST_SCHEMA
    ? `is larger than ${LARGEST_SCHEMA / 1024} KiB`
    : undefined;
}

function problemOf(value: unknown, path: string, depth: number): string | undefined {
  if (depth > DEEPEST_SCHEMA) return `is nested more than ${DEEPEST_SCHEMA} levels deep`;
  const at = path === '' ? '' : `${path} `;
  if (!isMap(value)) return `${at}must be an object`;
  for (const [keyword, given] of Object.entries(value)) {
    const where = `${path}.${short(keyword)}`;
    const shape = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined;
    if (shape === undefined) {
      return `${where} is no keyword that is understood here: ${Object.keys(KEYWORDS).join(', ')} are`;
    }
    const problem = shapeProblem(shape, given, where, depth);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function shapeProblem(shape: Shape, given: unknown, where: string, depth: number): string | undefined {
  const must = (isRight: boolean, what: string): string | undefined =>
    isRight ? undefined : `${where} must be ${what}`;
  switch (shape) {
    case 'anything':
      return undefined;
    case 'types':
      return must(isTypes(given), `one of ${TYPES.join(', ')}, or a list of them`);
    case 'values':
      return must(Array.isArray(given) && given.length > 0, 'a list of values');
    case 'names':
      return must(Array.isArray(given) && given.every((each) => typeof each === 'string'), 'a list of names');
    case 'count':
      return must(Number.isInteger(given) && Number(given) >= 0, 'a whole number from 0');
    case 'number':
      return must(typeof given === 'number' && Number.isFinite(given), 'a number');
    case 'positive':
      return must(typeof given === 'number' && given > 0, 'a number above 0');
    case 'flag':
      return must(typeof given === 'boolean', 'true or false');
    case 'text':
      return must(typeof given === 'string', 'a text');
    case 'pattern':
      return patternProblem(given, where);
    case 'schema':
      return problemOf(given, where, depth + 1);
    case 'schema-or-flag':
      return typeof given === 'boolean' ? undefined : problemOf(given, where, depth + 1);
    case 'schemas':
      if (!Array.isArray(given) || given.length === 0) return `${where} must be a list of schemas`;
      return first(given.map((each, index) => problemOf(each, `${where}[${index}]`, depth + 1)));
    case 'properties':
      if (!isMap(given)) return `${where} must be an object`;
      return first(
        Object.entries(given).map(([name, each]) => problemOf(each, `${where}.${short(name)}`, depth + 1)),
      );
  }
}

function patternProblem(given: unknown, where: string): string | undefined {
  if (typeof given !== 'string') return `${where} must be a text`;
  if (given.length > LONGEST_PATTERN) return `${where} is longer than ${LONGEST_PATTERN} characters`;
  try {
    return re2().RE2JS.compile(given).programSize() > LARGEST_PATTERN
      ? `${where} is too large a pattern`
      : undefined;
  } catch {
    return `${where} is no pattern of RE2`;
  }
}

function isTypes(given: unknown): boolean {
  const names: readonly unknown[] = Array.isArray(given) ? given : [given];
  return names.length > 0 && names.every((name) => TYPES.some((type) => type === name));
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function first(problems: readonly (string | undefined)[]): string | undefined {
  return problems.find((problem) => problem !== undefined);
}

function short(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
