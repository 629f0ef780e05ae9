/**
 * Converts a TypeBox schema to the schema of a CustomResourceDefinition.
 *
 * In: a schema value. Out: plain JSON that an API server accepts as structural: every part has a type, unions of
 * constants are an `enum`, maps are `additionalProperties`. Anything without a structural form throws, with its path.
 */

/** The schema language of CustomResourceDefinitions, as far as this package reads it. */
export interface StructuralSchema {
  description?: string;
  type?: string;
  format?: string;
  properties?: Record<string, StructuralSchema>;
  required?: string[];
  additionalProperties?: StructuralSchema | boolean;
  items?: StructuralSchema;
  enum?: unknown[];
  pattern?: string;
  default?: unknown;
  maxItems?: number;
  maxProperties?: number;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-validations'?: { rule: string; message?: string }[];
  [keyword: string]: unknown;
}

/** The schema cannot be part of a CustomResourceDefinition; the message names the path and an alternative. */
export class SchemaError extends Error {
  override name = 'SchemaError';
}

/** Written in another form below, or a note to readers that a CustomResourceDefinition has no field for. */
const DROPPED = new Set([
  ...['$id', '$schema', 'const', 'anyOf', 'patternProperties'],
  ...['$comment', 'deprecated', 'examples', 'readOnly', 'writeOnly'],
]);
const TYPES = new Set(['array', 'boolean', 'integer', 'number', 'object', 'string']);
/** Every other keyword is refused by API servers, or ignored: its check would not be made. */
const KEYWORDS = new Set([
  ...['description', 'type', 'format', 'title', 'default', 'example', 'externalDocs', 'nullable', 'enum'],
  ...['minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'pattern', 'minItems', 'maxItems', 'minProperties', 'maxProperties'],
  ...['required', 'properties', 'additionalProperties', 'items', 'allOf', 'oneOf', 'not'],
]);

/**
 * A schema in the form of a CustomResourceDefinition; throws a `SchemaError` with the path of any part that has no
 * such form.
 */
export function structural(schema: unknown, path: string): StructuralSchema {
  const raw = JSON.parse(JSON.stringify(schema, withoutExpressions)) as StructuralSchema;
  return convert(raw, path);
}

/** A regular expression would become an empty object. */
function withoutExpressions(_: string, value: unknown): unknown {
  return value instanceof RegExp ? (value.flags ? { flags: value.flags } : value.source) : value;
}

function convert(raw: StructuralSchema, path: string): StructuralSchema {
  // The description comes first, for readers.
  const { description, type, ...rest } = raw;
  const result: StructuralSchema = {
    ...(description !== undefined && { description }),
    ...(type && { type }),
  };
  for (const [keyword, value] of Object.entries(rest)) if (!DROPPED.has(keyword)) result[keyword] = value;
  Object.assign(result, constants(raw, path), mapValues(raw, path), bounds(raw));
  if (result.properties) {
    result.properties = Object.fromEntries(
      Object.entries(result.properties).map(([name, field]) => [name, convert(field, `${path}.${name}`)]),
    );
    // Kubernetes objects are closed: unknown fields are pruned.
    if (result.additionalProperties === false) delete result.additionalProperties;
  }
  if (typeof result.additionalProperties === 'object') {
    result.additionalProperties = convert(result.additionalProperties, `${path}.*`);
  }
  check(result, path);
  if (result.items) result.items = convert(result.items, `${path}[]`);
  const untyped = result.type === undefined && !result['x-kubernetes-int-or-string'];
  if (untyped && !result['x-kubernetes-preserve-unknown-fields']) {
    throw new SchemaError(
      `${path} has no type, and a CustomResourceDefinition needs one: use Type.String, Type.Object, oneOf, intOrString or anything`,
    );
  }
  return result;
}

function check(schema: StructuralSchema, path: string): void {
  const { type, properties, additionalProperties, pattern } = schema;
  if (type !== undefined && !TYPES.has(type)) {
    const instead =
      type === 'null' ? 'use { nullable: true } with another type' : 'use Type.String or another';
    throw new SchemaError(
      `${path} has the type "${type}", which a CustomResourceDefinition cannot have: ${instead}`,
    );
  }
  if (properties && additionalProperties !== undefined && additionalProperties !== true) throw mixed(path);
  if (pattern !== undefined && typeof pattern !== 'string') {
    throw new SchemaError(
      `${path} has a pattern with flags, which API servers do not know: write it without`,
    );
  }
  for (const keyword of Object.keys(schema)) {
    if (KEYWORDS.has(keyword) || keyword.startsWith('x-kubernetes-')) continue;
    if (keyword === 'uniqueItems' && !schema.uniqueItems) continue;
    const instead =
      keyword === 'uniqueItems' ? "use { 'x-kubernetes-list-type': 'set' }" : 'remove it, or write a rule';
    throw new SchemaError(
      `${path} has the keyword ${keyword}, which a CustomResourceDefinition cannot have: ${instead}`,
    );
  }
}

/** JSON Schema has a number here, CustomResourceDefinitions a flag beside `minimum` and `maximum`. */
function bounds(raw: StructuralSchema): Partial<StructuralSchema> {
  const { minimum, maximum, exclusiveMinimum: low, exclusiveMaximum: high } = raw;
  const result: Partial<StructuralSchema> = {};
  if (typeof low === 'number') {
    const wider = typeof minimum === 'number' && minimum > low;
    Object.assign(result, wider ? { exclusiveMinimum: false } : { minimum: low, exclusiveMinimum: true });
  }
  if (typeof high === 'number') {
    const wider = typeof maximum === 'number' && maximum < high;
    Object.assign(result, wider ? { exclusiveMaximum: false } : { maximum: high, exclusiveMaximum: true });
  }
  return result;
}

/** `Type.Literal`, `Type.Enum` and unions of literals: one type with the values that are allowed. */
function constants(raw: StructuralSchema, path: string): Partial<StructuralSchema> {
  const alternatives = raw.anyOf as StructuralSchema[] | undefined;
  const values =
    alternatives?.map((each) => each.const) ??
    ('const' in raw ? [raw.const] : undefined) ??
    (raw.type ? undefined : raw.enum);
  if (!values) return {};
  const types = new Set(values.map((value) => typeof value));
  const [type] = types;
  if (values.includes(undefined) || types.size !== 1 || type === undefined || type === 'object') {
    throw new SchemaError(
      `${path} is a union, which a CustomResourceDefinition cannot have: use oneOf for words, or optional fields with a rule`,
    );
  }
  const numbers = values.every(Number.isInteger) ? 'integer' : 'number';
  return { type: type === 'number' ? numbers : type, enum: values };
}

function mapValues(raw: StructuralSchema, path: string): Partial<StructuralSchema> {
  const patterns = raw.patternProperties as Record<string, StructuralSchema> | undefined;
  if (!patterns) return {};
  const [values, ...others] = Object.values(patterns);
  if (!values || others.length > 0 || raw.properties) {
    throw mixed(path);
  }
  return { additionalProperties: values };
}

const mixed = (path: string): SchemaError =>
  new SchemaError(`${path} mixes named fields and patterns: use mapOf for a map`);
