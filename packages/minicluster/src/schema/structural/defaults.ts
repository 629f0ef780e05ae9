/** Fills in what a custom resource's schema has defaults for, and drops nulls where none may be. */
import { isRecord, type JsonRecord, setKey } from '../json.ts';
import type { Schema } from '../schema.ts';

/** The object with its defaults; itself when it had them. */
export function applyDefaults<T>(object: T, schema: Schema): T {
  return defaultValue(object, schema) as T;
}

function defaultValue(value: unknown, schema: Schema): unknown {
  if (Array.isArray(value)) return schema.items ? defaultItems(value, schema.items) : value;
  return isRecord(value) ? defaultMap(value, schema) : value;
}

function defaultItems(items: readonly unknown[], schema: Schema): readonly unknown[] {
  let result: unknown[] | undefined;
  for (let i = 0; i < items.length; i++) {
    const item = defaultValue(items[i], schema);
    if (item === items[i]) continue;
    result ??= [...items];
    result[i] = item;
  }
  return result ?? items;
}

function defaultMap(value: JsonRecord, schema: Schema): JsonRecord {
  const properties = schema.properties ?? {};
  const others = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
  let result: JsonRecord | undefined;
  for (const key of Object.keys(value)) {
    const field = Object.hasOwn(properties, key) ? properties[key] : others;
    if (!field) continue;
    const before = value[key];
    const after = before === null ? nullValue(field) : defaultValue(before, field);
    if (after === before) continue;
    result ??= { ...value };
    if (after === undefined) delete result[key];
    else setKey(result, key, after);
  }
  for (const key of Object.keys(properties)) {
    const field = properties[key] as Schema;
    if (field.default === undefined || Object.hasOwn(result ?? value, key)) continue;
    result ??= { ...value };
    setKey(result, key, copyOfDefault(field));
  }
  return result ?? value;
}

/** What a null stands for: itself where it may be, else the default, else nothing. */
function nullValue(schema: Schema): unknown {
  if (schema.nullable) return null;
  return schema.default === undefined ? undefined : copyOfDefault(schema);
}

/** Nobody may change the schema by changing an object; what is in a default has defaults of its own. */
function copyOfDefault(schema: Schema): unknown {
  return defaultValue(structuredClone(schema.default), schema);
}
