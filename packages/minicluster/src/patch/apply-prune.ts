/** What goes when a manager no longer applies it: fields that were its own and that nobody else owns. */
import type { JsonRecord } from '../schema/json.ts';
import { difference, EMPTY_SET, type FieldSet, intersection, union } from './field-set.ts';
import type { FieldType } from './field-type.ts';
import type { Managers } from './managers.ts';
import { fieldSetOf, withNamedFields } from './typed-fields.ts';
import { removeFields } from './typed-remove.ts';

/** `merged` without what `last` held and no manager holds any more. `managers` has the new state of the applier. */
export function prune(merged: JsonRecord, managers: Managers, last: FieldSet, type: FieldType): JsonRecord {
  if (last.size === 0) return merged;
  const lastNamed = withNamedFields(last, type);
  const stripped = removeFields(merged, lastNamed, type);

  let owned: FieldSet = EMPTY_SET;
  for (const { fields } of managers.values()) owned = union(owned, fields);
  const mergedFields = withNamedFields(fieldSetOf(merged, type), type);
  const strippedFields = withNamedFields(fieldSetOf(stripped, type), type);
  const kept = union(strippedFields, withNamedFields(owned, type));
  const withOwned = removeFields(merged, difference(mergedFields, kept), type);

  // What went along with its parent, though it was never the applier's, comes back.
  const withOwnedFields = withNamedFields(fieldSetOf(withOwned, type), type);
  return removeFields(merged, intersection(difference(mergedFields, withOwnedFields), lastNamed), type);
}
