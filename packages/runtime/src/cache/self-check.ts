/**
 * A check on the server, and on us: that a watch-list gave the same state as a plain list of the same version.
 * Costs a full list, so it is for debugging and for tests.
 */
import type { KubernetesObject } from '../model/types.ts';
import { keyString } from '../model/types.ts';
import type { ReflectorApi } from '../reflector/api.ts';
import type { Cached } from './informer.ts';

export interface Difference {
  /** `namespace/name`. */
  readonly key: string;
  /** The version in the cache; `undefined` when it is not there. */
  readonly cached: string | undefined;
  readonly listed: string | undefined;
}

/** Versions by key: what two states are compared by. */
export function versionsOf(objects: Iterable<Cached>): Map<string, string> {
  const versions = new Map<string, string>();
  for (const { metadata } of objects) versions.set(keyString(metadata), metadata.resourceVersion);
  return versions;
}

/** Compares `cached` with what the server lists at exactly `resourceVersion`. */
export async function compareWithList<T extends KubernetesObject>(
  api: Pick<ReflectorApi<T>, 'listPage'>,
  cached: ReadonlyMap<string, string>,
  resourceVersion: string,
  signal: AbortSignal,
): Promise<Difference[]> {
  const differences: Difference[] = [];
  const left = new Map(cached);
  const compare = ({ metadata }: Cached): void => {
    const key = keyString(metadata);
    const version = left.get(key);
    left.delete(key);
    if (version !== metadata.resourceVersion)
      differences.push({ key, cached: version, listed: metadata.resourceVersion });
  };
  await api.listPage({ resourceVersion, resourceVersionMatch: 'Exact' }, compare, signal);
  for (const [key, version] of left) differences.push({ key, cached: version, listed: undefined });
  return differences;
}
