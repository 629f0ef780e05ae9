/**
 * Which program last wrote our annotations of an object, by the name it gave itself; where it has none any more, which
 * wrote to it last. What the operator and controllers' statuses write is nobody's doing. For people who ask: nothing is
 * decided by it, because anybody may call himself anything.
 */
import type { ObjectMeta } from '@reloader/runtime';
import { ourAnnotations } from '../digest/texts.ts';
import { type FieldsMap, type LastWrite, lastWrite, ownsField } from '../digest/written-at.ts';
import { type AnnotationNames, FIELD_MANAGER, FIXED_ANNOTATIONS } from '../model/annotations.ts';

export function annotator(metadata: ObjectMeta, names: AnnotationNames): string {
  const ours = Object.keys(ourAnnotations(metadata.annotations, names));
  const ownsOurs = (fields: FieldsMap): boolean =>
    ours.some((name) => ownsField(fields, 'f:metadata', 'f:annotations', `f:${name}`));
  return writer(metadata, ownsOurs) || writer(metadata, () => true);
}

/** Absent where nothing freezes it. */
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
