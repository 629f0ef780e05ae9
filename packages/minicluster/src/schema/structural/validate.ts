/**
 * Validates a custom resource against its schema, in the server's words. On an update, unchanged parts are not
 * validated again (ratcheting): stored values stay valid, even if the schema became stricter.
 */
import type { FieldError } from '../../model/status.ts';
import { deepEqual, isRecord, type JsonRecord, jsonTypeOf, own } from '../json.ts';
import type { Schema } from '../schema.ts';
import { checkAlternatives } from './alternatives.ts';
import { checkEmbedded } from './embedded.ts';
import { invalidValue, required, tooMany, wrongType } from './errors.ts';
import { checkListTypes } from './list-types.ts';
import { checkEnum, checkNumber, checkString } from './scalars.ts';

export interface ValidateOptions {
  /** The object before the update. */
  readonly old?: JsonRecord;
}

/** `schema` is the CRD's own: apiVersion, kind and metadata are checked elsewhere. */
export function validate(object: JsonRecord, schema: Schema, { old }: ValidateOptions = {}): FieldError[] {
  const errors = [...checkValue(object, schema, '', old), ...checkEmbedded(object, schema)];
  const listErrors = checkListTypes(object, schema);
  if (listErrors.length > 0 && (!old || checkListTypes(old, schema).length === 0)) errors.push(...listErrors);
  return errors;
}

/** `old` is undefined where there is nothing to compare with. */
export function checkValue(value: unknown, schema: Schema, path: string, old: unknown): FieldError[] {
  if (old !== undefined && deepEqual(old, value)) return [];
  if (value === null && schema.nullable) return [];
  const errors = checkType(value, schema, path);
  if (typeof value === 'string')
    errors.push(...(ofType(schema, 'string') ? checkString(value, schema, path) : []));
  else if (typeof value === 'number')
    errors.push(...(isNumeric(schema) ? checkNumber(value, schema, path) : []));
  else if (Array.isArray(value)) errors.push(...checkList(value, schema, path, old));
  else if (isRecord(value)) errors.push(...checkMap(value, schema, path, old));
  errors.push(
    ...checkEnum(value, schema, path),
    ...checkAlternatives(schema, path, (alternative) => checkValue(value, alternative, path, undefined)),
  );
  return errors;
}

const ofType = (schema: Schema, type: Schema['type']): boolean =>
  schema.type === undefined || schema.type === type;

const isNumeric = (schema: Schema): boolean => ofType(schema, 'integer') || schema.type === 'number';

function typeName(value: unknown): string {
  const type = jsonTypeOf(value);
  return type === 'number' && Number.isInteger(value) ? 'integer' : type;
}

function checkType(value: unknown, schema: Schema, path: string): FieldError[] {
  const got = typeName(value);
  if (schema['x-kubernetes-int-or-string']) {
    return got === 'integer' || got === 'string' ? [] : [wrongType(path, got, 'integer,string')];
  }
  const { type } = schema;
  if (type === undefined || got === type || (type === 'number' && got === 'integer')) return [];
  return [wrongType(path, got, type)];
}

function checkList(items: readonly unknown[], schema: Schema, path: string, old: unknown): FieldError[] {
  const errors: FieldError[] = [];
  const { items: itemSchema, minItems, maxItems } = schema;
  if (itemSchema) {
    const match = matcher(schema, old);
    items.forEach((item, index) => {
      errors.push(...checkValue(item, itemSchema, `${path}[${index}]`, match(item)));
    });
  }
  if (minItems !== undefined && items.length < minItems) {
    errors.push(invalidValue(path, items.length, `${path} in body should have at least ${minItems} items`));
  }
  if (maxItems !== undefined && items.length > maxItems) errors.push(tooMany(path, items.length, maxItems));
  return errors;
}

/** Finds an item's previous value: only possible in keyed lists. */
function matcher(schema: Schema, old: unknown): (item: unknown) => unknown {
  const keys = schema['x-kubernetes-list-map-keys'];
  if (schema['x-kubernetes-list-type'] !== 'map' || !keys || !Array.isArray(old)) return () => undefined;
  return (item) =>
    isRecord(item)
      ? old.find(
          (each: unknown) => isRecord(each) && keys.every((key) => deepEqual(own(each, key), own(item, key))),
        )
      : undefined;
}

function checkMap(value: JsonRecord, schema: Schema, path: string, old: unknown): FieldError[] {
  const errors: FieldError[] = [];
  const at = (key: string): string => (path ? `${path}.${key}` : key);
  const before = (key: string): unknown => (isRecord(old) ? own(old, key) : undefined);
  const { properties, additionalProperties, minProperties, maxProperties } = schema;
  for (const key of Object.keys(value)) {
    const field = properties && Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
    const isMetadata = path === '' && key === 'metadata';
    if (typeof field === 'object' && !isMetadata)
      errors.push(...checkValue(value[key], field, at(key), before(key)));
  }
  for (const key of schema.required ?? []) {
    if (!Object.hasOwn(value, key)) errors.push(required(at(key)));
  }
  const count = Object.keys(value).length;
  if (minProperties !== undefined && count < minProperties) {
    errors.push(
      invalidValue(path, count, `${path} in body should have at least ${minProperties} properties`),
    );
  }
  if (maxProperties !== undefined && count > maxProperties) errors.push(tooMany(path, count, maxProperties));
  return errors;
}
