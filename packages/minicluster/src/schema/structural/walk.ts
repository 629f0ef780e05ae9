/** Visits every value of an object that has a schema, with its path. */
import { isRecord } from '../json.ts';
import type { Schema } from '../schema.ts';

export type Visit = (value: unknown, schema: Schema, path: string) => void;

export function walk(value: unknown, schema: Schema, visit: Visit, path = ''): void {
  visit(value, schema, path);
  if (Array.isArray(value)) {
    const { items } = schema;
    if (!items) return;
    value.forEach((item: unknown, index) => {
      walk(item, items, visit, `${path}[${index}]`);
    });
  } else if (isRecord(value)) {
    for (const key of Object.keys(value)) {
      const properties = schema.properties ?? {};
      const field = Object.hasOwn(properties, key) ? properties[key] : schema.additionalProperties;
      if (typeof field === 'object') walk(value[key], field, visit, path ? `${path}.${key}` : key);
    }
  }
}
