/**
 * Objects inside a custom resource that are resources themselves must say what they are. Labels and the like in their
 * metadata are typed (`custom.ts`), but their syntax is not checked.
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
