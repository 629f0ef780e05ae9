/** The supported part of JSON Schema. Other keywords are refused, never ignored. */
export interface Schema {
  readonly type?: TypeName | readonly TypeName[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
}

export const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] as const;
export type TypeName = (typeof TYPES)[number];

/** The kind of value that a keyword needs. */
export type Shape =
  | 'types'
  | 'anything'
  | 'values'
  | 'names'
  | 'schema'
  | 'schemas'
  | 'properties'
  | 'schema-or-flag'
  | 'count'
  | 'number'
  | 'positive'
  | 'flag'
  | 'pattern'
  | 'text';

export const KEYWORDS: Readonly<Record<string, Shape>> = {
  type: 'types',
  enum: 'values',
  const: 'anything',
  required: 'names',
  properties: 'properties',
  additionalProperties: 'schema-or-flag',
  minProperties: 'count',
  maxProperties: 'count',
  items: 'schema',
  minItems: 'count',
  maxItems: 'count',
  uniqueItems: 'flag',
  minLength: 'count',
  maxLength: 'count',
  pattern: 'pattern',
  minimum: 'number',
  maximum: 'number',
  exclusiveMinimum: 'number',
  exclusiveMaximum: 'number',
  multipleOf: 'positive',
  allOf: 'schemas',
  anyOf: 'schemas',
  oneOf: 'schemas',
  not: 'schema',
  // Documentation keywords, without effect.
  $schema: 'text',
  $comment: 'text',
  title: 'text',
  description: 'text',
  default: 'anything',
  examples: 'anything',
};
