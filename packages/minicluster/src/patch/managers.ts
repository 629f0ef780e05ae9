/**
 * Field managers of an object: metadata.managedFields as field sets, and back. A manager is identified by name,
 * operation and subresource, and for updates by apiVersion too.
 *
 * All versions of a kind are assumed to have the same fields (true without conversion webhooks), and entries written
 * under an older schema are not rewritten if a list or map of it becomes atomic.
 */
import type { ManagedFields } from '../model/object.ts';
import { deepEqual, isRecord, own } from '../schema/json.ts';
import { difference, type FieldSet, setOf, union } from './field-set.ts';
import { decodeFieldsV1, encodeFieldsV1, FieldsV1Error } from './fields-v1.ts';

export interface ManagerInfo {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource?: string;
}

export interface Managed extends ManagerInfo {
  readonly fields: FieldSet;
  readonly time?: string;
}

/** By identity, in no particular order. */
export type Managers = Map<string, Managed>;

export function managerId(info: ManagerInfo): string {
  const version = info.operation === 'Apply' ? '' : info.apiVersion;
  return JSON.stringify([info.manager, info.operation, version, info.subresource ?? '']);
}

/** Throws `FieldsV1Error` for an unusable entry. */
export function decodeManagers(entries: unknown): Managers {
  const managers: Managers = new Map();
  if (!Array.isArray(entries)) return managers;
  entries.forEach((entry: unknown, index) => {
    const managed = decodeEntry(entry, index);
    managers.set(managerId(managed), managed);
  });
  return managers;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function decodeEntry(entry: unknown, index: number): Managed {
  if (!isRecord(entry)) throw new FieldsV1Error(`managed fields entry ${index} is not an object`);
  const operation = own(entry, 'operation');
  if (operation !== 'Apply' && operation !== 'Update') {
    throw new FieldsV1Error('operation must be `Apply` or `Update`');
  }
  const apiVersion = text(own(entry, 'apiVersion'));
  if (!apiVersion) throw new FieldsV1Error('apiVersion must not be empty');
  const fieldsType = text(own(entry, 'fieldsType'));
  if (fieldsType !== 'FieldsV1') {
    throw new FieldsV1Error(
      fieldsType
        ? `invalid fieldsType "${fieldsType}" in managed fields entry ${index}`
        : `missing fieldsType in managed fields entry ${index}`,
    );
  }
  const subresource = text(own(entry, 'subresource'));
  const time = text(own(entry, 'time'));
  return {
    manager: text(own(entry, 'manager')),
    operation,
    apiVersion,
    fields: decodeFieldsV1(own(entry, 'fieldsV1') ?? {}),
    ...(time && { time }),
    ...(subresource && { subresource }),
  };
}

/** Entries in the server's order: applies before updates, then by time, then by name. */
export function encodeManagers(managers: Managers): ManagedFields[] {
  return [...managers.values()].sort(order).map((managed) => ({
    ...(managed.manager && { manager: managed.manager }),
    operation: managed.operation,
    apiVersion: managed.apiVersion,
    ...(managed.time && { time: managed.time }),
    fieldsType: 'FieldsV1',
    fieldsV1: encodeFieldsV1(managed.fields),
    ...(managed.subresource && { subresource: managed.subresource }),
  }));
}

function order(a: Managed, b: Managed): number {
  return (
    compareText(a.operation, b.operation) ||
    compareText(a.time ?? '', b.time ?? '') ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource ?? '', b.subresource ?? '')
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The same managers with the same fields, ignoring times. */
export function sameManagedFields(
  a: readonly ManagedFields[] | undefined,
  b: readonly ManagedFields[] | undefined,
): boolean {
  if (a === b) return true;
  if ((a?.length ?? 0) !== (b?.length ?? 0)) return false;
  return (a ?? []).every((entry, index) => {
    const other = b?.[index];
    return other !== undefined && deepEqual({ ...entry, time: '' }, { ...other, time: '' });
  });
}

/** Fields that belong to the server and are never owned. */
const SERVER_FIELDS = setOf(
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => ['f:metadata', `f:${name}`]),
);

export function withoutServerFields(fields: FieldSet): FieldSet {
  return difference(fields, SERVER_FIELDS);
}

const MAX_UPDATE_MANAGERS = 10;

/** Merges the oldest updates of an object with very many managers into one entry per version. Mutates `managers`. */
export function capUpdateManagers(managers: Managers): void {
  const updates = [...managers].filter(([, { operation }]) => operation === 'Update');
  let count = updates.length;
  if (count <= MAX_UPDATE_MANAGERS) return;
  updates.sort(([idA, a], [idB, b]) => compareText(a.time ?? '', b.time ?? '') || compareText(idA, idB));

  const firstOf = new Map<string, string>();
  for (const [id, managed] of updates) {
    if (count <= MAX_UPDATE_MANAGERS) return;
    const { apiVersion } = managed;
    const first = firstOf.get(apiVersion);
    if (first === undefined) {
      firstOf.set(apiVersion, id);
      continue;
    }
    const bucketInfo: ManagerInfo = { manager: 'ancient-changes', operation: 'Update', apiVersion };
    const bucketId = managerId(bucketInfo);
    const seed = managers.get(bucketId) ?? managers.get(first);
    if (!managers.has(bucketId)) managers.delete(first);
    managers.delete(id);
    managers.set(bucketId, {
      ...bucketInfo,
      fields: union(managed.fields, seed?.fields ?? managed.fields),
      ...(managed.time && { time: managed.time }),
    });
    count--;
  }
}
