/** Plain data, as JSON and YAML have it, as CEL's values: integers are integers, and no object has inherited fields. */

export function toCel(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? integer(value) : value;
  if (Array.isArray(value)) return value.map(toCel);
  if (value instanceof Map || value instanceof Date) return value;
  if (typeof value === 'object' && value !== null) {
    return new Map(Object.entries(value).map(([key, child]) => [key, toCel(child)]));
  }
  return value === undefined ? null : value;
}

/** What 64 bits cannot hold stays a double. */
function integer(value: number): bigint | number {
  return Math.abs(value) < 2 ** 63 ? BigInt(value) : value;
}
