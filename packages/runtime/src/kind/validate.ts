/**
 * Validates against a structural schema without a server: for tests, linters and admission. Only the server evaluates
 * CEL rules.
 */
import type { StructuralSchema } from './structural.ts';

/** One error, with the path of its field. */
export interface FieldProblem {
  /** `spec.ports[0].name`. */
  readonly field: string;
  readonly message: string;
}

/** The errors that the API server would report for a value, by field; empty if it is valid. */
export function problemsOf(schema: StructuralSchema, value: unknown, field = ''): FieldProblem[] {
  if (value === undefined) return [];
  const wrong = typeProblem(schema, value);
  if (wrong) return [{ field, message: wrong }];
  const found = limitProblems(schema, value).map((message) => ({ field, message }));
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items)
      value.forEach((item, index) => void found.push(...problemsOf(items, item, `${field}[${index}]`)));
  } else if (isMap(value)) found.push(...fieldProblems(schema, value, field));
  return found;
}

function fieldProblems(
  schema: StructuralSchema,
  value: Record<string, unknown>,
  field: string,
): FieldProblem[] {
  const at = (name: string): string => (field ? `${field}.${name}` : name);
  const found: FieldProblem[] = [];
  const { properties = {}, additionalProperties, 'x-kubernetes-preserve-unknown-fields': open } = schema;
  const schemaOf = (name: string): StructuralSchema | undefined => {
    if (Object.hasOwn(properties, name)) return properties[name];
    return typeof additionalProperties === 'object' ? additionalProperties : undefined;
  };
  // The server drops a null that the schema does not allow, and fills in defaults, before it validates.
  const isAbsent = (name: string): boolean =>
    value[name] === undefined || (value[name] === null && !schemaOf(name)?.nullable);
  for (const name of schema.required ?? []) {
    if (isAbsent(name) && schemaOf(name)?.default === undefined)
      found.push({ field: at(name), message: 'is required' });
  }
  for (const [name, content] of Object.entries(value)) {
    const own = schemaOf(name);
    if (own) {
      if (!isAbsent(name)) found.push(...problemsOf(own, content, at(name)));
    } else if (schema.properties && !open)
      found.push({ field: at(name), message: 'is not a field of this kind' });
  }
  return found;
}

function typeProblem(schema: StructuralSchema, value: unknown): string | undefined {
  const { type, nullable } = schema as StructuralSchema & { nullable?: boolean };
  if (value === null) return nullable ? undefined : 'must not be null';
  const got = Array.isArray(value) ? 'array' : typeof value;
  if (schema['x-kubernetes-int-or-string']) {
    return got === 'string' || Number.isInteger(value) ? undefined : 'must be a whole number or a text';
  }
  if (type === undefined) return undefined;
  if (type === 'integer') return Number.isInteger(value) ? undefined : `must be a whole number, not ${got}`;
  return got === type ? undefined : `must be ${type === 'array' ? 'a list' : `of type ${type}`}, not ${got}`;
}

function limitProblems(schema: StructuralSchema, value: unknown): string[] {
  const limit = (name: string): number | undefined =>
    typeof schema[name] === 'number' ? (schema[name] as number) : undefined;
  const found: string[] = [];
  const range = (size: number, low: string, high: string, what: string): void => {
    const [least, most] = [limit(low), limit(high)];
    if (least !== undefined && size < least) found.push(`must ${what} at least ${least}`);
    else if (size === least && low === 'minimum' && schema.exclusiveMinimum)
      found.push(`must be more than ${least}`);
    if (most !== undefined && size > most) found.push(`must ${what} at most ${most}`);
    else if (size === most && high === 'maximum' && schema.exclusiveMaximum)
      found.push(`must be less than ${most}`);
  };
  if (schema.enum && !schema.enum.includes(value)) found.push(`must be one of ${schema.enum.join(', ')}`);
  if (typeof value === 'number') {
    range(value, 'minimum', 'maximum', 'be');
    const step = limit('multipleOf');
    if (step !== undefined && !isWhole(value / step)) found.push(`must be a multiple of ${step}`);
  }
  if (typeof value === 'string') {
    range([...value].length, 'minLength', 'maxLength', 'have a length of');
    if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(value)) {
      found.push(`must match ${schema.pattern}`);
    }
    if (schema.format === 'date-time' && !isTime(value)) found.push('must be a time (RFC 3339)');
  } else if (Array.isArray(value)) range(value.length, 'minItems', 'maxItems', 'have a number of items of');
  else if (isMap(value))
    range(Object.keys(value).length, 'minProperties', 'maxProperties', 'have a number of keys of');
  return found;
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Within what is lost by a division: 0.3 is a multiple of 0.1. */
const isWhole = (value: number): boolean => Math.abs(value - Math.round(value)) < 1e-9;

const TIME = /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/** `Date.parse` alone also takes other forms, and a 31st of February. */
function isTime(text: string): boolean {
  const day = TIME.exec(text)?.[1];
  const start = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(start) && new Date(start).toISOString().startsWith(`${day}T`);
}
