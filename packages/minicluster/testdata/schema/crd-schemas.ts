/** Schemas of CRDs that a server refuses (or accepts), each for one reason. */
import type { Schema } from '../../src/schema/schema.ts';
import { RULER_CRD } from './ruler.ts';

export interface SchemaCase {
  readonly name: string;
  /** Untyped, since most are invalid. */
  readonly schema: object;
}

export function crdWith(schema: object): object {
  return {
    ...RULER_CRD,
    spec: {
      ...RULER_CRD.spec,
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
}

const spec = (name: string, schema: object): SchemaCase => ({
  name,
  schema: { type: 'object', properties: { spec: schema } },
});
const string: Schema = { type: 'string' };
const inSpec = (name: string, field: object): SchemaCase =>
  spec(name, { type: 'object', properties: { a: field } });

export const crdSchemaCases: readonly SchemaCase[] = [
  spec('a plain object', { type: 'object' }),
  { name: 'a root without a type', schema: { properties: { spec: { type: 'object' } } } },
  { name: 'a root that is a string', schema: { type: 'string' } },
  { name: 'a root that is nullable', schema: { type: 'object', nullable: true } },
  { name: 'an unknown type at the root', schema: { type: 'thing' } },
  inSpec('no type', { description: 'x' }),
  inSpec('no type, but anything goes', { 'x-kubernetes-preserve-unknown-fields': true }),
  inSpec('an unknown type', { type: 'thing' }),
  inSpec('the type null', { type: 'null' }),
  inSpec('a list without items', { type: 'array' }),
  inSpec('a list with untyped items', { type: 'array', items: {} }),
  inSpec('a list with several item schemas', { type: 'array', items: [string, string] }),
  inSpec('properties and additional properties', {
    type: 'object',
    properties: { x: string },
    additionalProperties: string,
  }),
  inSpec('additional properties false', { type: 'object', additionalProperties: false }),
  inSpec('additional properties true', { type: 'object', additionalProperties: true }),
  inSpec('untyped additional properties', { type: 'object', additionalProperties: {} }),
  inSpec('unique items', { type: 'array', items: string, uniqueItems: true }),
  inSpec('a reference', { $ref: '#/definitions/x' }),
  inSpec('definitions', { type: 'object', definitions: { x: string } }),
  inSpec('pattern properties', { type: 'object', patternProperties: { '^x': string } }),
  inSpec('dependencies', { type: 'object', dependencies: { x: ['y'] } }),
  inSpec('additional items', { type: 'array', items: string, additionalItems: string }),
  inSpec('an id', { type: 'string', id: 'x' }),
  inSpec('an int-or-string with a type', { type: 'string', 'x-kubernetes-int-or-string': true }),
  inSpec('an int-or-string with alternatives', {
    'x-kubernetes-int-or-string': true,
    anyOf: [{ type: 'integer' }, { type: 'string' }],
  }),
  inSpec('an int-or-string with other alternatives', {
    'x-kubernetes-int-or-string': true,
    anyOf: [{ type: 'string' }, { type: 'integer' }],
  }),
  inSpec('an int-or-string with alternatives in allOf', {
    'x-kubernetes-int-or-string': true,
    allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, { pattern: 'x' }],
  }),
  inSpec('int-or-string alternatives alone', { anyOf: [{ type: 'integer' }, { type: 'string' }] }),
  inSpec('a type in an alternative', {
    type: 'object',
    properties: { x: string },
    anyOf: [{ type: 'object' }],
  }),
  inSpec('a description in an alternative', {
    type: 'object',
    properties: { x: string },
    anyOf: [{ description: 'x', required: ['x'] }],
  }),
  inSpec('a default in an alternative', {
    type: 'object',
    properties: { x: string },
    anyOf: [{ properties: { x: { default: 'y' } } }],
  }),
  inSpec('a title in an alternative', { type: 'string', allOf: [{ title: 'x' }] }),
  inSpec('nullable in an alternative', { type: 'string', oneOf: [{ nullable: true }] }),
  inSpec('additional properties in an alternative', {
    type: 'object',
    properties: { x: string },
    not: { additionalProperties: string },
  }),
  inSpec('an undeclared property in an alternative', {
    type: 'object',
    properties: { x: string },
    anyOf: [{ properties: { y: { pattern: 'z' } } }],
  }),
  inSpec('undeclared items in an alternative', { type: 'string', anyOf: [{ items: { pattern: 'z' } }] }),
  inSpec('preserve in an alternative', {
    type: 'object',
    anyOf: [{ 'x-kubernetes-preserve-unknown-fields': true }],
  }),
  inSpec('a list type in an alternative', {
    type: 'array',
    items: string,
    anyOf: [{ 'x-kubernetes-list-type': 'set' }],
  }),
  inSpec('preserve that is false', { type: 'object', 'x-kubernetes-preserve-unknown-fields': false }),
  inSpec('an embedded resource that is a string', { type: 'string', 'x-kubernetes-embedded-resource': true }),
  inSpec('an embedded resource without fields', { type: 'object', 'x-kubernetes-embedded-resource': true }),
  inSpec('an embedded resource with fields', {
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    properties: { spec: { type: 'object' } },
  }),
  inSpec('an embedded resource with a metadata schema', {
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } },
  }),
  inSpec('a list type on a string', { type: 'string', 'x-kubernetes-list-type': 'set' }),
  inSpec('an unknown list type', { type: 'array', items: string, 'x-kubernetes-list-type': 'bag' }),
  inSpec('a map without keys', { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'map' }),
  inSpec('a map of strings', {
    type: 'array',
    items: string,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['x'],
  }),
  inSpec('a map with an unknown key', {
    type: 'array',
    items: { type: 'object', properties: { y: string } },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['x'],
  }),
  inSpec('a map with an optional key', {
    type: 'array',
    items: { type: 'object', properties: { x: string } },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['x'],
  }),
  inSpec('a map with an object as key', {
    type: 'array',
    items: { type: 'object', required: ['x'], properties: { x: { type: 'object' } } },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['x'],
  }),
  inSpec('a map with a nullable key', {
    type: 'array',
    items: { type: 'object', required: ['x'], properties: { x: { type: 'string', nullable: true } } },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['x'],
  }),
  inSpec('a map with a repeated key', {
    type: 'array',
    items: { type: 'object', required: ['x'], properties: { x: string } },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['x', 'x'],
  }),
  inSpec('keys without a map', { type: 'array', items: string, 'x-kubernetes-list-map-keys': ['x'] }),
  inSpec('a set of objects', { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'set' }),
  inSpec('a set of atomic objects', {
    type: 'array',
    items: { type: 'object', 'x-kubernetes-map-type': 'atomic' },
    'x-kubernetes-list-type': 'set',
  }),
  inSpec('a set of lists', {
    type: 'array',
    items: { type: 'array', items: string },
    'x-kubernetes-list-type': 'set',
  }),
  inSpec('a set of nullable strings', {
    type: 'array',
    items: { type: 'string', nullable: true },
    'x-kubernetes-list-type': 'set',
  }),
  inSpec('a map type on a string', { type: 'string', 'x-kubernetes-map-type': 'atomic' }),
  inSpec('an unknown map type', { type: 'object', 'x-kubernetes-map-type': 'bag' }),
  inSpec('a bad pattern', { type: 'string', pattern: '(' }),
  inSpec('a bad pattern in Go only', { type: 'string', pattern: '(?=x)' }),
  inSpec('an empty enum', { type: 'string', enum: [] }),
  inSpec('a repeated enum', { type: 'string', enum: ['a', 'a'] }),
  inSpec('a default of the wrong type', { type: 'string', default: 5 }),
  inSpec('a default that breaks a rule', { type: 'integer', minimum: 3, default: 1 }),
  inSpec('a default with unknown fields', { type: 'object', properties: { x: string }, default: { y: 1 } }),
  inSpec('a default for an alternative', { type: 'object', properties: { x: string }, default: { x: 'y' } }),
  inSpec('a null default', { type: 'string', default: null }),
  inSpec('a null default for a nullable', { type: 'string', nullable: true, default: null }),
  inSpec('minimum beyond maximum', { type: 'integer', minimum: 5, maximum: 1 }),
  inSpec('a negative length', { type: 'string', minLength: -1 }),
  inSpec('an int32 format', { type: 'integer', format: 'int32' }),
  inSpec('an unknown format', { type: 'string', format: 'thing' }),
  { name: 'a metadata schema', schema: { type: 'object', properties: { metadata: { type: 'object' } } } },
  {
    name: 'a metadata schema with a name pattern',
    schema: {
      type: 'object',
      properties: { metadata: { type: 'object', properties: { name: { type: 'string', pattern: '^a' } } } },
    },
  },
  {
    name: 'a metadata schema with labels',
    schema: {
      type: 'object',
      properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } },
    },
  },
  {
    name: 'a metadata schema that is a string',
    schema: { type: 'object', properties: { metadata: string } },
  },
  {
    name: 'an apiVersion that is a number',
    schema: { type: 'object', properties: { apiVersion: { type: 'integer' } } },
  },
  { name: 'a required metadata', schema: { type: 'object', required: ['metadata'] } },
  { name: 'a list at the root', schema: { type: 'array', items: string } },
  { name: 'a default at the root', schema: { type: 'object', default: {} } },
  {
    name: 'a default for metadata',
    schema: { type: 'object', properties: { metadata: { type: 'object', default: { name: 'x' } } } },
  },
];
