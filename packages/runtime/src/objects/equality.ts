/** Comparing and reading JSON. */

/** Deep equality of JSON, whatever the order of keys. */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b)) return false;
    return a.length === b.length && a.every((item, index) => deepEqual(item, b[index]));
  }
  if (!isMap(a) || !isMap(b)) return false;
  for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
    if (!deepEqual(own(a, name), own(b, name))) return false;
  }
  return true;
}

export type JsonMap = Readonly<Record<string, unknown>>;

export function isMap(value: unknown): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own field by name, never an inherited one: `__proto__` may be an ordinary key. */
export function own(map: JsonMap, name: string): unknown {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}
