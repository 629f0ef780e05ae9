/** Lists in a strategic merge patch: merged by key or as sets, in the order that client and server agree on. */

import { StatusError } from '../model/status.ts';
import { deepEqual, isRecord, type JsonRecord, own } from '../schema/json.ts';
import { badPatchType, expectedType, noMergeKey, unforeseen } from './errors.ts';
import { goTypeName, goValue } from './go-values.ts';
import { DIRECTIVE } from './strategic-directives.ts';

type Items = readonly unknown[];

/** Merges a patch's item into the existing one. */
export type MergeItem = (before: JsonRecord, change: JsonRecord) => JsonRecord;

/** `$deleteFromPrimitiveList/LIST`. */
export function deleteFromList(before: Items, deleted: Items): unknown[] {
  const gone = new Set(deleted);
  return before.filter((item) => !gone.has(item));
}

/** Merges two lists whose items are identified by `mergeKey`, or by value if it is empty. */
export function mergeLists(before: Items, patch: Items, mergeKey: string, mergeItem: MergeItem): unknown[] {
  if (before.length === 0 && patch.length === 0) return [];
  if (!itemsAreMaps(before, patch)) {
    const merged = [...new Set([...before, ...patch])];
    return inOrder(merged, patch, before, '');
  }
  if (mergeKey === '') throw unforeseen('cannot merge lists without merge key for struct');
  const { original, changes } = applySpecialItems(before, patch as readonly JsonRecord[], mergeKey);
  const merged = mergeItems(original, changes, mergeKey, mergeItem);
  return inOrder(merged, changes, original, mergeKey);
}

/** All items must have the type of the first. */
function itemsAreMaps(...lists: Items[]): boolean {
  const types = lists.flat().map(goTypeName);
  const [first] = types;
  if (first === '[]interface {}') throw listOfLists();
  if (types.some((type) => type !== first)) {
    throw unforeseen(`list element types are not identical: ${goValue(lists)}`);
  }
  return first === 'map[string]interface {}';
}

/** The server has no other message for lists of lists. */
function listOfLists(): StatusError {
  return new StatusError(
    422,
    'Invalid',
    'the server rejected our request due to an error in our request',
    {},
  );
}

/** Items with `$patch`: `delete` removes an item, `replace` removes all existing ones. */
function applySpecialItems(
  before: Items,
  patch: readonly JsonRecord[],
  mergeKey: string,
): { original: Items; changes: readonly JsonRecord[] } {
  let original = before;
  let replaces = false;
  const changes: JsonRecord[] = [];
  for (const item of patch) {
    const directive = own(item, DIRECTIVE);
    if (directive === undefined) changes.push(item);
    else if (directive === 'replace') replaces = true;
    else if (directive === 'merge') throw unforeseen('merging lists cannot yet be specified in the patch');
    else if (directive === 'delete') {
      const key = own(item, mergeKey);
      if (key === undefined) throw noMergeKey(item, mergeKey);
      original = original.filter((each) => keyOf(each, mergeKey) !== key);
    } else throw badPatchType(directive, item);
  }
  return replaces ? { original: changes, changes: [] } : { original, changes };
}

function keyOf(item: unknown, mergeKey: string): unknown {
  if (mergeKey === '') return item;
  return isRecord(item) ? own(item, mergeKey) : undefined;
}

function mergeItems(
  original: Items,
  changes: readonly JsonRecord[],
  mergeKey: string,
  mergeItem: MergeItem,
): unknown[] {
  const merged = [...original];
  for (const change of changes) {
    const key = own(change, mergeKey);
    if (key === undefined) throw noMergeKey(change, mergeKey);
    const index = merged.findIndex((item) => keyOf(item, mergeKey) === key);
    if (index < 0) merged.push(change);
    else merged[index] = mergeItem(merged[index] as JsonRecord, change);
  }
  return merged;
}

/**
 * Items in `order` come in that order, the others in the server's order; if both are known to the server, its order
 * decides.
 */
function inOrder(merged: Items, order: Items, serverOrder: Items, mergeKey: string): unknown[] {
  const position = (list: Items): Map<unknown, number> => {
    const found = new Map<unknown, number>();
    list.forEach((item, index) => {
      const key = keyOf(item, mergeKey);
      if (!found.has(key)) found.set(key, index);
    });
    return found;
  };
  const wanted = position(order);
  const known = position(serverOrder);
  const at = (positions: Map<unknown, number>, item: unknown): number =>
    positions.get(keyOf(item, mergeKey)) ?? -1;
  const fromPatch = merged
    .filter((item) => at(wanted, item) >= 0)
    .sort((a, b) => at(wanted, a) - at(wanted, b));
  const others = merged.filter((item) => at(wanted, item) < 0).sort((a, b) => at(known, a) - at(known, b));

  const result: unknown[] = [];
  let i = 0;
  for (const item of fromPatch) {
    const place = at(known, item);
    while (place >= 0 && i < others.length && at(known, others[i]) < place && at(known, others[i]) >= 0) {
      result.push(others[i++]);
    }
    result.push(item);
  }
  return [...result, ...others.slice(i)];
}

export interface OrderedList {
  readonly mergeKey: string;
  /** Whether the field is merged; otherwise the patch replaces it before it is ordered. */
  readonly merges: boolean;
  readonly mergeItem: MergeItem;
}

/** The merged list in `order`; undefined if there is no list. */
export function orderLike(
  before: Items | undefined,
  patch: Items | undefined,
  order: Items,
  { mergeKey, merges, mergeItem }: OrderedList,
): unknown[] | undefined {
  checkOrder(patch ?? [], order, mergeKey);
  if (!before && !patch) return undefined;
  const merged = !patch
    ? (before as Items)
    : !before
      ? (removeDirectives(patch) as Items)
      : merges
        ? mergeLists(before, patch, mergeKey, mergeItem)
        : patch;
  return inOrder(merged, order, before ?? [], mergeKey);
}

/** A patch's items must be in its own `$setElementOrder`. */
function checkOrder(patch: Items, order: Items, mergeKey: string): void {
  if (patch.length === 0 || order.length === 0) return;
  const items = patch.filter((item) => {
    if (mergeKey !== '' && !isRecord(item)) throw expectedType('map[string]interface {}', item);
    return !(isRecord(item) && Object.hasOwn(item, DIRECTIVE));
  });
  let next = 0;
  for (const wanted of order) {
    const item = items[next];
    if (next < items.length && deepEqual(checkedKey(item, mergeKey), checkedKey(wanted, mergeKey))) next++;
  }
  if (next < items.length) {
    throw unforeseen(
      `The order in patch list:\n${goValue(patch)}\n doesn't match $setElementOrder list:\n${goValue(order)}\n`,
    );
  }
}

function checkedKey(item: unknown, mergeKey: string): unknown {
  if (mergeKey === '') return item;
  if (!isRecord(item)) throw expectedType('map[string]interface {}', item);
  const key = own(item, mergeKey);
  if (key === undefined) throw noMergeKey(item, mergeKey);
  return key;
}

/** `value` without parts that have `$patch`; undefined if it has one itself. */
export function removeDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(removeDirectives).filter((item) => item !== undefined);
  if (!isRecord(value)) return value;
  if (Object.hasOwn(value, DIRECTIVE)) return undefined;
  const entries = Object.entries(value).map(([key, child]) => [key, removeDirectives(child)] as const);
  return Object.fromEntries(entries.filter(([, child]) => child !== undefined));
}
