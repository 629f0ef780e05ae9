/**
 * Projects an object once for each of its versions.
 *
 * The operator sees its own write twice: as the answer to its PATCH and as an event of the watch. In: a projection. Out:
 * one that returns the facts of before for the same uid and resourceVersion, which identify the content of an object.
 * It keeps the facts of the last objects only; the caches hold them anyway.
 */
import type { Cached, KubernetesObject, Projection } from '@reloader/runtime';

/** More than there are writes at the same time. */
const MOST_KEPT = 256;

export function projectedOnce<T extends KubernetesObject, C extends Cached>(
  project: Projection<T, C>,
): Projection<T, C> {
  const known = new Map<string, C>();
  return (object) => {
    const { uid, resourceVersion } = object.metadata;
    const before = known.get(uid);
    if (before?.metadata.resourceVersion === resourceVersion) return before;
    const facts = project(object);
    if (known.size >= MOST_KEPT) known.clear();
    known.set(uid, facts);
    return facts;
  };
}
