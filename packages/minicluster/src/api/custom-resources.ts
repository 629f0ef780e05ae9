/**
 * CustomResourceDefinitions: accepts their names, serves their kinds, and deletes the objects before the definition.
 *
 * In: committed writes of CRDs and of their objects. Out: status, changes of the served kinds, deletions. All of it
 * happens synchronously with the write that causes it, so a CRD is served as soon as it is created.
 */

import { CRD_CLEANUP_FINALIZER, type Kind } from '../kinds/index.ts';
import { cloneJson } from '../model/json-clone.ts';
import type { KubeObject } from '../model/object.ts';
import { deepEqual } from '../schema/json.ts';
import type { StoredEvent } from '../storage/event-log.ts';
import { storageName } from '../storage/store.ts';
import type { Cluster } from './cluster.ts';
import { CRDS, type Crd, terminatingStatus } from './operations/crd-lifecycle.ts';
import { deleteObject } from './operations/delete.ts';
import { storeDirectly } from './operations/store-directly.ts';
import { updateObject } from './operations/update.ts';

/** Returns a function that stops it. */
export function serveCustomResources(cluster: Cluster): () => void {
  const state: State = { terminating: new Map(), served: new Map() };
  return cluster.store.subscribe((event) => {
    if (event.resource === CRDS) onCrd(cluster, event, state);
    else if (event.type === 'DELETED') {
      const waiting = state.terminating.get(event.resource);
      if (waiting !== undefined) finish(cluster, waiting, state);
    }
  });
}

interface State {
  /** CRDs that wait for the deletion of their objects, by resource. */
  readonly terminating: Map<string, string>;
  /** The served part of each CRD: changes of other parts must not end the watches of its objects. */
  readonly served: Map<string, unknown>;
}

function onCrd(cluster: Cluster, event: StoredEvent, state: State): void {
  const { name } = event.object.metadata;
  if (event.type === 'DELETED') {
    state.served.delete(name);
    cluster.kinds.removeCrd(name);
    return;
  }
  // Another write may have happened since: the newest state counts.
  const crd = cluster.store.get(CRDS, event.key) as Crd | undefined;
  const kind = cluster.kinds.lookup('apiextensions.k8s.io', 'v1', 'customresourcedefinitions');
  if (!crd || !kind || crd !== event.object) return;
  const leaving = crd.metadata.deletionTimestamp !== undefined;
  const status = leaving ? undefined : cluster.kinds.crdStatus(crd, cluster.clock.now());
  const accepted = status ? writeStatus(cluster, kind, crd, status) : crd;
  const serves = served(accepted);
  if (!deepEqual(serves, state.served.get(name))) {
    state.served.set(name, serves);
    cluster.kinds.setCrd(accepted);
  }
  if (leaving) cleanUp(cluster, kind, accepted, state);
}

function writeStatus(cluster: Cluster, kind: Kind, crd: Crd, status: object): Crd {
  const options = { manager: 'kube-apiserver', dryRun: false, subresource: 'status', warn: () => undefined };
  const produce = (live: KubeObject): KubeObject => ({ ...cloneJson(live), status });
  return updateObject(cluster, kind, crd.metadata, produce, options) as Crd;
}

const served = ({ spec, status }: Crd): unknown => ({
  spec,
  names: status?.acceptedNames,
  conditions: (status?.conditions ?? [])
    .filter(({ type }) => type === 'Established' || type === 'NamesAccepted')
    .map(({ type, status: value }) => ({ type, value })),
});

const resourceOf = ({ spec }: Crd): string => storageName({ group: spec.group, plural: spec.names.plural });

function cleanUp(cluster: Cluster, kind: Kind, crd: Crd, state: State): void {
  if (!crd.metadata.finalizers?.includes(CRD_CLEANUP_FINALIZER)) return;
  const resource = resourceOf(crd);
  if (state.terminating.has(resource)) return;
  state.terminating.set(resource, crd.metadata.name);
  const inProgress = {
    reason: 'InstanceDeletionInProgress',
    message: 'CustomResource deletion is in progress',
  };
  writeStatus(cluster, kind, crd, terminatingStatus(cluster, crd, inProgress));
  const instances = cluster.kinds.preferred(crd.spec.group, crd.spec.names.plural);
  const snapshot = cluster.store.now(resource);
  for (const key of snapshot.keys('')) {
    const object = snapshot.get(key);
    if (instances && object) deleteObject(cluster, instances, object.metadata, {});
  }
  finish(cluster, crd.metadata.name, state);
}

/** Deletes the CRD when no object of it is left. */
function finish(cluster: Cluster, name: string, state: State): void {
  const crd = cluster.store.get(CRDS, name) as Crd | undefined;
  const kind = cluster.kinds.lookup('apiextensions.k8s.io', 'v1', 'customresourcedefinitions');
  if (!crd || !kind) return;
  const resource = resourceOf(crd);
  if (cluster.store.count(resource) > 0) return;
  state.terminating.delete(resource);
  const finalizers = (crd.metadata.finalizers ?? []).filter(
    (finalizer) => finalizer !== CRD_CLEANUP_FINALIZER,
  );
  if (finalizers.length === 0) {
    cluster.store.remove(CRDS, name);
    return;
  }
  const next = cloneJson(crd);
  next.metadata.finalizers = finalizers;
  storeDirectly(cluster, kind, next);
}
