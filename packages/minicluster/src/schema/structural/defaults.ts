/** Sets the defaults of a custom resource's schema, and drops nulls where they are not allowed. */
import { isRecord, type JsonRecord, setKey } from '../json.ts';
import type { Schema } from '../schema.ts';

/** The object with its defaults; itself if nothing was missing. */
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

/** The value for a null: itself if nullable, else the default, else absent. */
function nullValue(schema: Schema): unknown {
  if (schema.nullable) return null;
  return schema.default === undefined ? undefined : copyOfDefault(schema);
}

/** A default is copied, so that changing an object cannot change the schema; defaults have nested defaults. */
function copyOfDefault(schema: Schema): unknown {
  return defaultValue(structuredClone(schema.default), schema);
}
