/** Which program last wrote our annotations of an object; where it has none any more, which wrote to it last. */
import type { ObjectMeta } from '@reloader/runtime';
import { ourAnnotations } from '../digest/texts.ts';
import { writerOf } from '../digest/writer.ts';
import { ownsField } from '../digest/written-at.ts';
import type { AnnotationNames } from '../model/annotations.ts';

export function annotator(metadata: ObjectMeta, names: AnnotationNames): string {
  const ours = Object.keys(ourAnnotations(metadata.annotations, names));
  const found = writerOf(metadata, (fields) =>
    ours.some((name) => ownsField(fields, 'f:metadata', 'f:annotations', `f:${name}`)),
  );
  return found === '' ? writerOf(metadata, () => true) : found;
}
