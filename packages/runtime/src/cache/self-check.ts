/**
 * Compares the state from a watch-list with a plain list of the same version, to check the server and ourselves.
 * Costs a full list, so it is for debugging and tests.
 */
import type { KubernetesObject } from '../model/types.ts';
import { keyString } from '../model/types.ts';
import type { ReflectorApi } from '../reflector/api.ts';
import type { Cached } from './informer.ts';

export interface Difference {
  /** `namespace/name`. */
  readonly key: string;
  /** The cached version; `undefined` if the object is not cached. */
  readonly cached: string | undefined;
  readonly listed: string | undefined;
}

/** Versions by key: the form in which two states are compared. */
export function versionsOf(objects: Iterable<Cached>): Map<string, string> {
  const versions = new Map<string, string>();
  for (const { metadata } of objects) versions.set(keyString(metadata), metadata.resourceVersion);
  return versions;
}

/** Compares `cached` with the server's list at exactly `resourceVersion`. */
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
