/** Internal writes of the server, which skip the rules for clients. */

import { type Kind, storageOf } from '../../kinds/index.ts';
import type { KubeObject } from '../../model/object.ts';
import { deepEqual } from '../../schema/json.ts';
import { objectKey, storageName } from '../../storage/store.ts';
import type { Cluster } from '../cluster.ts';

/** Stores `object`, a private copy, unless it equals the stored one. Returns the stored object. */
export function storeDirectly(
  cluster: Cluster,
  kind: Kind,
  object: KubeObject,
  options: { readonly dryRun?: boolean } = {},
): KubeObject {
  const resource = storageName(storageOf(kind));
  const key = objectKey(object.metadata.namespace, object.metadata.name);
  const live = cluster.store.get(resource, key);
  if (options.dryRun) return object;
  const stored = kind.storage?.toStored(object) ?? object;
  if (live && deepEqual(stored, live)) return object;
  const written = cluster.store.put(resource, key, stored);
  return kind.storage?.fromStored(written) ?? written;
}
