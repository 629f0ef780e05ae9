/**
 * Comma-separated lists of names. Each item is an RE2 expression, wrapped as `^item$` without grouping, so `a|b` means
 * "starts with a, or ends with b": users rely on it.
 *
 * In: the text of an annotation. Out: a matcher, the plain names in the list, and its problems.
 * Guarantees: matching is linear in the name's length, whatever the expression; a bad or oversized item is reported,
 * matches nothing and does not affect the other items; plain names cost no expression. Expressions are compiled on
 * first use, and their results are cached. Expensive ones can be evaluated in pieces beforehand (`learn`).
 */

import { compileCost, expressionSize } from '../../expressions/pattern-cost.ts';
import { Answers } from './answers.ts';
import { compiled, loadEngine } from './compiled.ts';
import { globOf } from './glob.ts';

export interface NamedList {
  readonly matches: (name: string) => boolean;
  /** The same without evaluating: undefined if an expression would have to be evaluated. */
  known(name: string): boolean | undefined;
  /** Items that are valid names: they are wanted even while no object of that name exists. */
  readonly names: readonly string[];
  /** Other names may match, too, so every name has to be checked. */
  readonly hasPatterns: boolean;
  /** Unusable items with the reason. Compiles the expressions that are not yet compiled. */
  readonly problems: readonly { readonly item: string; readonly message: string }[];
  /** Number of items that it keeps in memory. */
  readonly size: number;
  /**
   * The cost of matching all of these names, in matching steps: a hundred thousand take milliseconds. Stops counting at
   * the limit.
   */
  costOf(names: Iterable<string>, limit?: number): number;
  /** Matches these names and caches the results, in pieces of about a millisecond each. */
  learn(names: Iterable<string>): Generator<void>;
}

/** Limit of the compile cost of one list: far more than users need, and still a few milliseconds. */
export const LARGEST_PROGRAM = 300;
const MOST_EXPRESSIONS = 100;
/** Far more than a record holds. */
const MOST_NAMES = 1_000;
/** Includes duplicate and empty items. */
const MOST_ITEMS = 5_000;
/** Globs are names with wildcards. */
const MOST_GLOBS = 200;
/** In characters: even an expression that compiles to few instructions takes time to parse. */
const LONGEST_EXPRESSION = 512;
/** More messages than this about one list do not help the user. */
const MOST_PROBLEMS = 10;
const LONGEST_QUOTE = 60;
/** Compiling one instruction takes as long as this many matching steps. */
const COMPILE_STEPS = 100;
const STEPS_AT_ONCE = 20_000;

/** Contains no special character of expressions. */
const PLAIN = /^[A-Za-z0-9_-]+$/;
/** A valid Kubernetes name; its dots are wildcards in an expression. */
const NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;
const LONGEST_NAME = 253;

type Problem = NamedList['problems'][number];

interface Expression {
  readonly item: string;
  readonly prefix: string;
  readonly cost: number;
  /** Matching steps for each character of a name. */
  readonly size: number;
}

export function parseNamedList(text: string): NamedList {
  const exact = new Set<string>();
  const names = new Set<string>();
  const globs: ((name: string) => boolean)[] = [];
  const expressions: Expression[] = [];
  const problems: Problem[] = [];
  let cost = 0;
  let named = 0;
  const items = text.split(',', MOST_ITEMS + 1);
  if (items.length > MOST_ITEMS)
    complain(problems, items.pop() ?? '', `there are more than ${MOST_ITEMS} items in this list`);
  for (const item of new Set(items.map((part) => part.trim()))) {
    if (item === '') continue;
    const isName = item.length <= LONGEST_NAME && NAME.test(item);
    const isPlain = PLAIN.test(item);
    if (isName || isPlain) {
      if (named === MOST_NAMES) {
        complain(problems, item, `there are more than ${MOST_NAMES} names in this list`);
        continue;
      }
      named += 1;
    }
    if (isName) names.add(item);
    if (isPlain) {
      exact.add(item);
      continue;
    }
    const isLong = item.length > LONGEST_EXPRESSION;
    const glob = isLong ? undefined : globOf(item);
    if (glob) {
      if (globs.length < MOST_GLOBS) globs.push(glob);
      else complain(problems, item, `there are more than ${MOST_GLOBS} names with wildcards in this list`);
      continue;
    }
    // Counted even if it does not compile: finding that out costs the same.
    const own = isLong ? Number.POSITIVE_INFINITY : compileCost(item);
    if (cost + own > LARGEST_PROGRAM || expressions.length === MOST_EXPRESSIONS) {
      const most = `${MOST_EXPRESSIONS} of them, ${LONGEST_EXPRESSION} characters each, and ${LARGEST_PROGRAM} steps together`;
      complain(problems, item, `the expressions of this list are too large together, at most ${most}`);
      continue;
    }
    cost += own;
    expressions.push({ item, prefix: literalPrefix(item), cost: own, size: expressionSize(item) + 2 });
  }
  return new ParsedList(exact, [...names], globs, expressions, problems);
}

class ParsedList implements NamedList {
  readonly names: readonly string[];
  readonly hasPatterns: boolean;
  readonly size: number;
  readonly #exact: ReadonlySet<string>;
  readonly #globs: readonly ((name: string) => boolean)[];
  readonly #problems: Problem[];
  readonly #answers = new Answers();
  #expressions: readonly Expression[];
  #isChecked = false;

