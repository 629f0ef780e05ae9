/** Reads and fills plain JSON of unknown shape. Nothing here throws. */
import { isRecord } from '../schema/json.ts';

/** `setField` is for names that a client chose: `__proto__` is an ordinary name. */
export { isRecord, setKey as setField } from '../schema/json.ts';

export type Fields = Record<string, unknown>;

/** Null counts as absent, as in the API. */
export const isAbsent = (value: unknown): value is undefined | null => value === undefined || value === null;

export const record = (value: unknown): Fields => (isRecord(value) ? value : {});
export const array = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
export const records = (value: unknown): Fields[] => array(value).filter(isRecord);
export const text = (value: unknown): string => (typeof value === 'string' ? value : '');
export const integer = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** A map of strings; entries of other types are omitted. */
export function strings(value: unknown): Record<string, string> {
  const isText = (entry: [string, unknown]): entry is [string, string] => typeof entry[1] === 'string';
  return Object.fromEntries(Object.entries(record(value)).filter(isText));
}

export function dig(value: unknown, ...path: readonly string[]): unknown {
  let current = value;
  for (const key of path) {
    if (!isRecord(current) || !Object.hasOwn(current, key)) return undefined;
    current = current[key];
  }
  return current;
}

/** The object under `key`, created if absent. A value that is no object is left unchanged. */
export function ensure(parent: Fields, key: string): Fields {
  const existing = parent[key];
  if (isRecord(existing)) return existing;
  const made: Fields = {};
  if (isAbsent(existing)) parent[key] = made;
  return made;
}

/** Fills each field that is absent. */
export function fill(target: Fields, defaults: Fields): void {
  for (const [key, value] of Object.entries(defaults)) if (isAbsent(target[key])) target[key] = value;
}

/** Fills each field that is absent, an empty string or zero: fields that are no pointers upstream. */
export function fillEmpty(target: Fields, defaults: Fields): void {
  for (const [key, value] of Object.entries(defaults)) {
    const current = target[key];
    if (isAbsent(current) || current === '' || current === 0) target[key] = value;
  }
}

/** Equal as JSON; an absent field, null, an empty list and an empty map are equal, as upstream compares. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isEmpty(a) && isEmpty(b)) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => same(item, b[index]));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  for (const key in a) if (!same(a[key], Object.hasOwn(b, key) ? b[key] : undefined)) return false;
  for (const key in b) if (!Object.hasOwn(a, key) && !isEmpty(b[key])) return false;
  return true;
}

function isEmpty(value: unknown): boolean {
  if (isAbsent(value)) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.keys(value).length === 0;
}
