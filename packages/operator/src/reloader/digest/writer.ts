/**
 * Who wrote something last, as managedFields tell: the name that the writing program gave itself. It is for people who
 * ask; nothing is decided by it, because anybody may call himself anything. Who it was for the API server stands in the
 * server's own audit log.
 */
import type { ManagedFieldsEntry, ObjectMeta } from '@reloader/runtime';
import { FIELD_MANAGER } from '../model/annotations.ts';
import { type FieldsMap, secondsOf } from './written-at.ts';

/** There are few programs and many objects: each name is kept once. */
const names = new Map<string, string>();
const MOST_NAMES = 1_000;
const LONGEST_NAME = 128;

/** Of the newest entry that `touches` accepts; empty where nobody knows. What the operator wrote is nobody's doing. */
export function writerOf(
  { managedFields }: ObjectMeta,
  touches: (fields: FieldsMap, entry: ManagedFieldsEntry) => boolean,
): string {
  let newest: { readonly manager: string; readonly at: number } | undefined;
  for (const entry of Array.isArray(managedFields) ? managedFields : []) {
    const { manager, time, fieldsV1, subresource } = entry ?? {};
    if (typeof manager !== 'string' || manager === '' || manager === FIELD_MANAGER || subresource) continue;
    if (typeof fieldsV1 !== 'object' || fieldsV1 === null) continue;
    const at = secondsOf(time);
    if ((newest && newest.at > at) || !touches(fieldsV1 as FieldsMap, entry)) continue;
    newest = { manager, at };
  }
  return newest ? once(newest.manager.slice(0, LONGEST_NAME)) : '';
}

function once(name: string): string {
  const known = names.get(name);
  if (known !== undefined) return known;
  if (names.size < MOST_NAMES) names.set(name, name);
  return name;
}
