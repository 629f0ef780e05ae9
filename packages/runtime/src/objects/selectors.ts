/** Label selectors: from the text form of `kubectl -l`, from `metav1.LabelSelector`, and back to text. */

import { ConfigurationError } from '../model/errors.ts';

/** A selector as objects of the API hold it. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}

/** One requirement of a selector. */
export interface LabelSelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** A parsed selector. One without requirements matches everything. */
export interface Selector {
  /** Whether an object with these labels is selected. */
  matches(labels: Readonly<Record<string, string>> | undefined): boolean;
  /**
   * The API's `labelSelector` parameter: empty matches everything. Undefined if nothing can match: then send no
   * request.
   */
  readonly text: string | undefined;
}

/** The selector cannot be used; the message quotes the part that is wrong. */
export class SelectorError extends ConfigurationError {
  override name = 'SelectorError';
}

const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const;
type Operator = (typeof OPERATORS)[number];

interface Requirement {
  readonly key: string;
  /** Only the text form knows comparisons. */
  readonly operator: Operator | 'Gt' | 'Lt';
  readonly values: readonly string[];
}

/**
 * An absent selector matches nothing, an empty one everything, as the API has it. Throws a `SelectorError` for anything
 * else that is no selector: an object may have been stored before its definition had rules.
 */
export function selectorFrom(selector: LabelSelector | undefined): Selector {
  if (selector === undefined || selector === null) return { matches: () => false, text: undefined };
  if (!isMap(selector)) throw new SelectorError('a label selector must be an object');
  // The API server drops nulls.
  const labels: unknown = selector.matchLabels ?? {};
  if (!isTextMap(labels)) throw new SelectorError('matchLabels must be a map of strings');
  const expressions: unknown = selector.matchExpressions ?? [];
  if (!Array.isArray(expressions) || !expressions.every(isRequirement))
    throw new SelectorError('matchExpressions must be a list of { key, operator, values }');
  return build([
    ...Object.entries(labels).map(([key, value]) => checked(key, 'In', [value])),
    ...expressions.map(({ key, operator, values }) => checked(key, operator, values ?? [])),
  ]);
}

function isRequirement(value: unknown): value is LabelSelectorRequirement {
  if (!isMap(value) || typeof value.key !== 'string') return false;
  const { values } = value;
  return values === undefined || values === null || (Array.isArray(values) && isTexts(values));
}

function isTextMap(value: unknown): value is Readonly<Record<string, string>> {
  return isMap(value) && isTexts(Object.values(value));
}

function isTexts(values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === 'string');
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses `app=web,tier in (a,b),!legacy,age>5`. An empty text matches everything. */
export function parseSelector(text: string): Selector {
  if (text.trim() === '') return build([]);
  return build(splitOutsideParentheses(text).map(parseRequirement));
}

const NAME = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const PREFIX = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

const SET = /^(?<key>\S+)\s+(?<operator>in|notin)\s*\((?<values>[^()]*)\)$/;
const EQUALITY = /^(?<key>[^\s=!]+)\s*(?<operator>==?|!=)\s*(?<value>[^\s=!]*)$/;
const COMPARISON = /^(?<key>[^\s=!<>]+)\s*(?<operator>[<>])\s*(?<value>[^\s=!<>]*)$/;
const WHOLE_NUMBER = /^\d+$/;
const LARGEST = 2n ** 63n - 1n;
const EXISTENCE = /^(?<not>!\s*)?(?<key>[^\s=!()]+)$/;

function parseRequirement(part: string): Requirement {
  const text = part.trim();
  const set = SET.exec(text)?.groups;
  if (set) {
    const values = (set.values ?? '').split(',').map((value) => value.trim());
    return checked(set.key ?? '', set.operator === 'in' ? 'In' : 'NotIn', values);
  }
  const equality = EQUALITY.exec(text)?.groups;
  if (equality) {
    return checked(equality.key ?? '', equality.operator === '!=' ? 'NotIn' : 'In', [equality.value ?? '']);
  }
  const comparison = COMPARISON.exec(text)?.groups;
  if (comparison) return compared(comparison.key ?? '', comparison.operator ?? '', comparison.value ?? '');
  const existence = EXISTENCE.exec(text)?.groups;
  if (existence) return checked(existence.key ?? '', existence.not ? 'DoesNotExist' : 'Exists', []);
  throw new SelectorError(
    `Label selector part "${text}" cannot be read: use forms such as "app=web", "tier in (a,b)" or "!legacy"`,
  );
}

function splitOutsideParentheses(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (character === '(') depth++;
    else if (character === ')') depth--;
    else if (character === ',' && depth === 0) {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  return [...parts, text.slice(start)];
}

function compared(key: string, operator: string, value: string): Requirement {
  expectName(key);
  if (!WHOLE_NUMBER.test(value) || BigInt(value) > LARGEST)
    throw new SelectorError(`Label "${key}" can only be compared with a whole number, not "${value}"`);
  return { key, operator: operator === '>' ? 'Gt' : 'Lt', values: [value] };
}

function expectName(key: string): void {
  const slash = key.indexOf('/');
  const prefix = slash < 0 ? undefined : key.slice(0, slash);
  if (
    (prefix !== undefined && (prefix.length > 253 || !PREFIX.test(prefix))) ||
    !NAME.test(key.slice(slash + 1))
  ) {
    throw new SelectorError(`"${key}" is not a label name`);
  }
}

function checked(key: string, operator: string, values: readonly string[]): Requirement {
  expectName(key);
  const known = OPERATORS.find((candidate) => candidate === operator);
  if (!known)
    throw new SelectorError(`Operator "${operator}" of label "${key}" must be ${OPERATORS.join(', ')}`);
  const takesValues = known === 'In' || known === 'NotIn';
  if (takesValues !== values.length > 0) {
    throw new SelectorError(
      `Operator ${known} of label "${key}" ${takesValues ? 'needs' : 'takes no'} values`,
    );
  }
  for (const value of values) {
    if (value !== '' && !NAME.test(value))
      throw new SelectorError(`"${value}" cannot be a value of label "${key}"`);
  }
  return { key, operator: known, values };
}

function build(requirements: readonly Requirement[]): Selector {
  return {
    matches: (labels) => requirements.every((requirement) => holds(requirement, labels ?? {})),
    text: requirements.map(format).join(','),
  };
}

function holds({ key, operator, values }: Requirement, labels: Readonly<Record<string, string>>): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Gt':
    case 'Lt': {
      const [limit = '0'] = values;
      if (value === undefined || !WHOLE_NUMBER.test(value) || BigInt(value) > LARGEST) return false;
      return operator === 'Gt' ? BigInt(value) > BigInt(limit) : BigInt(value) < BigInt(limit);
    }
  }
}

function format({ key, operator, values }: Requirement): string {
  switch (operator) {
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    case 'In':
      return values.length === 1 ? `${key}=${values[0]}` : `${key} in (${values.join(',')})`;
    case 'NotIn':
      return values.length === 1 ? `${key}!=${values[0]}` : `${key} notin (${values.join(',')})`;
    case 'Gt':
      return `${key}>${values[0]}`;
    case 'Lt':
      return `${key}<${values[0]}`;
  }
}
