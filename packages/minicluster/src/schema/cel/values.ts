/** JSON values as CEL values, by their schema: integers are integers, timestamps are timestamps. */
import { Environment } from '@marcbachmann/cel-js';
import { isRecord } from '../json.ts';
import type { Schema } from '../schema.ts';
import { escapeName } from './names.ts';
import { propertiesOf } from './types.ts';

export function toCel(value: unknown, schema: Schema, isRoot = false): unknown {
  if (value === null || value === undefined) return null;
  if (schema['x-kubernetes-int-or-string'] || schema.type === undefined) return untyped(value);
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.map((item) => toCel(item, items)) : value.map(untyped);
  }
  if (isRecord(value)) return toMap(value, schema, isRoot);
  if (typeof value === 'string') return toText(value, schema.format);
  return typeof value === 'number' && schema.type === 'integer' ? BigInt(Math.trunc(value)) : value;
}

function toMap(value: Record<string, unknown>, schema: Schema, isRoot: boolean): unknown {
  const entries: [string, unknown][] = [];
  const { additionalProperties } = schema;
  const properties = propertiesOf(schema, isRoot);
  for (const key of Object.keys(value)) {
    if (typeof additionalProperties === 'object')
      entries.push([key, toCel(value[key], additionalProperties)]);
    else if (additionalProperties === true) entries.push([key, untyped(value[key])]);
    else if (Object.hasOwn(properties, key)) {
      const name = escapeName(key);
      if (name !== undefined) entries.push([name, toCel(value[key], properties[key] as Schema)]);
    }
  }
  return Object.fromEntries(entries);
}

function untyped(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(untyped);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, untyped(child)]));
}

const durations = new Environment().registerVariable('text', 'string').parse('duration(text)');

function toText(value: string, format: string | undefined): unknown {
  switch (format) {
    case 'date':
    case 'date-time':
      return new Date(value);
    case 'duration':
      return durations({ text: value });
    case 'byte':
      return new Uint8Array(Buffer.from(value, 'base64'));
    default:
      return value;
  }
}
