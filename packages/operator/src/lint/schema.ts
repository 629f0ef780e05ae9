/** Checks custom resources against the schema of their definition: reports what the API server would refuse or drop. */
import type { JsonSchema } from '../crds/json-schema.ts';
import { nearest } from '../reloader/model/nearest.ts';
import { isJson } from './documents.ts';
import type { Report } from './finding.ts';

type Path = readonly (string | number)[];

export function checkSchema(value: unknown, schema: JsonSchema, path: Path, report: Report): void {
  const say = (rule: string, message: string): void => report(pathText(path), rule, message, path);
  // A null field counts as absent.
  if (value === null || value === undefined) return;
  if (!isOfType(value, schema)) {
    say('bad-type', `must be ${typeName(schema)}, not ${describe(value)}`);
    return;
  }
  if (isJson(value)) checkObject(value, schema, path, report, say);
  if (Array.isArray(value)) {
    if (schema.maxItems !== undefined && value.length > schema.maxItems)
      say('too-many', `has ${value.length} items, more than ${schema.maxItems}`);
    if (schema.minItems !== undefined && value.length < schema.minItems)
      say('empty', `has ${value.length} items, less than ${schema.minItems}`);
    const { items } = schema;
    if (items) value.forEach((item, index) => void checkItem(item, items, [...path, index], report));
  }
  if (typeof value === 'string') checkText(value, schema, say);
  if (typeof value === 'number') checkNumber(value, schema, say);
}

/** Unlike a field, an item cannot be left out. */
function checkItem(item: unknown, schema: JsonSchema, path: Path, report: Report): void {
  if (item === null) report(pathText(path), 'bad-type', `must be ${typeName(schema)}, not null`, path);
  else checkSchema(item, schema, path, report);
}

/** Reports fields beside `spec`; those of the schema belong into it. */
export function checkRoot(object: Readonly<Record<string, unknown>>, spec: JsonSchema, report: Report): void {
  for (const field of Object.keys(object)) {
    if (['apiVersion', 'kind', 'metadata', 'spec', 'status'].includes(field)) continue;
    const hint = Object.hasOwn(spec.properties ?? {}, field) ? ': it belongs under spec' : '';
    report(field, 'unknown-field', `is no field of a ${String(object.kind)}${hint}`, [field]);
  }
}

/** Without the null fields, which the API server drops. */
export function withoutNulls(value: unknown, schema: JsonSchema | undefined): unknown {
  if (!schema || schema['x-kubernetes-preserve-unknown-fields']) return value;
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, schema.items));
  if (!isJson(value)) return value;
  const { properties = {}, additionalProperties } = schema;
  const kept = Object.entries(value).flatMap(([name, inner]) => {
    const known = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    return known && inner === null ? [] : [[name, withoutNulls(inner, known)]];
  });
  return Object.fromEntries(kept);
}

const TYPES: Readonly<Record<NonNullable<JsonSchema['type']>, string>> = {
  object: 'an object',
  array: 'a list',
  string: 'a text',
  boolean: 'true or false',
  integer: 'a whole number',
};

function typeName({ type }: JsonSchema): string {
  return type ? TYPES[type] : 'a whole number or a text';
}

function isOfType(value: unknown, { type }: JsonSchema): boolean {
  switch (type) {
    case 'object':
      return isJson(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case undefined:
      return Number.isInteger(value) || typeof value === 'string';
    default:
      return typeof value === type;
  }
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return isJson(value)
    ? 'an object'
    : `${JSON.stringify(value)} (${typeof value === 'string' ? 'a text' : typeof value})`;
}

type Say = (rule: string, message: string) => void;

function checkObject(
  value: Readonly<Record<string, unknown>>,
  schema: JsonSchema,
  path: Path,
  report: Report,
  say: Say,
): void {
  const { properties, additionalProperties, required = [], maxProperties } = schema;
  const count = Object.keys(value).length;
  if (maxProperties !== undefined && count > maxProperties)
    say('too-many', `has ${count} entries, more than ${maxProperties}`);
  for (const name of required) {
    if (value[name] === undefined || value[name] === null) say('missing-field', `needs ${name}`);
  }
  for (const [name, inner] of Object.entries(value)) {
    const known = properties && Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    if (known) checkSchema(inner, known, [...path, name], report);
    else if (properties) {
      const close = nearest(name, Object.keys(properties));
      const hint = close ? `did you mean ${close}?` : `there are ${Object.keys(properties).join(', ')}`;
      report(pathText([...path, name]), 'unknown-field', `is no field: ${hint}`, [...path, name]);
    }
  }
}

function checkText(
  value: string,
  { enum: choices, pattern, minLength = 0, maxLength }: JsonSchema,
  say: Say,
): void {
  if (choices && !choices.includes(value)) {
    const close = nearest(value, choices);
    say(
      'unknown-value',
      `is ${JSON.stringify(value)}: ${close ? `did you mean ${close}?` : `there are ${choices.join(', ')}`}`,
    );
  } else if (value.length < minLength && !pattern) say('empty', 'is empty');
  else if (maxLength !== undefined && value.length > maxLength)
    say('too-long', `has ${value.length} characters, more than ${maxLength}`);
  else if (pattern && !new RegExp(pattern, 'u').test(value))
    say('bad-text', `is ${JSON.stringify(value)}, which is not accepted here${example(pattern)}`);
}

function checkNumber(value: number, { minimum, maximum }: JsonSchema, say: Say): void {
  if (minimum !== undefined && value < minimum) say('out-of-range', `is ${value}: the least is ${minimum}`);
  if (maximum !== undefined && value > maximum) say('out-of-range', `is ${value}: the most is ${maximum}`);
}

function example(pattern: string): string {
  if (pattern.includes('ns|us')) return ': write a duration such as "30s" or "1h30m"';
  if (pattern.endsWith('%$')) return ': write a number without quotes, or a percentage such as "25%"';
  if (pattern.endsWith('{4}$')) return ': write a schedule of five fields such as "0 2 * * 1-5"';
  if (pattern.includes('https?')) return ': write an address that begins with http:// or https://';
  return pattern.includes('a-z0-9') ? ': names have small letters, digits and "-"' : '';
}

export function pathText(path: Path): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`),
    '',
  );
}