  constructor(
    exact: ReadonlySet<string>,
    names: readonly string[],
    globs: readonly ((name: string) => boolean)[],
    expressions: readonly Expression[],
    problems: Problem[],
  ) {
    this.#exact = exact;
    this.names = names;
    this.#globs = globs;
    this.#expressions = expressions;
    this.#problems = problems;
    this.hasPatterns = globs.length + expressions.length > 0;
    this.size = exact.size + names.length + globs.length + expressions.length;
  }

  get problems(): readonly Problem[] {
    for (const _ of this.#check());
    return this.#problems;
  }

  readonly matches = (name: string): boolean => {
    const known = this.known(name);
    if (known !== undefined) return known;
    for (const _ of this.learn([name]));
    return this.#answers.get(name) ?? false;
  };

  known(name: string): boolean | undefined {
    if (this.#exact.has(name) || this.#globs.some((fits) => fits(name))) return true;
    if (!this.#expressions.some(({ prefix }) => name.startsWith(prefix))) return false;
    return this.#answers.get(name);
  }

  costOf(names: Iterable<string>, limit = Number.POSITIVE_INFINITY): number {
    if (this.#expressions.length === 0) return 0;
    const size = this.#expressions.reduce((sum, each) => sum + each.size, 0);
    const compiling = this.#expressions.reduce((sum, each) => sum + each.cost, 0) * COMPILE_STEPS;
    let steps = this.#isChecked ? 0 : compiling;
    for (const name of names) {
      if (steps > limit) break;
      if (this.known(name) !== undefined) continue;
      steps += size * name.length + (steps === 0 ? compiling : 0);
    }
    return steps;
  }

  *learn(names: Iterable<string>): Generator<void> {
    yield* this.#check();
    const open = new Set<string>();
    for (const name of names) if (this.known(name) === undefined) open.add(name);
    const found = new Set<string>();
    let steps = 0;
    // Expression by expression, because only few compiled ones are cached.
    for (const { item, prefix, size } of open.size > 0 ? this.#expressions : []) {
      // Kept for all names, even if the cache drops it meanwhile.
      let expression: ReturnType<typeof compiled> | undefined;
      for (const name of open) {
        if (found.has(name) || !name.startsWith(prefix)) continue;
        expression ??= compiled(`^${item}$`);
        if (!(expression instanceof Error) && expression.test(name)) found.add(name);
        steps += size * name.length;
        if (steps < STEPS_AT_ONCE) continue;
        steps = 0;
        yield;
      }
    }
    for (const name of open) this.#answers.set(name, found.has(name));
  }

  /** Compiles all expressions once and reports those that fail. */
  *#check(): Generator<void> {
    if (this.#isChecked) return;
    // Loading the engine takes as long as many pieces, so it is a piece of its own.
    if (this.#expressions.length > 0 && loadEngine()) yield;
    const usable: Expression[] = [];
    const bad: Problem[] = [];
    let steps = 0;
    for (const each of this.#expressions) {
      const result = compiled(`^${each.item}$`);
      if (result instanceof Error) bad.push({ item: each.item, message: result.message });
      else usable.push(each);
      steps += each.cost * COMPILE_STEPS;
      if (steps < STEPS_AT_ONCE) continue;
      steps = 0;
      yield;
    }
    // A synchronous caller may have finished the check meanwhile.
    if (this.#isChecked) return;
    for (const { item, message } of bad) complain(this.#problems, item, message);
    this.#expressions = usable;
    this.#isChecked = true;
  }
}

function complain(problems: Problem[], item: string, message: string): void {
  if (problems.length < MOST_PROBLEMS) problems.push({ item: cut(item), message: cut(message, 200) });
}

function cut(text: string, length = LONGEST_QUOTE): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** The literal prefix of every match; empty if not obvious. Most names are rejected by it without the expression. */
function literalPrefix(item: string): string {
  if (item.includes('|') || item.includes('(?')) return '';
  const [prefix = ''] = /^[a-z0-9-]*/.exec(item) ?? [];
  return '*?{'.includes(item.charAt(prefix.length) || ' ') ? prefix.slice(0, -1) : prefix;
}

export interface NamedListCacheLimits {
  readonly lists: number;
  /** Names and expressions of all lists together; their texts are held by the cached workloads anyway. */
  readonly items: number;
}

const EMPTY = parseNamedList('');

/** Parses each text once, and evicts the least recently used lists. */
export function createNamedListCache(
  { lists, items }: NamedListCacheLimits = { lists: 1_024, items: 50_000 },
  parse: (text: string) => NamedList = parseNamedList,
): (text: string) => NamedList {
  const cache = new Map<string, NamedList>();
  let held = 0;
  return (text) => {
    // Most workloads have no list, for any kind of source. Moving this entry to the end of the cache each time would
    // fill the old generation of the heap with tables of that map.
    if (text === '') return EMPTY;
    const known = cache.get(text);
    if (known) {
      cache.delete(text);
      cache.set(text, known);
      return known;
    }
    const list = parse(text);
    if (list.size > items) return list;
    cache.set(text, list);
    held += list.size;
    for (const [oldest, { size }] of cache) {
      if (cache.size <= lists && held <= items) break;
      cache.delete(oldest);
      held -= size;
    }
    return list;
  };
}

/** A list depends on its text alone, so one cache is shared by all. */
export const namedList: (text: string) => NamedList = createNamedListCache();
