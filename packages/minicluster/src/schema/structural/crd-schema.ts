/**
 * Validates the schema of a CRD: it must be structural (every field has a type, alternatives only narrow), with valid
 * defaults, and with rules that compile.
 */
import type { FieldError } from '../../model/status.ts';
import { compileRules } from '../cel.ts';
import { isRecord, own } from '../json.ts';
import type { Schema } from '../schema.ts';
import { checkDefault } from './crd-defaults.ts';
import { forbidden, invalid, missing, notSupported } from './crd-errors.ts';
import { checkListSchema, checkMapSchema } from './crd-lists.ts';
import { compilePattern } from './scalars.ts';

/** Untyped: a client may send anything. */
export type Raw = Record<string, unknown>;

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const UNSUPPORTED = [
  '$ref',
  'definitions',
  'patternProperties',
  'dependencies',
  'additionalItems',
  'id',
  '$schema',
];

/** `path` leads to the schema; errors name fields below it. */
export function validateCrdSchema(schema: Schema, path: string): FieldError[] {
  const root = schema as Raw;
  const errors: FieldError[] = [...checkRoot(root, path)];
  checkSchema(root, path, { role: 'root' }, errors);
  if (errors.length > 0) return errors;
  return compileRules(schema).errors.map((error) => ({
    ...error,
    field: `${path}.${error.field}`,
    message: error.message.replace(/(within )(properties\[.*|items.*)$/, `$1${path}.$2`),
  }));
}

function checkRoot(root: Raw, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { type } = root;
  if (!type) errors.push(missing(`${path}.type`, 'must not be empty at the root'));
  else if (type !== 'object') errors.push(invalid(`${path}.type`, type, 'must be object at the root'));
  if (root.nullable === true)
    errors.push(forbidden(`${path}.nullable`, 'nullable cannot be true at the root'));
  return errors;
}

interface Place {
  readonly role: 'root' | 'field' | 'items';
}

function checkSchema(schema: Raw, path: string, { role }: Place, errors: FieldError[]): void {
  checkType(schema, path, role, errors);
  for (const key of UNSUPPORTED) {
    if (own(schema, key) !== undefined) errors.push(forbidden(`${path}.${key}`, `${key} is not supported`));
  }
  if (schema.uniqueItems === true) {
    const why = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    errors.push(forbidden(`${path}.uniqueItems`, why));
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    errors.push(invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'));
  }
  checkPattern(schema, path, errors);
  checkEmbeddedSchema(schema, path, role, errors);
  errors.push(...checkListSchema(schema, path), ...checkMapSchema(schema, path));
  checkParts(schema, path, role, errors);
  checkAlternatives(schema, path, errors);
  if (schema.default !== undefined && schema.default !== null) {
    errors.push(...checkDefault(schema as Schema, `${path}.default`, role === 'root'));
  }
}

function checkType(schema: Raw, path: string, role: Place['role'], errors: FieldError[]): void {
  const { type } = schema;
  const needsNone =
    schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (!type) {
    if (role === 'root' || needsNone || own(schema, '$ref') !== undefined) return;
    const what = role === 'items' ? 'array items' : 'object fields';
    errors.push(missing(`${path}.type`, `must not be empty for specified ${what}`));
  } else if (!TYPES.includes(String(type))) {
    errors.push(notSupported(`${path}.type`, type, TYPES));
    if (type === 'null') {
      errors.push(forbidden(`${path}.type`, 'type cannot be set to null, use nullable as an alternative'));
    }
  } else if (type === 'array' && own(schema, 'items') === undefined) {
    errors.push(missing(`${path}.items`, 'must be specified'));
  }
}

function checkPattern({ pattern }: Raw, path: string, errors: FieldError[]): void {
  if (typeof pattern !== 'string' || compilePattern(pattern) !== undefined) return;
  const why = `must be a valid regular expression, but isn't: error parsing regexp: ${patternFault(pattern)}`;
  errors.push(invalid(`${path}.pattern`, pattern, why));
}

/** Go's messages for common mistakes. */
function patternFault(pattern: string): string {
  const perl = /\(\?<?[=!]/.exec(pattern);
  if (perl) return `invalid or unsupported Perl syntax: \`${perl[0]}\``;
  return `missing closing ): \`${pattern}\``;
}

function checkEmbeddedSchema(schema: Raw, path: string, role: Place['role'], errors: FieldError[]): void {
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  if (isEmbedded && schema['x-kubernetes-preserve-unknown-fields'] !== true && !isRecord(schema.properties)) {
    const why =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    errors.push(missing(`${path}.properties`, why));
  }
  if (isEmbedded && schema.type !== 'object') {
    errors.push(
      invalid(`${path}.type`, schema.type ?? '', 'must be object if x-kubernetes-embedded-resource is true'),
    );
  }
  if (isEmbedded || role === 'root') checkResourceFields(schema, path, role === 'root', errors);
}

/** The constraints that a schema may put on the common fields of resources. */
function checkResourceFields(schema: Raw, path: string, isRoot: boolean, errors: FieldError[]): void {
  const properties = isRecord(schema.properties) ? schema.properties : {};
  for (const name of ['apiVersion', 'kind']) {
    const field = own(properties, name);
    if (isRecord(field) && field.type && field.type !== 'string') {
      errors.push(invalid(`${path}.properties[${name}].type`, field.type, 'must be string'));
    }
  }
  const metadata = own(properties, 'metadata');
  if (!isRecord(metadata)) return;
  const at = `${path}.properties[metadata]`;
  if (metadata.type && metadata.type !== 'object') {
    errors.push(invalid(`${at}.type`, metadata.type, 'must be object'));
    return;
  }
  if (isRoot && metadata.default !== undefined) {
    errors.push(forbidden(`${at}.default`, 'must not be set in top-level metadata'));
  }
  const others = Object.keys(isRecord(metadata.properties) ? metadata.properties : {});
  if (isRoot && others.some((name) => name !== 'name' && name !== 'generateName')) {
    const why =
      'must not specify anything other than name and generateName, but metadata is implicitly specified';
    errors.push(forbidden(at, why));
  }
}

function checkParts(schema: Raw, path: string, role: Place['role'], errors: FieldError[]): void {
  const { properties, additionalProperties, items } = schema;
  if (isRecord(properties)) {
    for (const [name, property] of Object.entries(properties)) {
      const isDefaultedMetadata =
        role === 'root' && name === 'metadata' && isRecord(property) && 'default' in property;
      if (isRecord(property) && !isDefaultedMetadata) {
        checkSchema(property, `${path}.properties[${name}]`, { role: 'field' }, errors);
      }
    }
    if (Object.keys(properties).length > 0 && isRecord(additionalProperties)) {
      const why = 'additionalProperties and properties are mutual exclusive';
      errors.push(forbidden(`${path}.additionalProperties`, why));
    }
  }
  if (isRecord(additionalProperties)) {
    checkSchema(additionalProperties, `${path}.additionalProperties`, { role: 'field' }, errors);
  }
  if (Array.isArray(items)) {
    errors.push(forbidden(`${path}.items`, 'items must be a schema object and not an array'));
  } else if (isRecord(items)) checkSchema(items, `${path}.items`, { role: 'items' }, errors);
}

/** Alternatives may narrow the schema; they may not declare anything new. */
function checkAlternatives(schema: Raw, path: string, errors: FieldError[]): void {
  for (const key of ['allOf', 'anyOf', 'oneOf']) {
    const list = own(schema, key);
    if (!Array.isArray(list)) continue;
    if (key === 'anyOf' && isIntOrString(list)) continue;
    list.forEach((each: unknown, index) => {
      if (!isRecord(each)) return;
      const inner = key === 'allOf' && index === 0 && isIntOrString(each.anyOf);
      checkNarrowing(inner ? { ...each, anyOf: undefined } : each, `${path}.${key}[${index}]`, errors);
    });
  }
  if (isRecord(schema.not)) checkNarrowing(schema.not, `${path}.not`, errors);
}

/** The only alternatives that may name types: int-or-string. */
function isIntOrString(list: unknown): boolean {
  return JSON.stringify(list) === '[{"type":"integer"},{"type":"string"}]';
}

const MUST_BE_EMPTY = ['type', 'description', 'title', 'x-kubernetes-validations'];
const MUST_BE_UNDEFINED = [
  'default',
  'additionalProperties',
  'x-kubernetes-list-type',
  'x-kubernetes-map-type',
];
const MUST_BE_FALSE = [
  'nullable',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
];

function checkNarrowing(schema: Raw, path: string, errors: FieldError[]): void {
  const check = (keys: readonly string[], state: string): void => {
    for (const key of keys) {
      const value = own(schema, key);
      if (value !== undefined && value !== false && value !== null) {
        errors.push(forbidden(`${path}.${key}`, `must be ${state} to be structural`));
      }
    }
  };
  check(MUST_BE_EMPTY, 'empty');
  check(MUST_BE_UNDEFINED, 'undefined');
  check(MUST_BE_FALSE, 'false');
  if (own(schema, 'x-kubernetes-list-type') !== undefined && schema.type !== 'array') {
    errors.push(missing(`${path}.type`, 'must be array if x-kubernetes-list-type is specified'));
  }
  checkPattern(schema, path, errors);
  for (const [name, property] of Object.entries(isRecord(schema.properties) ? schema.properties : {})) {
    if (isRecord(property)) checkNarrowing(property, `${path}.properties[${name}]`, errors);
  }
  if (isRecord(schema.items)) checkNarrowing(schema.items, `${path}.items`, errors);
  checkAlternatives(schema, path, errors);
}
