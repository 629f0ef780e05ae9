/**
 * Does the live object already hold what we want?
 *
 * The API server fills in defaults, and other programs add fields of their own, so a plain comparison of a
 * desired spec with a live one finds differences for ever. Here only what the intent sets is compared:
 * - a field that the intent leaves out is left alone; `null` asks for its absence;
 * - a list is wanted as a whole: same length, each element compared in the same way, in order;
 * - maps whose keys belong to the object's author (`data` and its like) are wanted exactly, keys and all.
 */
import { isMap, type JsonMap, own } from './equality.ts';

/** Nothing fills these in by itself, so a key that is there and not wanted is a leftover of an older intent. */
const EXACT_MAPS: ReadonlySet<string> = new Set(['data', 'binaryData', 'matchLabels', 'nodeSelector']);

/** The merge patch that brings `live` to `intent`; undefined when nothing is missing. */
export function intentPatch(intent: unknown, live: unknown): unknown {
  return difference(intent, live, false);
}

function difference(intent: unknown, live: unknown, exact: boolean): unknown {
  if (intent === undefined) return undefined;
  if (intent === null) return live === undefined || live === null ? undefined : null;
  if (Array.isArray(intent)) return listHolds(intent, live) ? undefined : intent;
  if (isMap(intent)) return mapDifference(intent, live, exact);
  return Object.is(intent, live) ? undefined : intent;
}

function listHolds(intent: readonly unknown[], live: unknown): boolean {
  if (!Array.isArray(live)) return intent.length === 0 && (live === undefined || live === null);
  if (live.length !== intent.length) return false;
  return intent.every((item, index) => difference(item, live[index], false) === undefined);
}

function mapDifference(intent: JsonMap, live: unknown, exact: boolean): unknown {
  const have: JsonMap = isMap(live) ? live : {};
  const patch = Object.create(null) as Record<string, unknown>;
  for (const [name, value] of Object.entries(intent)) {
    const inner = difference(value, own(have, name), EXACT_MAPS.has(name));
    if (inner !== undefined) patch[name] = inner;
  }
  if (exact) {
    for (const name of Object.keys(have)) if (!Object.hasOwn(intent, name)) patch[name] = null;
  }
  if (Object.keys(patch).length > 0) return patch;
  // An empty map against something that is no map at all (a string, a list) is a difference; against nothing it is not.
  return isMap(live) || live === undefined || live === null ? undefined : {};
}
