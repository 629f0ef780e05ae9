/** A private copy of plain JSON, several times faster than structuredClone. */
export function cloneJson<T>(value: T): T {
  return copy(value) as T;
}

function copy(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(copy);
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const inner = copy((value as Record<string, unknown>)[key]);
    // Assigning to this name would set the prototype instead.
    if (key === '__proto__') Object.defineProperty(result, key, { value: inner, ...PLAIN });
    else result[key] = inner;
  }
  return result;
}

const PLAIN = { enumerable: true, configurable: true, writable: true };
