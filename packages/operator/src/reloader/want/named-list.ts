/**
 * Comma lists of names, each item an RE2 expression that is wrapped as `^item$` without grouping, so `a|b` means
 * "starts with a, or ends with b": users rely on it.
 *
 * In: the text of an annotation. Out: what it matches, which plain names it holds, and what is wrong with it.
 * Guarantees: matching is linear in the name's length, whatever the expression; a bad or oversized item is reported,
 * matches nothing and leaves the other items alone; plain names cost no expression and have no limit.
 */
import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import { expressionSize } from './expression-size.ts';

export interface NamedList {
  matches(name: string): boolean;
  /** Items that are possible names themselves: they are meant even while nothing of that name exists. */
  readonly names: readonly string[];
  /** Other names may match, too: only a look at all of them tells. */
  readonly hasPatterns: boolean;
  /** Items that cannot be used, with the reason. */
  readonly problems: readonly { readonly item: string; readonly message: string }[];
}

/** Instructions of all expressions of one list: far beyond what people write, and still quick for every name. */
export const LARGEST_PROGRAM = 2000;
/** Characters of one expression: its instructions may be few, and reading it is still work. */
const LONGEST_EXPRESSION = 2048;
/** More complaints than this about one list help nobody. */
const MOST_PROBLEMS = 10;
const LONGEST_QUOTE = 60;

/** Without any character that means something in an expression. */
const PLAIN = /^[A-Za-z0-9_-]+$/;
/** What Kubernetes accepts as a name; its dots are wildcards in an expression. */
const NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;
const LONGEST_NAME = 253;

let engine: typeof RE2JS | undefined;

/** Loaded with the first real expression: most lists are plain names, and it takes more memory than a whole informer. */
function compile(expression: string): RE2JS {
  engine ??= (createRequire(import.meta.url)('re2js') as { RE2JS: typeof RE2JS }).RE2JS;
  return engine.compile(expression);
}

interface Pattern {
  readonly prefix: string;
  readonly expression: RE2JS;
}

export function parseNamedList(text: string): NamedList {
  const exact = new Set<string>();
  const names = new Set<string>();
  const patterns: Pattern[] = [];
  const problems: { item: string; message: string }[] = [];
  let size = 0;
  const complain = (item: string, message: string): void => {
    if (problems.length < MOST_PROBLEMS) problems.push({ item: cut(item), message: cut(message, 200) });
  };
  for (const item of new Set(text.split(',').map((part) => part.trim()))) {
    if (item === '') continue;
    if (item.length <= LONGEST_NAME && NAME.test(item)) names.add(item);
    if (PLAIN.test(item)) {
      exact.add(item);
      continue;
    }
    const grown = item.length > LONGEST_EXPRESSION ? Number.POSITIVE_INFINITY : size + expressionSize(item);
    if (grown > LARGEST_PROGRAM) {
      complain(item, `the expressions of this list are too large together, at most ${LARGEST_PROGRAM} steps`);
      continue;
    }
    try {
      patterns.push({ prefix: literalPrefix(item), expression: compile(`^${item}$`) });
      size = grown;
    } catch (error) {
      complain(item, error instanceof Error ? error.message : String(error));
    }
  }
  return {
    matches: (name) =>
      exact.has(name) ||
      patterns.some(({ prefix, expression }) => name.startsWith(prefix) && expression.test(name)),
    names: [...names],
    hasPatterns: patterns.length > 0,
    problems,
  };
}

function cut(text: string, length = LONGEST_QUOTE): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** What every match must begin with; empty where that is not obvious. Spares most names the expression. */
function literalPrefix(item: string): string {
  if (item.includes('|') || item.includes('(?')) return '';
  const [prefix = ''] = /^[a-z0-9-]*/.exec(item) ?? [];
  return '*?{'.includes(item.charAt(prefix.length) || ' ') ? prefix.slice(0, -1) : prefix;
}

export interface NamedListCacheLimits {
  readonly lists: number;
  /** Characters of all texts together. */
  readonly characters: number;
}

/** Parses each text once, and forgets those that were not asked for in a while. */
export function createNamedListCache(
  { lists, characters }: NamedListCacheLimits = { lists: 512, characters: 262_144 },
  parse: (text: string) => NamedList = parseNamedList,
): (text: string) => NamedList {
  const cache = new Map<string, NamedList>();
  let held = 0;
  return (text) => {
    const known = cache.get(text);
    if (known) {
      cache.delete(text);
      cache.set(text, known);
      return known;
    }
    const list = parse(text);
    if (text.length > characters) return list;
    cache.set(text, list);
    held += text.length;
    for (const oldest of cache.keys()) {
      if (cache.size <= lists && held <= characters) break;
      cache.delete(oldest);
      held -= oldest.length;
    }
    return list;
  };
}

/** A list is a value of its text, so one cache serves everybody. */
export const namedList: (text: string) => NamedList = createNamedListCache();
