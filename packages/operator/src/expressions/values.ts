/**
 * Converts plain data, from JSON or YAML, to CEL's values: integers become integers, and no object has inherited
 * fields.
 */

export function toCel(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? integer(value) : value;
  if (Array.isArray(value)) return value.map(toCel);
  if (value instanceof Map || value instanceof Date) return value;
  if (typeof value === 'object' && value !== null) {
    return new Map(Object.entries(value).map(([key, child]) => [key, toCel(child)]));
  }
  return value === undefined ? null : value;
}

/** A value that does not fit into 64 bits stays a double. */
function integer(value: number): bigint | number {
  return Math.abs(value) < 2 ** 63 ? BigInt(value) : value;
}
