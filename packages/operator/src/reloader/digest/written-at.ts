/**
 * The last write of certain fields according to managedFields. In: the entries and a predicate. Out: seconds since the
 * epoch, and the manager. An upper bound: that write of the manager may have changed another of its fields.
 */
import type { ManagedFieldsEntry, ObjectMeta } from '@reloader/runtime';

export type FieldsMap = Readonly<Record<string, unknown>>;

export interface LastWrite {
  /** Seconds since the epoch. */
  readonly at: number;
  /** The field manager; empty if none is named, or if several wrote in that second. */
  readonly by: string;
}

/** The newest entry that `touches` accepts; the creation if there is none. */
export function lastWrite(
  metadata: ObjectMeta,
  touches: (fields: FieldsMap, entry: ManagedFieldsEntry) => boolean,
): LastWrite {
  let at = secondsOf(metadata.creationTimestamp);
  let by: string | undefined;
  for (const entry of listOf(metadata.managedFields)) {
    const fields = entry?.fieldsV1;
    if (!isFields(fields) || !touches(fields, entry)) continue;
    const time = secondsOf(entry.time);
    if (time < at) continue;
    const { manager = '' } = entry;
    by = time > at || by === undefined || by === manager ? manager : '';
    at = time;
  }
  return { at, by: by ?? '' };
}

/** The last one: an object was often created and written in the same second, and so were its neighbours. */
let lastTime = '';
let lastSeconds = 0;

export function secondsOf(time: string | undefined): number {
  if (time === undefined) return 0;
  if (time !== lastTime) {
    const ms = Date.parse(time);
    lastSeconds = Number.isNaN(ms) ? 0 : Math.floor(ms / 1000);
    lastTime = time;
  }
  return lastSeconds;
}

/** Follows `f:spec`, `f:template` … into a fields map. */
export function ownsField(fields: FieldsMap, ...path: readonly string[]): boolean {
  let at: unknown = fields;
  for (const name of path) {
    if (!isFields(at) || !Object.hasOwn(at, name)) return false;
    at = at[name];
  }
  return true;
}

function isFields(value: unknown): value is FieldsMap {
  return typeof value === 'object' && value !== null;
}

function listOf<T>(value: readonly T[] | undefined): readonly T[] {
  return Array.isArray(value) ? value : [];
}
