/**
 * A deep copy of a JSON value. Several times faster than `structuredClone`, which also handles other types and
 * cycles.
 */
export function copyJson<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyJson) as T;
  const copy: Record<string, unknown> = {};
  for (const key in value) {
    // Assigning to this key would change the prototype instead of adding a key.
    if (key === '__proto__') Object.defineProperty(copy, key, { value: copyJson(value[key]), ...PLAIN });
    else copy[key] = copyJson(value[key]);
  }
  return copy as T;
}

const PLAIN = { writable: true, enumerable: true, configurable: true } as const;
