/**
 * The field manager that last wrote the operator's annotations on an object; if it has none any more, the one that last
 * wrote to the object. Writes of the operator, and status writes of controllers, do not count. For messages only: no
 * decision depends on it, because a client may choose any manager name.
 */
import type { ObjectMeta } from '@reloader/runtime';
import { type FieldsMap, type LastWrite, lastWrite, ownsField } from '../digest/written-at.ts';
import { FIELD_MANAGER, FIXED_ANNOTATIONS } from '../model/annotations.ts';

/** `ours`: the names of the operator's annotations on the object. */
export function annotator(metadata: ObjectMeta, ours: readonly string[]): string {
  const ownsOurs = (fields: FieldsMap): boolean =>
    ours.some((name) => ownsField(fields, 'f:metadata', 'f:annotations', `f:${name}`));
  return writer(metadata, ownsOurs) || writer(metadata, () => true);
}

/** Empty if the object has no freeze annotation. */
export function freezeWrite(metadata: ObjectMeta): { readonly frozen?: LastWrite } {
  const { freeze } = FIXED_ANNOTATIONS;
  if (metadata.annotations?.[freeze] === undefined) return {};
  return {
    frozen: lastWrite(metadata, (fields) => ownsField(fields, 'f:metadata', 'f:annotations', `f:${freeze}`)),
  };
}

function writer(metadata: ObjectMeta, touches: (fields: FieldsMap) => boolean): string {
  return lastWrite(
    metadata,
    (fields, { manager, subresource }) => manager !== FIELD_MANAGER && !subresource && touches(fields),
  ).by;
}
