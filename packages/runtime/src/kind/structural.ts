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

const DROPPED = new Set(['$id', '$schema', 'const', 'anyOf', 'patternProperties']);

/**
 * A schema in the form of a CustomResourceDefinition; throws a `SchemaError` with the path of any part that has no
 * such form.
 */
export function structural(schema: unknown, path: string): StructuralSchema {
  const raw = JSON.parse(JSON.stringify(schema)) as StructuralSchema;
  return convert(raw, path);
}

function convert(raw: StructuralSchema, path: string): StructuralSchema {
  // The description comes first, for readers.
  const { description, type, ...rest } = raw;
  const result: StructuralSchema = {
    ...(description !== undefined && { description }),
    ...(type && { type }),
  };
  for (const [keyword, value] of Object.entries(rest)) if (!DROPPED.has(keyword)) result[keyword] = value;
  Object.assign(result, constants(raw, path), mapValues(raw, path));
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
  if (result.items) result.items = convert(result.items, `${path}[]`);
  const untyped = result.type === undefined && !result['x-kubernetes-int-or-string'];
  if (untyped && !result['x-kubernetes-preserve-unknown-fields']) {
    throw new SchemaError(
      `${path} has no type, and a CustomResourceDefinition needs one: use Type.String, Type.Object, oneOf, intOrString or anything`,
    );
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
  return { type: type === 'number' ? 'integer' : type, enum: values };
}

function mapValues(raw: StructuralSchema, path: string): Partial<StructuralSchema> {
  const patterns = raw.patternProperties as Record<string, StructuralSchema> | undefined;
  if (!patterns) return {};
  const [values, ...others] = Object.values(patterns);
  if (!values || others.length > 0 || raw.properties) {
    throw new SchemaError(`${path} mixes named fields and patterns: use mapOf for a map`);
  }
  return { additionalProperties: values };
}
