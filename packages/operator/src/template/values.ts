/**
 * The values of templates. Go's `int` is a bigint and its `float64` a number, so that `1` and `1.0` differ; nil is
 * undefined. Objects are maps with sorted keys.
 */
export type Value = undefined | boolean | string | bigint | number | readonly Value[] | ValueMap;
export interface ValueMap {
  readonly [key: string]: Value;
}

export function isMap(value: Value): value is ValueMap {
  return typeof value === 'object' && !Array.isArray(value);
}

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

/** Converts data from JSON-like objects: whole numbers become ints, as far as they are exact. */
export function valueFrom(data: unknown): Value {
  return isValue(data) ? data : converted(data);
}

/** Mostly true, which saves the conversion. It may have a prototype, because only own fields are looked up. */
function isValue(data: unknown): data is Value {
  if (typeof data === 'number') return !Number.isSafeInteger(data);
  if (typeof data !== 'object') return typeof data !== 'function' && typeof data !== 'symbol';
  if (data === null) return false;
  if (Array.isArray(data)) return data.every(isValue);
  for (const key in data) if (!isValue((data as Record<string, unknown>)[key])) return false;
  return true;
}

function converted(data: unknown): Value {
  if (data === null || data === undefined) return undefined;
  if (typeof data === 'number') return Number.isSafeInteger(data) ? BigInt(data) : data;
  if (typeof data === 'boolean' || typeof data === 'string' || typeof data === 'bigint') return data;
  if (Array.isArray(data)) return data.map(converted);
  if (typeof data !== 'object') return undefined;
  const map: Record<string, Value> = Object.create(null);
  for (const [key, value] of Object.entries(data)) map[key] = converted(value);
  return map;
}

export function keysOf(map: ValueMap): string[] {
  return Object.keys(map).sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
}

/** Go's template.IsTrue. */
export function isTrue(value: Value): boolean {
  if (value === undefined) return false;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string') return value !== '';
  if (typeof value === 'bigint') return value !== 0n;
  if (typeof value === 'number') return value !== 0;
  return isList(value) ? value.length > 0 : Object.keys(value).length > 0;
}

/** The type name that Go's reflect uses in messages. */
export function typeName(value: Value): string {
  if (value === undefined) return '<nil>';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number') return 'float64';
  if (typeof value === 'string') return 'string';
  return isList(value) ? '[]interface {}' : 'map[string]interface {}';
}

/** About the number of characters that it prints as. */
export function sizeOf(value: Value): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object') return 8;
  let sum = 8;
  for (const each of isList(value) ? value : Object.values(value)) sum += 8 + sizeOf(each);
  return sum;
}
