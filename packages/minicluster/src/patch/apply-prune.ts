/** Removes fields that a manager no longer applies and that nobody else owns. */
import type { JsonRecord } from '../schema/json.ts';
import { difference, EMPTY_SET, type FieldSet, intersection, union } from './field-set.ts';
import type { FieldType } from './field-type.ts';
import type { Managers } from './managers.ts';
import { fieldSetOf, withNamedFields } from './typed-fields.ts';
import { removeFields } from './typed-remove.ts';

/**
 * `merged` without the fields that `last` held and no manager holds any more. `managers` has the applier's new state.
 */
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

  // Fields that were removed with their parent, but never belonged to the applier, are restored.
  const withOwnedFields = withNamedFields(fieldSetOf(withOwned, type), type);
  return removeFields(merged, intersection(difference(mergedFields, withOwnedFields), lastNamed), type);
}
