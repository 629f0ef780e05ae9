/**
 * Embedded resources inside a custom resource must have apiVersion and kind. Their metadata is typed (`custom.ts`),
 * but the syntax of labels and the like is not checked.
 */
import type { FieldError } from '../../model/status.ts';
import { isRecord, own } from '../json.ts';
import type { Schema } from '../schema.ts';
import { required } from './errors.ts';
import { walk } from './walk.ts';

export function checkEmbedded(object: unknown, schema: Schema): FieldError[] {
  const errors: FieldError[] = [];
  walk(object, schema, (value, { 'x-kubernetes-embedded-resource': isEmbedded }, path) => {
    if (!isEmbedded || !isRecord(value)) return;
    for (const key of ['apiVersion', 'kind']) {
      if (!own(value, key)) errors.push(required(`${path}.${key}`));
    }
  });
  return errors;
}
