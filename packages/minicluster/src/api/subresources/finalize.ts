/** `/finalize` of namespaces: the only way to remove a terminating namespace's own finalizers. */
import type { KubeObject } from '../../model/object.ts';
import { conflict, notFound } from '../../model/status.ts';
import type { ApiResponse } from '../../request/request.ts';
import { parseBody } from '../body.ts';
import { matchPath, type ResourceCall, readWriteOptions } from '../call.ts';
import type { Cluster } from '../cluster.ts';
import { decodeObject } from '../decode.ts';
import { storeDirectly } from '../operations/store-directly.ts';
import { representObject } from '../representation.ts';
import { representation, respond } from '../respond.ts';

const NAMESPACES = { group: '', resource: 'namespaces' };

export function finalize(call: ResourceCall): ApiResponse {
  const options = readWriteOptions(call);
  const body = decodeObject(call, parseBody(call.request, 'Namespace'));
  matchPath(call, body.metadata);
  const finalizers = finalizersOf(body);
  const { resourceVersion } = body.metadata;
  const object = setFinalizers(call.cluster, call.info.name, () => finalizers, {
    resourceVersion,
    dryRun: options.dryRun,
  });
  return respond(call, 200, representObject(representation(call), object));
}

/** Removes the server's own finalizer. */
export function finalizeNamespace(cluster: Cluster, name: string): KubeObject {
  return setFinalizers(
    cluster,
    name,
    (before) => before.filter((finalizer) => finalizer !== 'kubernetes'),
    {},
  );
}

const finalizersOf = (namespace: KubeObject): string[] =>
  (namespace.spec as { finalizers?: string[] } | undefined)?.finalizers ?? [];

function setFinalizers(
  cluster: Cluster,
  name: string,
  change: (before: string[]) => string[],
  options: { readonly resourceVersion?: string; readonly dryRun?: boolean },
): KubeObject {
  const kind = cluster.kinds.lookup('', 'v1', 'namespaces');
  const live = cluster.store.get('namespaces', name);
  if (!kind || !live) throw notFound(NAMESPACES, name);
  if (options.resourceVersion && options.resourceVersion !== live.metadata.resourceVersion) {
    const why = 'the object has been modified; please apply your changes to the latest version and try again';
    throw conflict(NAMESPACES, name, why);
  }
  const finalizers = change(finalizersOf(live));
  const object: KubeObject = {
    ...live,
    metadata: { ...live.metadata },
    spec: finalizers.length > 0 ? { ...(live.spec as object), finalizers } : {},
  };
  const held = finalizers.length > 0 || (live.metadata.finalizers?.length ?? 0) > 0;
  if (held || live.metadata.deletionTimestamp === undefined)
    return storeDirectly(cluster, kind, object, options);
  if (options.dryRun) return object;
  cluster.store.remove('namespaces', name);
  return object;
}
