/** Removes fields from an object, by field types. */
import { isRecord, type JsonRecord, setKey } from '../schema/json.ts';
import type { FieldSet } from './field-set.ts';
import { deduce, type FieldType, type ListType, type MapType } from './field-type.ts';
import { fieldElement, tryItemElement } from './path-element.ts';

/** `object` without the members of `set`. Maps and lists that become empty are set to null. */
export function removeFields(object: JsonRecord, set: FieldSet, type: FieldType): JsonRecord {
  if (set.size === 0) return object;
  return (remove(object, set, type) as JsonRecord | null) ?? {};
}

function remove(value: unknown, set: FieldSet, type: FieldType): unknown {
  const { map, list } = deduce(type, value);
  if (map && isRecord(value)) return map.atomic ? null : removeFromMap(value, set, map);
  if (list && Array.isArray(value)) return list.atomic ? null : removeFromList(value, set, list);
  return value;
}

function removeFromMap(value: JsonRecord, set: FieldSet, type: MapType): JsonRecord | null {
  const result: JsonRecord = {};
  let isEmpty = true;
  for (const name of Object.keys(value)) {
    const node = set.get(fieldElement(name));
    if (node?.owned) continue;
    const field = type.field(name);
    isEmpty = false;
    setKey(result, name, node && field ? remove(value[name], node.children, field) : value[name]);
  }
  return isEmpty ? null : result;
}

function removeFromList(items: readonly unknown[], set: FieldSet, type: ListType): unknown[] | null {
  const result: unknown[] = [];
  for (const item of items) {
    const element = tryItemElement(type, item);
    const node = element === undefined ? undefined : set.get(element);
    if (!node?.owned) result.push(node ? remove(item, node.children, type.element()) : item);
  }
  return result.length > 0 ? result : null;
}
