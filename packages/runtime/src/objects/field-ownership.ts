/**
 * Reads `metadata.managedFields` to decide whether a server-side apply would change anything.
 *
 * An apply is a no-op when our manager owns exactly the fields of the intent and the live object holds their
 * values. `fieldsV1` names owned fields: `f:name` a field, `k:{…}` the list element with these keys, `v:…` an
 * element of a set, `.` the element itself; an empty node is a value owned as a whole.
 */

import type { KubernetesObject, ManagedFieldsEntry } from '../model/types.ts';
import { deepEqual, isMap, type JsonMap, own } from './equality.ts';

export interface FieldOwner {
  readonly manager: string;
  /** managedFields use the field names of one API version; those of another version tell nothing. */
  readonly apiVersion: string;
  readonly subresource?: string | undefined;
}

/** The fields that `owner` owns through apply; undefined when it owns none, or the cache dropped them. */
export function appliedFields(live: KubernetesObject, owner: FieldOwner): JsonMap | undefined {
  const entry = live.metadata?.managedFields?.find(
    (candidate: ManagedFieldsEntry) =>
      candidate.manager === owner.manager &&
      candidate.operation === 'Apply' &&
      candidate.apiVersion === owner.apiVersion &&
      (candidate.subresource ?? '') === (owner.subresource ?? ''),
  );
  return isMap(entry?.fieldsV1) ? entry.fieldsV1 : undefined;
}

/** Whether applying `intent` as the owner of `fields` would leave `live` unchanged. If in doubt, false. */
export function applyIsNoop(intent: KubernetesObject, live: KubernetesObject, fields: JsonMap): boolean {
  const { metadata, apiVersion: _a, kind: _k, ...rest } = { ...intent };
  const { name: _n, namespace: _ns, uid: _u, resourceVersion: _r, ...meta } = metadata ?? {};
  const wanted = { ...rest, ...(Object.keys(meta).length > 0 && { metadata: meta }) };
  return matches(wanted, live, fields);
}

/**
 * The live object's values of the owned fields, in a comparable form. Two objects with equal values are the same to
 * the owner, whatever else was written to them.
 */
export function ownedValues(live: unknown, fields: JsonMap): unknown {
  const owned = Object.keys(fields).filter((name) => name !== '.');
  if (owned.length === 0) return live;
  const inner = (name: string): JsonMap => {
    const node = own(fields, name);
    return isMap(node) ? node : {};
  };
  if (Array.isArray(live)) {
    // In list order, because order is part of what is owned.
    return live.flatMap((item: unknown) => {
      const name = owned.find((candidate) => isElement(candidate, item));
      return name === undefined ? [] : [ownedValues(item, inner(name))];
    });
  }
  return isMap(live) ? owned.map((name) => [name, ownedValues(own(live, name.slice(2)), inner(name))]) : live;
}

function isElement(name: string, item: unknown): boolean {
  if (name.startsWith('v:')) return name.slice(2) === JSON.stringify(item);
  return name.startsWith('k:') && isMap(item) && isSubset(keysOf(name), item);
}

function matches(intent: unknown, live: unknown, fields: JsonMap): boolean {
  const owned = Object.keys(fields).filter((name) => name !== '.');
  if (owned.length === 0) return deepEqual(intent, live);
  if (owned.every((name) => name.startsWith('f:'))) return mapMatches(intent, live, fields, owned);
  if (owned.every((name) => name.startsWith('k:'))) return listMatches(intent, live, fields, owned);
  if (owned.every((name) => name.startsWith('v:'))) return setMatches(intent, live, owned);
  return false;
}

function mapMatches(intent: unknown, live: unknown, fields: JsonMap, owned: readonly string[]): boolean {
  if (!isMap(intent) || !isMap(live)) return false;
  const names = Object.keys(intent).filter((name) => intent[name] !== undefined);
  // A field owned but no longer wanted, or wanted but not yet owned: the apply would change something.
  if (names.length !== owned.length) return false;
  return names.every((name) => {
    const inner = own(fields, `f:${name}`);
    return isMap(inner) && Object.hasOwn(live, name) && matches(own(intent, name), live[name], inner);
  });
}

function listMatches(intent: unknown, live: unknown, fields: JsonMap, owned: readonly string[]): boolean {
  if (!Array.isArray(intent) || !Array.isArray(live) || intent.length !== owned.length) return false;
  let place = -1;
  return intent.every((item: unknown) => {
    const found = owned.find((name) => hasKeys(item, keysOf(name)));
    if (!found || !isMap(item)) return false;
    const keys = keysOf(found);
    const at = live.findIndex((candidate) => isMap(candidate) && isSubset(keys, candidate));
    // A different order is a change as well.
    if (at <= place) return false;
    place = at;
    const node = fields[found];
    return isMap(node) && elementMatches(item, live[at], node, keys);
  });
}

/** A list key that the intent leaves to its default (a port's protocol) is owned too. */
function elementMatches(item: JsonMap, live: unknown, node: JsonMap, keys: JsonMap): boolean {
  const defaulted = Object.keys(keys).filter(
    (name) => item[name] === undefined && node[`f:${name}`] !== undefined,
  );
  const completed = { ...item, ...Object.fromEntries(defaulted.map((name) => [name, keys[name]])) };
  return matches(completed, live, node);
}

function setMatches(intent: unknown, live: unknown, owned: readonly string[]): boolean {
  if (!Array.isArray(intent) || !Array.isArray(live) || intent.length !== owned.length) return false;
  const values = new Set(owned.map((name) => name.slice(2)));
  return intent.every(
    (item) => values.has(JSON.stringify(item)) && live.some((other) => deepEqual(item, other)),
  );
}

function keysOf(name: string): JsonMap {
  const parsed: unknown = JSON.parse(name.slice(2));
  return isMap(parsed) ? parsed : {};
}

function hasKeys(item: unknown, keys: JsonMap): boolean {
  return (
    isMap(item) &&
    Object.entries(keys).every(([name, value]) => item[name] === undefined || item[name] === value)
  );
}

function isSubset(keys: JsonMap, candidate: JsonMap): boolean {
  return Object.entries(keys).every(([name, value]) => deepEqual(candidate[name], value));
}
