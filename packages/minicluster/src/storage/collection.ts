/** The objects of one resource: by key, in order, with their latest events. */
import type { KubeObject } from '../model/object.ts';
import type { EventLog } from './event-log.ts';
import type { SortedKeys } from './sorted-keys.ts';

export interface Collection {
  readonly objects: Map<string, KubeObject>;
  readonly keys: SortedKeys;
  readonly log: EventLog;
}

/** The objects of one resource as they stood at one revision. */
export interface Snapshot {
  readonly revision: number;
  get(key: string): KubeObject | undefined;
  /** Keys with this prefix, in order. */
  keys(prefix: string): string[];
}

export function currentSnapshot(collection: Collection, revision: number): Snapshot {
  return {
    revision,
    get: (key) => collection.objects.get(key),
    keys: (prefix) => collection.keys.withPrefix(prefix),
  };
}

/**
 * The collection at `revision`: the current objects with every later event undone. Undefined if the events needed for
 * that have expired.
 */
export function snapshotAt(collection: Collection, revision: number): Snapshot | undefined {
  const later = collection.log.since(revision);
  if (later === undefined) return undefined;
  if (later.length === 0) return currentSnapshot(collection, revision);
  const undone = new Map<string, KubeObject | undefined>();
  for (const event of later) if (!undone.has(event.key)) undone.set(event.key, event.old);
  const get = (key: string): KubeObject | undefined =>
    undone.has(key) ? undone.get(key) : collection.objects.get(key);
  return {
    revision,
    get,
    keys(prefix) {
      const keys = collection.keys.withPrefix(prefix).filter((key) => get(key) !== undefined);
      const gone = [...undone]
        .filter(([key, old]) => old && key.startsWith(prefix) && !collection.objects.has(key))
        .map(([key]) => key);
      return gone.length === 0 ? keys : [...keys, ...gone].sort();
    },
  };
}
