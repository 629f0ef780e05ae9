/**
 * Field sets, as managers own them: a tree of path elements, each of which may itself be a member. Sets are
 * immutable; an operation that changes nothing returns its argument. No set has a branch without members.
 */
import type { PathElement } from './path-element.ts';

export interface FieldNode {
  readonly owned: boolean;
  readonly children: FieldSet;
}
export type FieldSet = ReadonlyMap<PathElement, FieldNode>;

export const EMPTY_SET: FieldSet = new Map();
export const LEAF: FieldNode = { owned: true, children: EMPTY_SET };

/** Builds a set before it is used. */
export type MutableSet = Map<PathElement, FieldNode>;

/** Adds an element to `target`, with everything below it. Mutates `target`. */
export function put(target: MutableSet, element: PathElement, owned: boolean, children: FieldSet): void {
  if (owned || children.size > 0) {
    target.set(element, children.size === 0 ? LEAF : { owned, children });
  }
}

/** The set of these paths, each a list of elements. */
export function setOf(...paths: readonly (readonly PathElement[])[]): FieldSet {
  let result = EMPTY_SET;
  for (const path of paths) {
    let single: FieldSet = EMPTY_SET;
    for (let i = path.length - 1; i >= 0; i--) {
      const owned = i === path.length - 1;
      single = new Map([[path[i] as PathElement, owned ? LEAF : { owned, children: single }]]);
    }
    result = union(result, single);
  }
  return result;
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || b.size === 0) return a;
  if (a.size === 0) return b;
  let result: MutableSet | undefined;
  for (const [element, node] of b) {
    const mine = a.get(element);
    if (!mine) {
      result ??= new Map(a);
      result.set(element, node);
      continue;
    }
    const children = union(mine.children, node.children);
    const owned = mine.owned || node.owned;
    if (children !== mine.children || owned !== mine.owned) {
      result ??= new Map(a);
      result.set(element, { owned, children });
    }
  }
  return result ?? a;
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  const result: MutableSet = new Map();
  for (const [element, node] of a) {
    const other = b.get(element);
    if (other) put(result, element, node.owned && other.owned, intersection(node.children, other.children));
  }
  return result.size === 0 ? EMPTY_SET : result;
}

/** Members of `a` that are not members of `b`; what is below a member of `b` stays. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, false);
}

/** Like `difference`, but a member of `b` also removes everything below it. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, true);
}

function subtract(a: FieldSet, b: FieldSet, recursive: boolean): FieldSet {
  if (a.size === 0 || b.size === 0) return a;
  let result: MutableSet | undefined;
  for (const [element, node] of a) {
    const other = b.get(element);
    if (!other) continue;
    const owned = node.owned && !other.owned;
    const children =
      recursive && other.owned ? EMPTY_SET : subtract(node.children, other.children, recursive);
    if (owned === node.owned && children === node.children) continue;
    result ??= new Map(a);
    if (owned || children.size > 0) result.set(element, { owned, children });
    else result.delete(element);
  }
  return result ?? a;
}

/** Every member's path: an element's own members first, then deeper ones, in the server's order of conflicts. */
export function* paths(
  set: FieldSet,
  prefix: readonly PathElement[] = [],
): Generator<readonly PathElement[]> {
  const elements = [...set.keys()].sort();
  for (const element of elements) {
    if (set.get(element)?.owned) yield [...prefix, element];
  }
  for (const element of elements) {
    const children = set.get(element)?.children;
    if (children && children.size > 0) yield* paths(children, [...prefix, element]);
  }
}
