/** The fields in which two versions of an object differ, by field types. */
import { deepEqual, isRecord, type JsonRecord, own } from '../schema/json.ts';
import { EMPTY_SET, type FieldSet, type MutableSet, recursiveDifference } from './field-set.ts';
import { deduce, type FieldType, type ListType, type MapType } from './field-type.ts';
import { fieldElement, type PathElement, tryItemElement } from './path-element.ts';

export interface Comparison {
  readonly added: FieldSet;
  readonly removed: FieldSet;
  readonly modified: FieldSet;
}

type Change = keyof Comparison;
type Diff = { [change in Change]?: MutableSet };

const NO_CHANGE: Comparison = { added: EMPTY_SET, removed: EMPTY_SET, modified: EMPTY_SET };
const CHANGES: readonly Change[] = ['added', 'removed', 'modified'];

export function compare(before: unknown, after: unknown, type: FieldType): Comparison {
  const diff: Diff = {};
  if (before !== after) compareValue(before, after, type, diff);
  return { ...NO_CHANGE, ...diff };
}

export function isSame(comparison: Comparison): boolean {
  return CHANGES.every((change) => comparison[change].size === 0);
}

/** Without these fields and everything below them. */
export function ignoring(comparison: Comparison, ignored: FieldSet): Comparison {
  if (ignored.size === 0) return comparison;
  return {
    added: recursiveDifference(comparison.added, ignored),
    removed: recursiveDifference(comparison.removed, ignored),
    modified: recursiveDifference(comparison.modified, ignored),
  };
}

/** Adds differences below to `diff`; returns what happened to the value itself. */
function compareValue(before: unknown, after: unknown, type: FieldType, diff: Diff): Change | undefined {
  const left = deduce(type, before);
  const right = deduce(type, after);
  if (after === undefined) return compareAs(left, before, after, diff);
  if (before === undefined || sameAlternative(left, right)) return compareAs(right, before, after, diff);
  // The type changed: the old value was removed, the new one added.
  const first = compareAs(left, before, after, diff);
  return compareAs(right, before, after, diff) ?? first;
}

function sameAlternative(a: FieldType, b: FieldType): boolean {
  return a === b || (a.map === b.map && a.list === b.list && a.scalar === b.scalar);
}

function compareAs(type: FieldType, before: unknown, after: unknown, diff: Diff): Change | undefined {
  if (type.map) {
    const left = isRecord(before) ? before : undefined;
    const right = isRecord(after) ? after : undefined;
    if (type.map.atomic || (isEmptyRecord(left) && isEmptyRecord(right))) return leaf(before, after);
    compareFields(type.map, left, right, diff);
    return presence(before, after);
  }
  if (type.scalar || !type.list) return leaf(before, after);
  const left = Array.isArray(before) ? before : [];
  const right = Array.isArray(after) ? after : [];
  if (type.list.atomic || (left.length === 0 && right.length === 0)) return leaf(before, after);
  compareItems(type.list, left, right, diff);
  return presence(before, after);
}

function isEmptyRecord(record: JsonRecord | undefined): boolean {
  if (record) for (const _ in record) return false;
  return true;
}

function presence(before: unknown, after: unknown): Change | undefined {
  if (before === undefined) return 'added';
  return after === undefined ? 'removed' : undefined;
}

function leaf(before: unknown, after: unknown): Change | undefined {
  return presence(before, after) ?? (deepEqual(before, after) ? undefined : 'modified');
}

function compareFields(
  type: MapType,
  left: JsonRecord | undefined,
  right: JsonRecord | undefined,
  diff: Diff,
): void {
  if (left) {
    for (const name of Object.keys(left)) {
      compareField(type, name, left[name], right ? own(right, name) : undefined, diff);
    }
  }
  if (right) {
    for (const name of Object.keys(right)) {
      if (!left || !Object.hasOwn(left, name)) compareField(type, name, undefined, right[name], diff);
    }
  }
}

function compareField(type: MapType, name: string, before: unknown, after: unknown, diff: Diff): void {
  if (before === after) return;
  const field = type.field(name);
  if (field) compareChild(fieldElement(name), before, after, field, diff);
}

function compareChild(
  element: PathElement,
  before: unknown,
  after: unknown,
  type: FieldType,
  diff: Diff,
): void {
  const below: Diff = {};
  const change = compareValue(before, after, type, below);
  for (const each of CHANGES) place(diff, each, element, change === each, below[each]);
}

function place(
  diff: Diff,
  change: Change,
  element: PathElement,
  owned: boolean,
  children: MutableSet | undefined,
): void {
  if (!owned && !children) return;
  let set = diff[change];
  if (!set) {
    set = new Map();
    diff[change] = set;
  }
  const there = set.get(element);
  set.set(element, {
    owned: owned || (there?.owned ?? false),
    children: children ?? there?.children ?? EMPTY_SET,
  });
}

function group(type: ListType, items: readonly unknown[]): Map<PathElement, unknown[]> {
  const groups = new Map<PathElement, unknown[]>();
  for (const item of items) {
    const element = tryItemElement(type, item);
    if (element === undefined) continue;
    const there = groups.get(element);
    if (there) there.push(item);
    else groups.set(element, [item]);
  }
  return groups;
}

/** Items are matched by key. Duplicates count as one value. */
function compareItems(type: ListType, left: readonly unknown[], right: readonly unknown[], diff: Diff): void {
  const before = group(type, left);
  const after = group(type, right);
  for (const [element, items] of before) compareGroup(type, element, items, after.get(element) ?? [], diff);
  for (const [element, items] of after) {
    if (!before.has(element)) compareGroup(type, element, [], items, diff);
  }
}

function compareGroup(
  type: ListType,
  element: PathElement,
  before: readonly unknown[],
  after: readonly unknown[],
  diff: Diff,
): void {
  const wasRepeated = before.length > 1;
  const isRepeated = after.length > 1;
  if (wasRepeated && isRepeated) {
    if (!deepEqual(before, after)) place(diff, 'modified', element, true, undefined);
  } else if (wasRepeated) {
    if (after.length > 0) compareChild(element, undefined, after[0], type.element(), diff);
    place(diff, 'removed', element, true, undefined);
  } else if (isRepeated) {
    if (before.length > 0) compareChild(element, before[0], undefined, type.element(), diff);
    place(diff, 'added', element, true, undefined);
  } else if (before[0] !== after[0]) {
    compareChild(element, before[0], after[0], type.element(), diff);
  }
}
