/** anyOf, oneOf, allOf and not; `run` validates the same value against one of them. */
import type { FieldError } from '../../model/status.ts';
import type { Schema } from '../schema.ts';
import { nowhere } from './errors.ts';

export function checkAlternatives(
  schema: Schema,
  path: string,
  run: (alternative: Schema) => FieldError[],
): FieldError[] {
  const errors: FieldError[] = [];
  const name = JSON.stringify(path);
  if (schema.anyOf) {
    const failures = failuresOf(schema.anyOf, run);
    if (failures.length === schema.anyOf.length) {
      errors.push(nowhere(`${name} must validate at least one schema (anyOf)`), ...(failures[0] ?? []));
    }
  }
  if (schema.oneOf) {
    const failures = failuresOf(schema.oneOf, run);
    const valid = schema.oneOf.length - failures.length;
    if (valid !== 1) {
      const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`;
      errors.push(nowhere(`${name} must validate one and only one schema (oneOf). ${found}`));
      if (valid === 0) errors.push(...(failures[0] ?? []));
    }
  }
  if (schema.allOf) {
    const failures = failuresOf(schema.allOf, run);
    if (failures.length > 0) {
      const none = failures.length === schema.allOf.length ? '. None validated' : '';
      errors.push(...failures.flat(), nowhere(`${name} must validate all the schemas (allOf)${none}`));
    }
  }
  if (schema.not && run(schema.not).length === 0) {
    errors.push(nowhere(`${name} must not validate the schema (not)`));
  }
  return errors;
}

function failuresOf(schemas: readonly Schema[], run: (schema: Schema) => FieldError[]): FieldError[][] {
  return schemas.map(run).filter((errors) => errors.length > 0);
}
