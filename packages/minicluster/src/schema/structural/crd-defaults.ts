/** Defaults in a CRD's schema must be valid by the schema itself. */
import type { FieldError } from '../../model/status.ts';
import { isRecord, type JsonRecord } from '../json.ts';
import type { Schema } from '../schema.ts';
import { invalid, missing } from './crd-errors.ts';
import { prune } from './prune.ts';
import { checkValue } from './validate.ts';

export function checkDefault(schema: Schema, path: string, isRoot: boolean): FieldError[] {
  const { default: value, ...withoutDefault } = schema;
  if (isRecord(value) && !isRoot && hasUnknownFields(value, withoutDefault)) {
    return [invalid(path, value, 'must not have unknown fields')];
  }
  const errors = checkValue(value, withoutDefault, '', undefined).map((error) => ({
    ...error,
    field: error.field === '' || error.field === '<nil>' ? path : `${path}.${error.field}`,
  }));
  if (isRoot && isRecord(value)) {
    for (const key of ['apiVersion', 'kind']) {
      if (!value[key]) errors.push({ ...missing(`${path}.${key}`, ''), message: 'Required value' });
    }
  }
  return errors;
}

function hasUnknownFields(value: JsonRecord, schema: Schema): boolean {
  // `prune` keeps the common fields of resources; wrapped in a field, the value is no resource.
  return prune({ value }, { type: 'object', properties: { value: schema } }).dropped.length > 0;
}
