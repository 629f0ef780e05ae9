/** Field sets in the form of metadata.managedFields. Both directions are cached. */

import type { JsonObject } from '../model/object.ts';
import { isRecord, type JsonRecord, MAX_DEPTH, setKey } from '../schema/json.ts';
import { EMPTY_SET, type FieldSet, LEAF, type MutableSet, put } from './field-set.ts';
import { canonicalElement } from './path-element.ts';

// Stored objects are immutable, so a set and its JSON stay valid for as long as either lives.
const encoded = new WeakMap<FieldSet, JsonObject>();
const decoded = new WeakMap<object, FieldSet>();

export function encodeFieldsV1(set: FieldSet): JsonObject {
  const known = encoded.get(set);
  if (known) return known;
  const json = encode(set) as JsonObject;
  encoded.set(set, json);
  decoded.set(json, set);
  return json;
}

function encode(set: FieldSet): JsonRecord {
  const json: JsonRecord = {};
  for (const element of [...set.keys()].sort()) {
    const node = set.get(element) ?? LEAF;
    const children = node.children.size > 0 ? encode(node.children) : {};
    setKey(json, element, node.owned && node.children.size > 0 ? { '.': {}, ...children } : children);
  }
  return json;
}

/** The error of a client's invalid fieldsV1. */
export class FieldsV1Error extends Error {
  override name = 'FieldsV1Error';
}

/** Throws `FieldsV1Error` for an invalid field set. */
export function decodeFieldsV1(json: unknown): FieldSet {
  if (!isRecord(json)) throw new FieldsV1Error('fieldsV1 is not an object');
  const known = decoded.get(json);
  if (known) return known;
  const set = decode(json, MAX_DEPTH).children;
  decoded.set(json, set);
  return set;
}

function decode(json: JsonRecord, depth: number): { owned: boolean; children: FieldSet } {
  if (depth === 0) throw new FieldsV1Error('fieldsV1 is nested too deeply');
  const children: MutableSet = new Map();
  let owned = false;
  for (const [text, below] of Object.entries(json)) {
    if (!isRecord(below)) throw new FieldsV1Error(`fieldsV1 has no object under ${text}`);
    if (text === '.') {
      owned = true;
      continue;
    }
    const element = canonicalElement(text);
    if (element === undefined) throw new FieldsV1Error(`fieldsV1 has no path element ${text}`);
    const node = decode(below, depth - 1);
    // An element with nothing below it is itself the member.
    put(children, element, node.owned || node.children.size === 0, node.children);
  }
  return { owned, children: children.size === 0 ? EMPTY_SET : children };
}
