/** Errors for fields of a CRD's schema. */
import type { FieldError } from '../../model/status.ts';
import { goJson } from '../json.ts';

export { notSupported } from './errors.ts';

export function invalid(field: string, value: unknown, why: string): FieldError {
  return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${goJson(value)}: ${why}` };
}

export function forbidden(field: string, why: string): FieldError {
  return { reason: 'FieldValueForbidden', field, message: `Forbidden: ${why}` };
}

export function missing(field: string, why: string): FieldError {
  return { reason: 'FieldValueRequired', field, message: `Required value: ${why}` };
}
