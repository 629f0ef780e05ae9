/**
 * Decides whether the live object already matches the intent.
 *
 * The API server fills in defaults, and other programs add their own fields, so a plain comparison of a desired spec
 * with a live one would always find differences. Only fields that the intent sets are compared:
 * - a field that the intent omits is ignored; `null` asks for its absence;
 * - a list is compared as a whole: same length, each element compared in the same way, in order;
 * - maps with user-defined keys (`data` and the like) must match exactly, including their set of keys;
 * - amounts of resources match if they are the same number: the server stores `1000m` as `1`.
 */
import { isMap, type JsonMap, own } from './equality.ts';
import { sameAmount } from './quantity.ts';

/** Nothing else fills these in, so an unwanted key is left over from an older intent. */
const EXACT_MAPS: ReadonlySet<string> = new Set(['data', 'binaryData', 'matchLabels', 'nodeSelector']);

/** Maps of amounts, and single ones, in the built-in kinds. */
const AMOUNTS: ReadonlySet<string> = new Set(['requests', 'limits', 'hard', 'capacity', 'overhead']);
const AMOUNT: ReadonlySet<string> = new Set(['sizeLimit', 'averageValue', 'divisor']);

type Inside = 'exact' | 'amounts' | undefined;

/** The merge patch from `live` to `intent`; undefined if they match. */
export function intentPatch(intent: unknown, live: unknown): unknown {
  return difference(intent, live, undefined);
}

function difference(intent: unknown, live: unknown, inside: Inside): unknown {
  if (intent === undefined) return undefined;
  if (intent === null) return live === undefined || live === null ? undefined : null;
  if (Array.isArray(intent)) return listHolds(intent, live) ? undefined : intent;
  if (isMap(intent)) return mapDifference(intent, live, inside);
  return Object.is(intent, live) ? undefined : intent;
}

function listHolds(intent: readonly unknown[], live: unknown): boolean {
  if (!Array.isArray(live)) return intent.length === 0 && (live === undefined || live === null);
  if (live.length !== intent.length) return false;
  return intent.every((item, index) => difference(item, live[index], undefined) === undefined);
}

function mapDifference(intent: JsonMap, live: unknown, inside: Inside): unknown {
  const have: JsonMap = isMap(live) ? live : {};
  const patch = Object.create(null) as Record<string, unknown>;
  for (const [name, value] of Object.entries(intent)) {
    const held = own(have, name);
    if ((inside === 'amounts' || AMOUNT.has(name)) && sameAmount(value, held)) continue;
    const inner = difference(value, held, insideOf(name));
    if (inner !== undefined) patch[name] = inner;
  }
  if (inside === 'exact') {
    for (const name of Object.keys(have)) if (!Object.hasOwn(intent, name)) patch[name] = null;
  }
  if (Object.keys(patch).length > 0) return patch;
  // An empty map differs from a string or a list, but not from an absent value.
  return isMap(live) || live === undefined || live === null ? undefined : {};
}

function insideOf(name: string): Inside {
  if (EXACT_MAPS.has(name)) return 'exact';
  return AMOUNTS.has(name) ? 'amounts' : undefined;
}
