/**
 * Safe handling of untrusted JSON: `__proto__` or `constructor` is an ordinary key. Read through `own`, write through
 * `setKey`, and no key can reach a prototype.
 */
export type JsonRecord = Record<string, unknown>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object's own value under `key`. */
export function own(object: JsonRecord, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Changes `object`. */
export function setKey(object: JsonRecord, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else object[key] = value;
}

/** `object` without `key`; itself when it has no such key. */
export function withoutKey(object: JsonRecord, key: string): JsonRecord {
  if (!Object.hasOwn(object, key)) return object;
  const copy = { ...object };
  delete copy[key];
  return copy;
}

/** `object` with `key` set; itself when the value is the same. */
export function withKey(object: JsonRecord, key: string, value: unknown): JsonRecord {
  if (Object.hasOwn(object, key) && object[key] === value) return object;
  const copy = { ...object };
  setKey(copy, key, value);
  return copy;
}

/** Equal as JSON values: the order of keys does not count, that of items does. */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => deepEqual(item, b[index]));
  }
  if (Array.isArray(b)) return false;
  const left = a as JsonRecord;
  const right = b as JsonRecord;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(right, key) || !deepEqual(left[key], right[key])) return false;
  }
  return true;
}

/** JSON as Go writes it: with `<`, `>` and `&` escaped, for comparison with a real server. */
export function goJson(value: unknown): string {
  const text = JSON.stringify(value);
  return /[<>&\u2028\u2029]/.test(text)
    ? text.replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : text;
}

/** A value's type as named in messages. */
export function jsonTypeOf(value: unknown): 'null' | 'array' | 'object' | 'string' | 'number' | 'boolean' {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'object' || type === 'string' || type === 'number' || type === 'boolean' ? type : 'null';
}

/** Maximum nesting: a deeper body is refused before anything recurses into it. */
export const MAX_DEPTH = 256;

export function isTooDeep(value: unknown, limit = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (limit === 0) return true;
  for (const child of Array.isArray(value) ? value : Object.values(value)) {
    if (typeof child === 'object' && child !== null && isTooDeep(child, limit - 1)) return true;
  }
  return false;
}
