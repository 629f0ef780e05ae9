/** The field set of an object: the fields that a manager owns after applying it. */
import { isRecord } from '../schema/json.ts';
import { EMPTY_SET, type FieldSet, type MutableSet, put } from './field-set.ts';
import { deduce, type FieldType, type ListType, type MapType } from './field-type.ts';
import { fieldElement, tryItemElement } from './path-element.ts';

interface Fields {
  readonly owned: boolean;
  readonly children: FieldSet;
}

const NOTHING: Fields = { owned: false, children: EMPTY_SET };
const ITSELF: Fields = { owned: true, children: EMPTY_SET };

export function fieldSetOf(value: unknown, type: FieldType): FieldSet {
  return fieldsOf(value, type).children;
}

function fieldsOf(value: unknown, type: FieldType): Fields {
  const { map, scalar, list } = deduce(type, value);
  if (map) {
    if (map.atomic) return ITSELF;
    return isRecord(value) ? { owned: false, children: fieldsOfMap(value, map) } : NOTHING;
  }
  if (scalar || !list || list.atomic) return ITSELF;
  return Array.isArray(value) ? { owned: false, children: fieldsOfList(value, list) } : NOTHING;
}

function fieldsOfMap(value: Record<string, unknown>, type: MapType): FieldSet {
  const result: MutableSet = new Map();
  for (const name of Object.keys(value)) {
    const child = value[name];
    const childType = type.field(name);
    if (child === undefined || !childType) continue;
    const fields = fieldsOf(child, childType);
    const isEmpty = child === null || (isRecord(child) && Object.keys(child).length === 0);
    // A struct field exists through its content; a map key exists because it was added.
    put(result, fieldElement(name), fields.owned || isEmpty || !type.has(name), fields.children);
  }
  return result;
}

function fieldsOfList(items: readonly unknown[], type: ListType): FieldSet {
  const result: MutableSet = new Map();
  for (const item of items) {
    const element = tryItemElement(type, item);
    if (element === undefined) continue;
    // A duplicate item is one value without parts.
    const children = result.has(element) ? EMPTY_SET : fieldsOf(item, type.element()).children;
    put(result, element, true, children);
  }
  return result;
}

/** `set` plus every struct field on the way to its members: removed if everything below is removed. */
export function withNamedFields(set: FieldSet, type: FieldType | undefined): FieldSet {
  const result: MutableSet = new Map();
  for (const [element, node] of set) {
    const isField = element.startsWith('f:');
    const name = element.slice(2);
    const below = isField
      ? type?.map?.field(name)
      : element.startsWith('k:')
        ? type?.list?.element()
        : undefined;
    const named = isField && node.children.size > 0 && (type?.map?.has(name) ?? false);
    put(result, element, node.owned || named, withNamedFields(node.children, below));
  }
  return result;
}
