/** Constraints on strings and numbers of a custom resource. */
import { RE2JS } from 're2js';
import type { FieldError } from '../../model/status.ts';
import { deepEqual } from '../json.ts';
import type { Schema } from '../schema.ts';
import { invalidValue, notSupported, nowhere, tooLong, wrongType } from './errors.ts';
import { matchesFormat } from './formats.ts';

/** Of the limits on length and pattern the server reports the first violation. */
export function checkString(value: string, schema: Schema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const length = schema.maxLength === undefined && schema.minLength === undefined ? 0 : [...value].length;
  if (schema.maxLength !== undefined && length > schema.maxLength)
    errors.push(tooLong(path, schema.maxLength));
  else if (schema.minLength !== undefined && length < schema.minLength) {
    errors.push(
      invalidValue(path, value, `${path} in body should be at least ${schema.minLength} chars long`),
    );
  } else if (schema.pattern !== undefined && !matches(schema.pattern, value)) {
    errors.push(invalidValue(path, value, `${path} in body should match '${schema.pattern}'`));
  }
  if (schema.format !== undefined && !matchesFormat(schema.format, value)) {
    errors.push(wrongType(path, value, schema.format));
  }
  return errors;
}

const patterns = new Map<string, RE2JS | undefined>();
const MAX_PATTERNS = 1000;

/** Patterns use RE2: linear time and Go's syntax. One that does not compile matches nothing. */
function matches(pattern: string, text: string): boolean {
  if (!patterns.has(pattern)) {
    if (patterns.size >= MAX_PATTERNS) patterns.clear();
    patterns.set(pattern, compilePattern(pattern));
  }
  return patterns.get(pattern)?.matcher(text).find() ?? false;
}

export function compilePattern(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch {
    return undefined;
  }
}

const INT_RANGES: Readonly<Record<string, readonly [number, number]>> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  uint32: [0, 2 ** 32 - 1],
  uint64: [0, 2 ** 64],
};
const INT64: readonly [number, number] = [-(2 ** 63), 2 ** 63];
const MAX_FLOAT32 = 3.4028234663852886e38;

export function checkNumber(value: number, schema: Schema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!isInRange(value, schema)) {
    const format = schema.format ? `with format ${schema.format}` : '(default format)';
    errors.push(nowhere(`Checked value must be of type ${schema.type} ${format} in ${path}`));
  }
  const { multipleOf, minimum, maximum } = schema;
  if (multipleOf !== undefined) errors.push(...checkMultiple(value, multipleOf, path));
  if (minimum !== undefined && (schema.exclusiveMinimum ? value <= minimum : value < minimum)) {
    const than = schema.exclusiveMinimum ? 'greater than' : 'greater than or equal to';
    errors.push(invalidValue(path, value, `${path} in body should be ${than} ${minimum}`));
  }
  if (maximum !== undefined && (schema.exclusiveMaximum ? value >= maximum : value > maximum)) {
    const than = schema.exclusiveMaximum ? 'less than' : 'less than or equal to';
    errors.push(invalidValue(path, value, `${path} in body should be ${than} ${maximum}`));
  }
  return errors;
}

function isInRange(value: number, { type, format = '' }: Schema): boolean {
  if (type !== 'integer') return !/^float(32)?$/.test(format) || Math.abs(value) <= MAX_FLOAT32;
  const [low, high] = INT_RANGES[format] ?? INT64;
  return Number.isInteger(value) && value >= low && value <= high;
}

/** The server divides integers by the integer part of the factor, even if that is zero. */
function checkMultiple(value: number, factor: number, path: string): FieldError[] {
  const divisor = Number.isInteger(value) ? Math.trunc(factor) : factor;
  if (divisor <= 0) {
    return [
      invalidValue(path, divisor, `factor MultipleOf declared for ${path} must be positive: ${divisor}`),
    ];
  }
  const quotient = value / divisor;
  return Number.isInteger(quotient)
    ? []
    : [invalidValue(path, value, `${path} in body should be a multiple of ${divisor}`)];
}

export function checkEnum(value: unknown, schema: Schema, path: string): FieldError[] {
  const { enum: values } = schema;
  if (!values || values.some((each) => deepEqual(each, value))) return [];
  return [notSupported(path, value, values)];
}
