/** Merges an applied configuration into an object, by field types. */
import { isRecord, type JsonRecord, own, setKey } from '../schema/json.ts';
import { deduce, type FieldType, type ListType, type MapType } from './field-type.ts';
import { itemElement, type PathElement } from './path-element.ts';

/** `live` with everything in `applied`; unchanged parts are shared. */
export function merge(live: unknown, applied: unknown, type: FieldType): unknown {
  if (applied === undefined) return live;
  if (live === undefined || live === null) return applied;
  const { map, scalar, list } = deduce(type, applied);
  if (applied === null) return keepsParts(live, map, scalar === undefined ? list : undefined) ? live : null;
  if (map && !map.atomic && isRecord(live) && isRecord(applied)) return mergeMaps(live, applied, map);
  if (list && !list.atomic && Array.isArray(live) && Array.isArray(applied)) {
    return mergeLists(live, applied, list);
  }
  return applied;
}

/** Null for a map or list with partial ownership names none of its parts. */
function keepsParts(live: unknown, map: MapType | undefined, list: ListType | undefined): boolean {
  if (map) return !map.atomic && isRecord(live) && Object.keys(live).length > 0;
  return list !== undefined && !list.atomic && Array.isArray(live) && live.length > 0;
}

function mergeMaps(live: JsonRecord, applied: JsonRecord, type: MapType): unknown {
  let result: JsonRecord | undefined;
  for (const name of Object.keys(applied)) {
    const field = type.field(name);
    const before = own(live, name);
    const after = field ? merge(before, applied[name], field) : applied[name];
    if (after === before) continue;
    result ??= { ...live };
    setKey(result, name, after);
  }
  return result ?? live;
}

/** Applied items come in applied order; items that only `live` has keep their position relative to their neighbours. */
function mergeLists(live: readonly unknown[], applied: readonly unknown[], type: ListType): unknown {
  const liveElements = live.map((item) => itemElement(type, item));
  const appliedElements = applied.map((item) => itemElement(type, item));
  const inLive = index(liveElements, live);
  const inApplied = index(appliedElements, applied);
  const shared = appliedElements.filter((element) => inLive.has(element));
  const done = new Set<PathElement>();
  const result: unknown[] = [];
  const take = (element: PathElement): void => {
    done.add(element);
    result.push(merge(inLive.get(element), inApplied.get(element), type.element()));
    if (shared[0] === element) shared.shift();
  };

  let l = 0;
  let r = 0;
  while (l < live.length || r < applied.length) {
    const mine = liveElements[l];
    const theirs = appliedElements[r];
    if (mine !== undefined && mine === theirs) {
      take(mine);
      l++;
      r++;
      continue;
    }
    if (mine !== undefined) {
      const isShared = inApplied.has(mine);
      if (isShared && theirs !== undefined && shared.length > 0 && shared[0] !== mine) {
        l++;
        continue;
      }
      if (!isShared) {
        result.push(live[l]);
        l++;
        continue;
      }
      if (done.has(mine)) l++;
    }
    if (theirs !== undefined) {
      take(theirs);
      r++;
    }
  }
  return sameItems(result, live) ? live : result;
}

/** Items by key. Duplicates cannot be merged: they are replaced. */
function index(elements: readonly PathElement[], items: readonly unknown[]): Map<PathElement, unknown> {
  const found = new Map<PathElement, unknown>();
  elements.forEach((element, i) => {
    found.set(element, found.has(element) ? undefined : items[i]);
  });
  return found;
}

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i]);
}
