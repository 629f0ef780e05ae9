/** The parts of JSON schema that the tests of formats need. Out: one line for every place that does not match. */
export interface Schema {
  readonly type?: 'object' | 'array' | 'string' | 'boolean' | 'integer' | 'null';
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: RegExp;
  readonly maxLength?: number;
  readonly required?: readonly string[];
  /** No others are allowed. */
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly oneOf?: readonly Schema[];
}

export function misfits(value: unknown, schema: Schema, path = '$'): string[] {
  if (schema.oneOf) {
    const fitting = schema.oneOf.filter((each) => misfits(value, each, path).length === 0);
    return fitting.length === 1 ? [] : [`${path} fits ${fitting.length} of ${schema.oneOf.length} shapes`];
  }
  const found: string[] = [];
  const complain = (why: string): void => void found.push(`${path} ${why}`);
  if (schema.type && typeOf(value) !== schema.type)
    return [`${path} is ${typeOf(value)}, not ${schema.type}`];
  if ('const' in schema && value !== schema.const) complain(`is not ${JSON.stringify(schema.const)}`);
  if (schema.enum && !schema.enum.includes(value)) complain(`is none of ${schema.enum.join(', ')}`);
  if (typeof value === 'string') {
    if (schema.pattern && !schema.pattern.test(value)) complain(`does not match ${schema.pattern}`);
    if (schema.maxLength !== undefined && value.length > schema.maxLength) complain('is too long');
  }
  if (Array.isArray(value)) {
    if (value.length < (schema.minItems ?? 0)) complain('has too few items');
    if (value.length > (schema.maxItems ?? Number.POSITIVE_INFINITY)) complain('has too many items');
    const { items } = schema;
    if (items) found.push(...value.flatMap((item, index) => misfits(item, items, `${path}[${index}]`)));
  }
  if (typeOf(value) === 'object')
    found.push(...misfitsOfObject(value as Record<string, unknown>, schema, path));
  return found;
}

function misfitsOfObject(value: Record<string, unknown>, schema: Schema, path: string): string[] {
  const missing = (schema.required ?? [])
    .filter((name) => !(name in value))
    .map((name) => `${path}.${name} is missing`);
  const { properties } = schema;
  if (!properties) return missing;
  const inner = Object.entries(value).flatMap(([name, each]) => {
    const own = properties[name];
    return own ? misfits(each, own, `${path}.${name}`) : [`${path}.${name} is not a field of the format`];
  });
  return [...missing, ...inner];
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}
