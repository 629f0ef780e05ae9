/**
 * Strategic merge patch: a merge patch that takes list merge keys and strategies from the schema. Directives in the
 * patch (`$patch`, `$retainKeys`, `$setElementOrder/…`, `$deleteFromPrimitiveList/…`) express what a plain merge
 * cannot. Neither object nor patch is mutated.
 */
import { badRequest } from '../model/status.ts';
import { resolve } from '../schema/definitions.ts';
import { isRecord, isTooDeep, type JsonRecord, own, setKey, withoutKey } from '../schema/json.ts';
import type { Schema } from '../schema/schema.ts';
import { unmarshalError } from '../schema/typed-scalars.ts';
import { badPatchFormat, badPatchType, expectedType } from './errors.ts';
import { DELETE_FROM_LIST, DIRECTIVE, RETAIN_KEYS, SET_ORDER } from './strategic-directives.ts';
import {
  deleteFromList,
  type MergeItem,
  mergeLists,
  orderLike,
  removeDirectives,
} from './strategic-lists.ts';

/** Throws 400, 422 or, as the real server for unexpected patches, 500. */
export function applyStrategicMergePatch(object: JsonRecord, patch: unknown, schema: Schema): JsonRecord {
  if (patch === null) return object;
  if (!isRecord(patch)) {
    throw badRequest(unmarshalError(patch, 'map[string]interface {}', { struct: '', names: '' }).message);
  }
  if (isTooDeep(patch)) throw badRequest('exceeded max depth');
  return mergeMaps(object, patch, schema);
}

/** `schema` is the map's; undefined if unknown. */
function mergeMaps(
  original: JsonRecord | undefined,
  patch: JsonRecord,
  schema: Schema | undefined,
): JsonRecord {
  const directive = own(patch, DIRECTIVE);
  if (directive === 'replace') return withoutKey(patch, DIRECTIVE);
  if (directive === 'delete') return {};
  if (directive !== undefined) throw badPatchType(directive, patch);

  let rest = patch;
  let result: JsonRecord = { ...retained(original ?? {}, patch) };
  rest = withoutKey(rest, RETAIN_KEYS);
  [result, rest] = applyOrders(result, rest, schema);
  for (const key of Object.keys(rest)) mergeKey(result, key, rest[key], schema);
  return result;
}

/** Mutates `result`. */
function mergeKey(result: JsonRecord, key: string, value: unknown, schema: Schema | undefined): void {
  const isDeletion = key.startsWith(DELETE_FROM_LIST);
  const name = isDeletion ? key.slice(DELETE_FROM_LIST.length) : key;
  if (value === null) {
    delete result[name];
    return;
  }
  const before = own(result, name);
  if (Array.isArray(before) && Array.isArray(value)) {
    setKey(
      result,
      name,
      isDeletion ? deleteFromList(before, value) : mergeField(before, value, name, schema),
    );
    return;
  }
  if (isDeletion) return;
  if (isRecord(before) && isRecord(value)) {
    const field = fieldSchema(schema, name);
    const replaces = strategies(field).includes('replace');
    setKey(result, name, replaces ? value : mergeMaps(before, value, field && resolve(field)));
    return;
  }
  const cleaned = removeDirectives(withoutNulls(value));
  if (cleaned === undefined) delete result[name];
  else setKey(result, name, cleaned);
}

function mergeField(
  before: readonly unknown[],
  patch: readonly unknown[],
  name: string,
  schema: Schema | undefined,
): unknown[] {
  const field = fieldSchema(schema, name);
  if (!strategies(field).includes('merge')) return [...patch];
  return mergeLists(before, patch, mergeKeyOf(field), itemMerger(field));
}

/** The property's own schema: merge keys and strategies are next to a `$ref`, not behind it. */
function fieldSchema(schema: Schema | undefined, name: string): Schema | undefined {
  if (!schema) return undefined;
  const property =
    schema.properties && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
  return (
    property ?? (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined)
  );
}

function itemMerger(field: Schema | undefined): MergeItem {
  const items = field && resolve(field).items;
  return (before, change) => mergeMaps(before, change, items && resolve(items));
}

const strategies = (field: Schema | undefined): string[] =>
  (field?.['x-kubernetes-patch-strategy'] ?? '').split(',');

const mergeKeyOf = (field: Schema | undefined): string => field?.['x-kubernetes-patch-merge-key'] ?? '';

/** `$retainKeys`: of the existing keys only these stay, and the patch may set no others. */
function retained(original: JsonRecord, patch: JsonRecord): JsonRecord {
  const keys = own(patch, RETAIN_KEYS);
  if (keys === undefined) return original;
  if (!Array.isArray(keys)) throw badPatchFormat('retainKeys');
  const kept = new Set(keys);
  for (const key of Object.keys(patch)) {
    const isDirective = key === RETAIN_KEYS || key.startsWith(DELETE_FROM_LIST) || key.startsWith(SET_ORDER);
    if (!isDirective && patch[key] !== null && !kept.has(key)) throw badPatchFormat('retainKeys');
  }
  return Object.fromEntries(Object.entries(original).filter(([key]) => kept.has(key)));
}

/** `$setElementOrder/LIST`: merges the list and orders it. Returns the rest of the patch. */
function applyOrders(
  original: JsonRecord,
  patch: JsonRecord,
  schema: Schema | undefined,
): [result: JsonRecord, rest: JsonRecord] {
  let rest = patch;
  let result = original;
  for (const key of Object.keys(patch)) {
    if (!key.startsWith(SET_ORDER)) continue;
    rest = withoutKey(rest, key);
    const name = key.slice(SET_ORDER.length);
    const order = list(patch[key]);
    const before = list(own(result, name));
    const changes = list(own(rest, name));
    if (order === undefined) throw expectedType('[]interface {}', patch[key]);
    const field = fieldSchema(schema, name);
    const ordered = orderLike(before, changes, order, {
      mergeKey: mergeKeyOf(field),
      merges: strategies(field).includes('merge'),
      mergeItem: itemMerger(field),
    });
    if (ordered === undefined) continue;
    result = { ...result };
    setKey(result, name, ordered);
    rest = withoutKey(rest, name);
  }
  return [result, rest];
}

function list(value: unknown): readonly unknown[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw expectedType('[]interface {}', value);
  return value;
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, child]) => child !== null)
      .map(([key, child]) => [key, withoutNulls(child)]),
  );
}
