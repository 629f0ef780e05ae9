/** Errors for fields of a custom resource. */
import type { FieldError } from '../../model/status.ts';
import { goJson } from '../json.ts';

/** A value as printed in messages. */
export function printValue(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : goJson(value);
}

export function invalidValue(field: string, value: unknown, why: string): FieldError {
  return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${printValue(value)}: ${why}` };
}

export function wrongType(field: string, got: string, expected: string): FieldError {
  const message = `Invalid value: ${JSON.stringify(got)}: ${field} in body must be of type ${expected}: ${JSON.stringify(got)}`;
  return { reason: 'FieldValueTypeInvalid', field, message };
}

/** Some checks name their field only in the message. */
export function nowhere(why: string): FieldError {
  return { reason: 'FieldValueInvalid', field: '<nil>', message: `Invalid value: "": ${why}` };
}

export function required(field: string): FieldError {
  return { reason: 'FieldValueRequired', field, message: 'Required value' };
}

export function duplicate(field: string, value: unknown): FieldError {
  return { reason: 'FieldValueDuplicate', field, message: `Duplicate value: ${printValue(value)}` };
}

export function tooMany(field: string, count: number, limit: number): FieldError {
  return {
    reason: 'FieldValueTooMany',
    field,
    message: `Too many: ${count}: must have at most ${limit} ${limit === 1 ? 'item' : 'items'}`,
  };
}

export function tooLong(field: string, limit: number): FieldError {
  return { reason: 'FieldValueTooLong', field, message: `Too long: may not be more than ${limit} bytes` };
}

export function notSupported(field: string, value: unknown, supported: readonly unknown[]): FieldError {
  const values = supported.map((each) => JSON.stringify(typeof each === 'string' ? each : goJson(each)));
  const message = `Unsupported value: ${printValue(value)}: supported values: ${values.join(', ')}`;
  return { reason: 'FieldValueNotSupported', field, message };
}
