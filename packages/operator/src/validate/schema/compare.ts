/**
 * Compares a parsed value with a schema. Pure.
 *
 * Each part of the schema is compared with each part of the value at most once, so the work is bounded by their sizes.
 * Paths contain only names from the schema: a name from the data may be a password in the wrong place.
 */
import { isDeepStrictEqual } from 'node:util';
import type { RE2JS } from 're2js';
import { re2 } from '../../expressions/libraries.ts';
import type { Schema, TypeName } from './keywords.ts';

export interface Mismatch {
  readonly path: string;
  readonly what: string;
}

const MOST_MISMATCHES = 5;
const MOST_PATTERNS = 64;

export function compare(value: unknown, schema: Schema): readonly Mismatch[] {
  const found: Mismatch[] = [];
  for (const mismatch of mismatches(value, schema, '')) {
    found.push(mismatch);
    if (found.length === MOST_MISMATCHES) break;
  }
  return found;
}

function* mismatches(value: unknown, schema: Schema, path: string): Generator<Mismatch> {
  const say = (what: string): Mismatch => ({ path, what });
  const { type } = schema;
  if (type !== undefined && ![type].flat().some((each) => isOf(value, each as TypeName))) {
    yield say(`must be of type ${[type].flat().join(' or ')}`);
    return;
  }
  if (schema.enum && !schema.enum.some((each) => isDeepStrictEqual(each, value)))
    yield say('must be one of the values that the schema names');
  if (Object.hasOwn(schema, 'const') && !isDeepStrictEqual(schema.const, value))
    yield say('must be the value that the schema names');
  if (typeof value === 'number') yield* ofNumber(value, schema, say);
  else if (typeof value === 'string') yield* ofText(value, schema, say);
  else if (Array.isArray(value)) yield* ofList(value, schema, path, say);
  else if (isMap(value)) yield* ofMap(value, schema, path, say);
  yield* combined(value, schema, path, say);
}

type Say = (what: string) => Mismatch;

function* ofNumber(value: number, schema: Schema, say: Say): Generator<Mismatch> {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (minimum !== undefined && !(value >= minimum)) yield say(`must be at least ${minimum}`);
  if (maximum !== undefined && !(value <= maximum)) yield say(`must be at most ${maximum}`);
  if (exclusiveMinimum !== undefined && !(value > exclusiveMinimum))
    yield say(`must be more than ${exclusiveMinimum}`);
  if (exclusiveMaximum !== undefined && !(value < exclusiveMaximum))
    yield say(`must be less than ${exclusiveMaximum}`);
  if (multipleOf !== undefined && !Number.isInteger(value / multipleOf))
    yield say(`must be a multiple of ${multipleOf}`);
}

function* ofText(value: string, { minLength, maxLength, pattern }: Schema, say: Say): Generator<Mismatch> {
  const length = minLength === undefined && maxLength === undefined ? 0 : [...value].length;
  if (minLength !== undefined && length < minLength) yield say(`must have at least ${minLength} characters`);
  if (maxLength !== undefined && length > maxLength) yield say(`must have at most ${maxLength} characters`);
  if (pattern !== undefined && !patternOf(pattern).matcher(value).find())
    yield say(`must match the pattern ${pattern}`);
}

function* ofList(value: readonly unknown[], schema: Schema, path: string, say: Say): Generator<Mismatch> {
  const { items, minItems, maxItems, uniqueItems } = schema;
  if (minItems !== undefined && value.length < minItems) yield say(`must have at least ${minItems} items`);
  if (maxItems !== undefined && value.length > maxItems) yield say(`must have at most ${maxItems} items`);
  if (uniqueItems && new Set(value.map(canonical)).size < value.length)
    yield say('must not have the same item twice');
  if (!items) return;
  for (const [index, item] of value.entries()) yield* mismatches(item, items, `${path}[${index}]`);
}

function* ofMap(
  value: Readonly<Record<string, unknown>>,
  schema: Schema,
  path: string,
  say: Say,
): Generator<Mismatch> {
  const { required = [], properties = {}, additionalProperties, minProperties, maxProperties } = schema;
  for (const name of required) if (!Object.hasOwn(value, name)) yield say(`must have ${name}`);
  const names = Object.keys(value);
  if (minProperties !== undefined && names.length < minProperties)
    yield say(`must have at least ${minProperties} properties`);
  if (maxProperties !== undefined && names.length > maxProperties)
    yield say(`must have at most ${maxProperties} properties`);
  let others = 0;
  for (const name of names) {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (known) yield* mismatches(value[name], known, `${path}.${name}`);
    else if (typeof additionalProperties === 'object')
      yield* mismatches(value[name], additionalProperties, `${path}.*`);
    else others += 1;
  }
  if (additionalProperties === false && others > 0)
    yield say(`has ${others === 1 ? 'a property' : `${others} properties`} that the schema does not name`);
}

function* combined(value: unknown, schema: Schema, path: string, say: Say): Generator<Mismatch> {
  const { allOf = [], anyOf, oneOf, not } = schema;
  const fits = (each: Schema): boolean => mismatches(value, each, path).next().done === true;
  for (const each of allOf) yield* mismatches(value, each, path);
  if (anyOf && !anyOf.some(fits)) yield say('must fit at least one schema of anyOf');
  if (oneOf) {
    const count = oneOf.filter(fits).length;
    if (count !== 1) yield say(`must fit exactly one schema of oneOf, and fits ${count}`);
  }
  if (not && fits(not)) yield say('must not fit the schema of not');
}

function isOf(value: unknown, type: TypeName): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isMap(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Equal for equal values, whatever the order of their properties. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    isMap(each) ? Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)) : each,
  );
}

const patterns = new Map<string, RE2JS>();

function patternOf(pattern: string): RE2JS {
  const known = patterns.get(pattern) ?? re2().RE2JS.compile(pattern);
  if (patterns.size >= MOST_PATTERNS) patterns.clear();
  patterns.set(pattern, known);
  return known;
}
