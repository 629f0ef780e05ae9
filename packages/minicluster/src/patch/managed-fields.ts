/**
 * Updates metadata.managedFields on create, update and patch (apply has its own file).
 *
 * In: the object before and after the write, and the manager. Out: the entries to store. A manager that changes a
 * field owns it alone; one that sends an unchanged field gains nothing. A write that changes no owned field returns
 * the old entries, as the same array.
 *
 * Pass objects as they are stored: built-in kinds after `readTyped`, defaults set, nothing allocated yet.
 */
import type { ManagedFields } from '../model/object.ts';
import { kindOf, type RootSchema } from '../schema/definitions.ts';
import { isRecord, type JsonRecord, own, withKey, withoutKey } from '../schema/json.ts';
import type { Schema } from '../schema/schema.ts';
import { zeroObject } from '../schema/typed.ts';
import { difference, type FieldSet, setOf, union } from './field-set.ts';
import { type FieldType, fieldType } from './field-type.ts';
import { FieldsV1Error } from './fields-v1.ts';
import {
  capUpdateManagers,
  decodeManagers,
  encodeManagers,
  type Managers,
  managerId,
  withoutServerFields,
} from './managers.ts';
import { fieldElement } from './path-element.ts';
import { compare, ignoring, isSame } from './typed-compare.ts';

export interface Writer {
  readonly manager: string;
  readonly apiVersion: string;
  readonly subresource?: string;
  /** RFC 3339, whole seconds, UTC. */
  readonly time: string;
}

export interface TrackOptions {
  /** Paths that this endpoint does not write, whatever the client sends: `[['status']]` for a main resource. */
  readonly resetFields?: readonly (readonly string[])[];
}

export function trackUpdate(
  live: JsonRecord | undefined,
  next: JsonRecord,
  schema: Schema | undefined,
  writer: Writer,
  options: TrackOptions = {},
): ManagedFields[] | undefined {
  const liveEntries = live && entriesOf(live);
  const source = chooseEntries(liveEntries, entriesOf(next), writer.subresource !== undefined);
  const managers = decodeOrForget(source);
  // An object without managedFields stays without: the next apply starts over.
  if (managers.size === 0 && live) return undefined;

  const before = withoutEntries(live ?? emptyObject(schema, next));
  const changed = recordChange(managers, before, withoutEntries(next), fieldType(schema), writer, options);
  if (!changed && source === liveEntries) return liveEntries;
  capUpdateManagers(managers);
  const entries = encodeManagers(managers);
  return entries.length > 0 ? entries : undefined;
}

/** Updates `managers` with the changes of `writer`; false if there were none. */
export function recordChange(
  managers: Managers,
  before: JsonRecord,
  after: JsonRecord,
  type: FieldType,
  writer: Writer,
  { resetFields = NO_PATHS }: TrackOptions = {},
): boolean {
  const comparison = ignoring(compare(before, after, type), pathSet(resetFields));
  if (isSame(comparison)) return false;
  const changed = union(comparison.added, comparison.modified);
  const info = { ...writer, operation: 'Update' as const };
  const id = managerId(info);
  const held = managers.get(id)?.fields;
  releaseFields(managers, union(changed, comparison.removed));
  const mine = withoutServerFields(changed);
  if (mine.size > 0) {
    // A manager that changes only its own fields keeps the same set, which need not be encoded again.
    const fields = held ? union(difference(held, comparison.removed), mine) : mine;
    managers.set(id, { ...info, fields });
  }
  return true;
}

/** Removes fields from all managers. Mutates `managers`. */
export function releaseFields(managers: Managers, fields: FieldSet): void {
  for (const [id, managed] of managers) {
    const rest = difference(managed.fields, fields);
    if (rest.size === 0) managers.delete(id);
    else if (rest !== managed.fields) managers.set(id, { ...managed, fields: rest });
  }
}

/** One shared array, since sets are cached by the array they were made from. */
export const NO_PATHS: readonly (readonly string[])[] = [];
const pathSets = new WeakMap<object, FieldSet>();

export function pathSet(paths: readonly (readonly string[])[]): FieldSet {
  let set = pathSets.get(paths);
  if (!set) {
    set = setOf(...paths.map((path) => path.map(fieldElement)));
    pathSets.set(paths, set);
  }
  return set;
}

/** An empty object of this kind: a Go struct always has its inner structs. */
export function emptyObject(schema: Schema | undefined, object: JsonRecord): JsonRecord {
  const gvk = schema && kindOf(schema as RootSchema);
  return gvk ? zeroObject(gvk) : { apiVersion: object.apiVersion, kind: object.kind };
}

export function entriesOf(object: JsonRecord): ManagedFields[] | undefined {
  const metadata = own(object, 'metadata');
  const entries = isRecord(metadata) ? own(metadata, 'managedFields') : undefined;
  return Array.isArray(entries) ? (entries as ManagedFields[]) : undefined;
}

export function withoutEntries(object: JsonRecord): JsonRecord {
  const metadata = own(object, 'metadata');
  return isRecord(metadata) ? withKey(object, 'metadata', withoutKey(metadata, 'managedFields')) : object;
}

/** Which entries count: those of the request if it has any, unless it asks to reset them. */
function chooseEntries(
  live: ManagedFields[] | undefined,
  sent: ManagedFields[] | undefined,
  isSubresource: boolean,
): ManagedFields[] | undefined {
  if (isSubresource || sent === undefined || sent === live) return live;
  if (sent.length === 0) return undefined;
  if (sent.length === 1 && isRecord(sent[0]) && Object.keys(sent[0]).length === 0) return undefined;
  try {
    return decodeManagers(sent).size > 0 ? sent : live;
  } catch (error) {
    if (error instanceof FieldsV1Error) return live;
    throw error;
  }
}

function decodeOrForget(entries: ManagedFields[] | undefined): Managers {
  try {
    return decodeManagers(entries);
  } catch (error) {
    if (error instanceof FieldsV1Error) return new Map();
    throw error;
  }
}

const MAX_MANAGER_BYTES = 128;

/** The manager of a request: its `fieldManager` parameter, else the program name in its user agent. */
export function managerName(fieldManager: string | undefined, userAgent: string | undefined): string {
  if (fieldManager) return fieldManager;
  let name = '';
  for (const char of (userAgent ?? '').split('/')[0] ?? '') {
    // Reduced to the characters and length that the parameter allows.
    if (!/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(char)) continue;
    if (Buffer.byteLength(name + char) > MAX_MANAGER_BYTES) break;
    name += char;
  }
  return name || 'unknown';
}
