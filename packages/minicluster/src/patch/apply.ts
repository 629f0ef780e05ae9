/**
 * Server-side apply: merges a client's configuration into an object, removes fields that the client applied before
 * and now omits, and updates field ownership.
 *
 * Guarantees: a field of another manager is not changed unless forced, and then belongs to this manager alone; a
 * field that two managers apply with the same value belongs to both and is removed when both have dropped it;
 * applying the same configuration again changes nothing and returns the object itself. Server-side values (defaults,
 * allocation) are not set here.
 */

import type { ManagedFields } from '../model/object.ts';
import { badRequest } from '../model/status.ts';
import { type GroupVersionKind, kindOf, type RootSchema } from '../schema/definitions.ts';
import { deepEqual, isRecord, isTooDeep, type JsonRecord, own, withKey } from '../schema/json.ts';
import type { Schema } from '../schema/schema.ts';
import { decodeTyped } from '../schema/typed.ts';
import { DecodeError } from '../schema/typed-scalars.ts';
import { type Conflict, conflictError } from './apply-conflict.ts';
import { prune } from './apply-prune.ts';
import { unforeseen } from './errors.ts';
import { type FieldSet, intersection, recursiveDifference, union } from './field-set.ts';
import { type FieldType, fieldType } from './field-type.ts';
import { allowedByLastApplied, updateLastApplied } from './last-applied.ts';
import {
  emptyObject,
  entriesOf,
  NO_PATHS,
  pathSet,
  recordChange,
  releaseFields,
  type Writer,
  withoutEntries,
} from './managed-fields.ts';
import {
  decodeManagers,
  encodeManagers,
  type Managers,
  managerId,
  sameManagedFields,
  withoutServerFields,
} from './managers.ts';
import { compare, ignoring } from './typed-compare.ts';
import { fieldSetOf } from './typed-fields.ts';
import { merge } from './typed-merge.ts';
import { describeProblems, typeProblems } from './typed-validate.ts';

export interface ApplyRequest {
  /** Absent if the apply creates the object. */
  readonly live: JsonRecord | undefined;
  /** The body, parsed. */
  readonly applied: unknown;
  /** The kind in the path. */
  readonly gvk: GroupVersionKind;
  readonly schema: Schema | undefined;
  readonly writer: Writer;
  readonly force: boolean;
  /** Paths that this endpoint does not write, whatever the client sends. */
  readonly resetFields?: readonly (readonly string[])[];
}

/** The merged object with its managedFields: `live` itself if nothing changed. Throws `StatusError`. */
export function serverSideApply(request: ApplyRequest): JsonRecord {
  const { live, schema, writer } = request;
  const applied = checkBody(request);
  const type = fieldType(schema);
  const problems = typeProblems(applied, type);
  if (problems.length > 0) {
    throw unforeseen(
      `failed to create typed patch object (${describe(applied)}): ${describeProblems(problems)}`,
    );
  }

  const liveEntries = live && entriesOf(live);
  const before = live ? withoutEntries(live) : emptyObject(schema, applied);
  const managers = decodeManagers(liveEntries);
  if (live && managers.size === 0) {
    // Without managedFields: existing fields belong to the manager `before-first-apply`.
    const author: Writer = { ...writer, manager: 'before-first-apply' };
    recordChange(managers, emptyObject(schema, applied), before, type, author);
  }

  const { object, isSameObject } = applyTo(before, applied, managers, type, request);
  const entries = encodeManagers(managers);
  if (live && isSameObject && sameManagedFields(entries, liveEntries)) return live;
  const typed = isSameObject && live ? before : typedResult(object, applied, schema);
  return withEntries(updateLastApplied(typed, applied, writer.manager), entries);
}

function checkBody({ applied, gvk, writer }: ApplyRequest): JsonRecord {
  const body = applied ?? {};
  if (!isRecord(body)) throw badRequest('error decoding YAML: the apply patch is not an object');
  if (isTooDeep(body)) throw badRequest('error decoding YAML: exceeded max depth');
  const apiVersion = String(own(body, 'apiVersion') ?? '');
  const expected = gvk.group ? `${gvk.group}/${gvk.version}` : gvk.version;
  if (apiVersion !== expected || own(body, 'kind') !== gvk.kind) {
    throw badRequest(`invalid object type: ${printGvk(apiVersion, String(own(body, 'kind') ?? ''))}`);
  }
  if (!writer.manager) throw new Error('an apply needs the name of its manager');
  const metadata = own(body, 'metadata');
  if (isRecord(metadata) && (own(metadata, 'managedFields') ?? null) !== null) {
    throw badRequest('metadata.managedFields must be nil');
  }
  return body;
}

