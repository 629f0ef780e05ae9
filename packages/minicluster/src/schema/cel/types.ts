/** CEL types from a schema: the type of `self`. */
import type { Environment } from '@marcbachmann/cel-js';
import type { Schema } from '../schema.ts';
import { escapeName } from './names.ts';

/** Root and embedded resources have these, whatever their schema says. */
const RESOURCE_FIELDS: Readonly<Record<string, Schema>> = {
  apiVersion: { type: 'string' },
  kind: { type: 'string' },
  metadata: { type: 'object', properties: { name: { type: 'string' }, generateName: { type: 'string' } } },
};

export function propertiesOf(schema: Schema, isRoot: boolean): Record<string, Schema> {
  const own = schema.properties ?? {};
  return isRoot || schema['x-kubernetes-embedded-resource'] ? { ...own, ...RESOURCE_FIELDS } : own;
}

/** Returns the type name of a schema, declaring it in `env`. */
export function declareType(env: Environment, schema: Schema, name: string, isRoot: boolean): string {
  if (schema['x-kubernetes-int-or-string']) return 'dyn';
  switch (schema.type) {
    case 'string':
      return stringType(schema.format);
    case 'integer':
      return 'int';
    case 'number':
      return 'double';
    case 'boolean':
      return 'bool';
    case 'array':
      return schema.items ? `list<${declareType(env, schema.items, `${name}.items`, false)}>` : 'list<dyn>';
    case 'object':
      return declareObject(env, schema, name, isRoot);
    default:
      return 'dyn';
  }
}

function stringType(format: string | undefined): string {
  if (format === 'date' || format === 'date-time') return 'google.protobuf.Timestamp';
  if (format === 'duration') return 'google.protobuf.Duration';
  return format === 'byte' ? 'bytes' : 'string';
}

function declareObject(env: Environment, schema: Schema, name: string, isRoot: boolean): string {
  const { additionalProperties } = schema;
  if (typeof additionalProperties === 'object') {
    return `map<string, ${declareType(env, additionalProperties, `${name}.values`, false)}>`;
  }
  if (additionalProperties === true) return 'map<string, dyn>';
  const fields: Record<string, string> = {};
  for (const [key, field] of Object.entries(propertiesOf(schema, isRoot))) {
    const escaped = escapeName(key);
    if (escaped !== undefined) fields[escaped] = declareType(env, field, `${name}.${escaped}`, false);
  }
  env.registerType(name, { fields });
  // The checker must know that objects are comparable; rules run in another environment.
  env.registerOperator(`${name} == ${name}`, () => true);
  return name;
}
