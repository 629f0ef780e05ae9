/**
 * One element of a field path, written as in fieldsV1: `f:NAME` a field, `k:{…}` the list item with these keys, `v:…`
 * the item of a set, `i:N` an index. The text is canonical, so equal elements are equal strings.
 */
import { goJson, isRecord, type JsonRecord } from '../schema/json.ts';
import type { ListType } from './field-type.ts';

export type PathElement = string;

export const fieldElement = (name: string): PathElement => `f:${name}`;

/** Why an item of a set or keyed list cannot be identified, in the server's words. */
export class ListItemError extends Error {
  override name = 'ListItemError';
}

/** The path element of `item` in a set or keyed list. Throws `ListItemError`. */
export function itemElement(type: ListType, item: unknown): PathElement {
  if (type.keys.length > 0) return keyedElement(type, item);
  if (isRecord(item))
    throw new ListItemError("associative list without keys has an element that's a map type");
  if (Array.isArray(item)) throw new ListItemError('not supported: associative list with lists as elements');
  if (item === null) {
    throw new ListItemError("associative list without keys has an element that's an explicit null");
  }
  return `v:${goJson(item)}`;
}

function keyedElement(type: ListType, item: unknown): PathElement {
  if (item === null) throw new ListItemError('associative list with keys may not have a null element');
  if (!isRecord(item)) throw new ListItemError('associative list with keys may not have non-map elements');
  let text = '';
  for (const key of type.keys) {
    const value = Object.hasOwn(item, key) ? item[key] : type.keyDefault(key);
    if (value !== undefined) text += `${text ? ',' : ''}${goJson(key)}:${goJson(value)}`;
  }
  if (text === '') {
    const keys = `[${type.keys.map((key) => `"${key}"`).join(' ')}]`;
    throw new ListItemError(
      `associative list with keys has an element that omits all key fields ${keys} (and doesn't have default values for any key fields)`,
    );
  }
  return `k:{${text}}`;
}

/** Like `itemElement`; undefined for an invalid item. */
export function tryItemElement(type: ListType, item: unknown): PathElement | undefined {
  try {
    return itemElement(type, item);
  } catch (error) {
    if (error instanceof ListItemError) return undefined;
    throw error;
  }
}

/** The canonical text of a client's path element; undefined if it is invalid. */
export function canonicalElement(text: string): PathElement | undefined {
  const body = text.slice(2);
  switch (text.slice(0, 2)) {
    case 'f:':
      return text;
    case 'i:':
      return /^-?\d+$/.test(body) ? text : undefined;
    case 'v:':
      return reparse(body, (value) => `v:${goJson(value)}`);
    case 'k:':
      return reparse(body, (value) => (isRecord(value) ? `k:${sortedJson(value)}` : undefined));
    default:
      return undefined;
  }
}

function reparse(text: string, write: (value: unknown) => string | undefined): string | undefined {
  try {
    return write(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function sortedJson(keys: JsonRecord): string {
  const parts = Object.keys(keys)
    .sort()
    .map((key) => `${goJson(key)}:${goJson(keys[key])}`);
  return `{${parts.join(',')}}`;
}

/** A path element as printed in messages: `.spec`, `[name="app"]`, `[="a"]`, `[0]`. */
export function printElement(element: PathElement): string {
  const body = element.slice(2);
  switch (element[0]) {
    case 'f':
      return `.${body}`;
    case 'k': {
      const keys = JSON.parse(body) as JsonRecord;
      return `[${Object.keys(keys)
        .map((key) => `${key}=${printValue(keys[key])}`)
        .join(',')}]`;
    }
    case 'v':
      return `[=${printValue(JSON.parse(body))}]`;
    default:
      return `[${body}]`;
  }
}

function printValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(printValue).join(',')}]`;
  if (!isRecord(value)) return String(value);
  return Object.keys(value)
    .map((key) => `${key}=${printValue(value[key])}`)
    .join('');
}