/** Mutates `managers`. */
function applyTo(
  before: JsonRecord,
  applied: JsonRecord,
  managers: Managers,
  type: FieldType,
  { writer, force, resetFields = NO_PATHS }: ApplyRequest,
): { object: JsonRecord; isSameObject: boolean } {
  const info = { ...writer, operation: 'Apply' as const };
  const id = managerId(info);
  const last = managers.get(id);
  const reset = pathSet(resetFields);
  const mine = recursiveDifference(fieldSetOf(applied, type), reset);
  managers.set(id, { ...info, fields: mine });

  const merged = merge(before, applied, type) as JsonRecord;
  const object = last ? prune(merged, managers, last.fields, type) : merged;
  const isSameObject = deepEqual(before, object);

  const comparison = ignoring(compare(before, object, type), reset);
  const changed = union(comparison.added, comparison.modified);
  const conflicts = findConflicts(managers, id, changed);
  if (conflicts.length > 0 && !force) refuse(conflicts, before, type, writer);
  const others: Managers = new Map([...managers].filter(([each]) => each !== id));
  releaseFields(others, union(changed, comparison.removed));

  managers.clear();
  for (const [each, managed] of others) managers.set(each, managed);
  const fields = withoutServerFields(mine);
  if (fields.size > 0) {
    // An apply without changes keeps the earlier time.
    const { time: _, ...timeless } = info;
    const time = isSameObject ? last?.time : writer.time;
    managers.set(id, { ...timeless, fields, ...(time && { time }) });
  }
  return { object, isSameObject };
}

function findConflicts(managers: Managers, id: string, changed: FieldSet): Conflict[] {
  const conflicts: Conflict[] = [];
  for (const [other, managed] of managers) {
    if (other === id) continue;
    const fields = intersection(managed.fields, changed);
    if (fields.size > 0) conflicts.push({ owner: managed, fields });
  }
  return conflicts;
}

/** Throws, unless all conflicts are with the client's own last client-side apply. */
function refuse(conflicts: readonly Conflict[], live: JsonRecord, type: FieldType, writer: Writer): void {
  const allowed =
    writer.manager === 'kubectl' ? allowedByLastApplied(live, type, writer.apiVersion) : undefined;
  const remaining = conflicts
    .map(({ owner, fields }) => ({ owner, fields: allowed ? withoutMembers(fields, allowed) : fields }))
    .filter(({ fields }) => fields.size > 0);
  if (remaining.length > 0) throw conflictError(remaining);
}

function withoutMembers(fields: FieldSet, allowed: FieldSet): FieldSet {
  return recursiveDifference(fields, intersection(fields, allowed));
}

/** Decodes the merged object; a value that fits the schema but not the Go struct is an internal server error. */
function typedResult(object: JsonRecord, applied: JsonRecord, schema: Schema | undefined): JsonRecord {
  const gvk = schema && kindOf(schema as RootSchema);
  if (!gvk) return object;
  try {
    return decodeTyped(object, gvk).object;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const target = printGvk(String(applied.apiVersion), gvk.kind);
    throw unforeseen(
      `failed to convert new object (${describe(applied)}) to proper version: unable to convert unstructured object to ${target}: ${error.converterMessage}`,
    );
  }
}

function withEntries(object: JsonRecord, entries: ManagedFields[]): JsonRecord {
  const metadata = own(object, 'metadata');
  if (entries.length === 0) return object;
  return withKey(object, 'metadata', { ...(isRecord(metadata) ? metadata : {}), managedFields: entries });
}

function printGvk(apiVersion: string, kind: string): string {
  return `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}

function describe(object: JsonRecord): string {
  const metadata = own(object, 'metadata');
  const text = (key: string): string => (isRecord(metadata) ? String(own(metadata, key) ?? '') : '');
  return `${text('namespace')}/${text('name')}; ${printGvk(String(object.apiVersion), String(object.kind))}`;
}
