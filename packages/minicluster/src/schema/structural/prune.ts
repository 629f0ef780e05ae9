/** Prunes the unknown fields of a custom resource. */
import { isRecord, type JsonRecord, setKey } from '../json.ts';
import type { Schema } from '../schema.ts';

export interface Pruned {
  readonly object: JsonRecord;
  /** Paths of pruned fields, as in warnings, in order. */
  readonly dropped: string[];
}

/** Every resource has these, whatever its schema. */
const RESOURCE_FIELDS: readonly string[] = ['apiVersion', 'kind', 'metadata'];

/** `schema` is the whole resource's. Unchanged parts are shared with `object`. */
export function prune(object: JsonRecord, schema: Schema): Pruned {
  const dropped: string[] = [];
  const pruned = pruneMap(object, schema, '', true, dropped);
  return { object: pruned, dropped: dropped.sort() };
}

const join = (path: string, key: string): string => (path ? `${path}.${key}` : key);

function pruneValue(value: unknown, schema: Schema, path: string, dropped: string[]): unknown {
  if (isRecord(value)) {
    return pruneMap(value, schema, path, schema['x-kubernetes-embedded-resource'] === true, dropped);
  }
  if (!Array.isArray(value)) return value;
  const { items } = schema;
  if (!items)
    return schema['x-kubernetes-preserve-unknown-fields'] ? value : pruneUntypedItems(value, path, dropped);
  let result: unknown[] | undefined;
  for (let i = 0; i < value.length; i++) {
    const item = pruneValue(value[i], items, `${path}[${i}]`, dropped);
    if (item === value[i]) continue;
    result ??= [...value];
    result[i] = item;
  }
  return result ?? value;
}

/** Items without a schema have no known fields. */
function pruneUntypedItems(items: readonly unknown[], path: string, dropped: string[]): unknown {
  return items.map((item, i) => pruneValue(item, {}, `${path}[${i}]`, dropped));
}

function pruneMap(
  value: JsonRecord,
  schema: Schema,
  path: string,
  isResource: boolean,
  dropped: string[],
): JsonRecord {
  const { properties, additionalProperties } = schema;
  let result: JsonRecord | undefined;
  const keys = Object.keys(value);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string;
    const before = value[key];
    let after: unknown = before;
    if (isResource && RESOURCE_FIELDS.includes(key)) after = before;
    else if (properties && Object.hasOwn(properties, key)) {
      after = pruneValue(before, properties[key] as Schema, join(path, key), dropped);
    } else if (typeof additionalProperties === 'object') {
      after = pruneValue(before, additionalProperties, join(path, key), dropped);
    } else if (additionalProperties !== true && !schema['x-kubernetes-preserve-unknown-fields']) {
      dropped.push(join(path, key));
      after = undefined;
    }
    if (!result && after !== before) {
      result = {};
      for (const earlier of keys.slice(0, i)) setKey(result, earlier, value[earlier]);
    }
    if (result && after !== undefined) setKey(result, key, after);
  }
  return result ?? value;
}
