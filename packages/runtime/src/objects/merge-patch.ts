/** JSON merge patches (RFC 7396) between two states: computed, applied, and rebased onto a third. */
import { deepEqual, isMap, type JsonMap, own } from './equality.ts';

/** The patch that turns `from` into `to`; undefined when there is nothing to do. Lists are replaced as a whole. */
export function mergeDiff(from: unknown, to: unknown): unknown {
  if (!isMap(from) || !isMap(to)) return deepEqual(from, to) ? undefined : (to ?? null);
  const patch = newMap();
  for (const [name, value] of Object.entries(from)) {
    if (value !== undefined && (own(to, name) ?? null) === null) patch[name] = null;
  }
  for (const [name, value] of Object.entries(to)) {
    if (value === undefined || value === null) continue;
    const inner = mergeDiff(own(from, name), value);
    if (inner !== undefined) patch[name] = inner;
  }
  return Object.keys(patch).length > 0 ? patch : undefined;
}

export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isMap(patch)) return patch;
  const result = newMap();
  if (isMap(target)) Object.assign(result, target);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = applyMergePatch(result[name], value);
  }
  return result;
}

/**
 * Rebases `ours`, made from `base`, onto `theirs`: only our own changes count, and of a list of conditions only the
 * conditions that we changed.
 */
export function rebase(base: unknown, ours: unknown, theirs: unknown): unknown {
  if (deepEqual(base, ours)) return theirs;
  if (isMap(ours) && isMap(theirs)) return rebaseMap(isMap(base) ? base : {}, ours, theirs);
  if (isConditionList(ours) && isConditionList(theirs)) {
    return Object.values(rebaseMap(byType(isConditionList(base) ? base : []), byType(ours), byType(theirs)));
  }
  return ours;
}

function rebaseMap(base: JsonMap, ours: JsonMap, theirs: JsonMap): JsonMap {
  const result = newMap();
  for (const name of new Set([...Object.keys(theirs), ...Object.keys(ours)])) {
    const value = rebase(own(base, name), own(ours, name), own(theirs, name));
    if (value !== undefined) result[name] = value;
  }
  return result;
}

function isConditionList(value: unknown): value is readonly { readonly type: string }[] {
  return Array.isArray(value) && value.every((item) => isMap(item) && typeof item.type === 'string');
}

function byType(list: readonly { readonly type: string }[]): JsonMap {
  const map = newMap();
  for (const item of list) map[item.type] = item;
  return map;
}

/** Without a prototype: names come from users' objects, and `__proto__` is a valid one. */
function newMap(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>;
}
