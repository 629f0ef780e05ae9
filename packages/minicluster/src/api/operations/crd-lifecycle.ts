/** Deletion of a CustomResourceDefinition: first it is marked, then its objects are deleted, then it is removed. */

import { CRD_CLEANUP_FINALIZER, type Kind } from '../../kinds/index.ts';
import { cloneJson } from '../../model/json-clone.ts';
import type { KubeObject } from '../../model/object.ts';
import { type Cluster, timestamp } from '../cluster.ts';

export const CRDS = 'customresourcedefinitions.apiextensions.k8s.io';

export interface Crd extends KubeObject {
  spec: { group: string; names: { plural: string } };
  status?: { conditions?: Condition[]; acceptedNames?: object };
}

interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
}

export const isCrd = (kind: Kind): boolean =>
  kind.group === 'apiextensions.k8s.io' && kind.plural === 'customresourcedefinitions';

/** The CRD after the first delete request. */
export function markedForDeletion(cluster: Cluster, live: KubeObject): KubeObject {
  const crd = cloneJson(live) as Crd;
  crd.metadata.deletionTimestamp = timestamp(cluster.clock);
  crd.metadata.finalizers = [...new Set([...(crd.metadata.finalizers ?? []), CRD_CLEANUP_FINALIZER])];
  crd.status = terminatingStatus(cluster, crd, {
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  });
  return crd;
}

export function terminatingStatus(
  cluster: Cluster,
  crd: Crd,
  why: { readonly reason: string; readonly message: string },
): NonNullable<Crd['status']> {
  const before = crd.status?.conditions ?? [];
  const known = before.find(({ type }) => type === 'Terminating');
  const condition: Condition = {
    type: 'Terminating',
    status: 'True',
    ...why,
    lastTransitionTime: known?.lastTransitionTime ?? timestamp(cluster.clock),
  };
  return { ...crd.status, conditions: [...before.filter((other) => other !== known), condition] };
}

/** True while the CRD of this kind is being deleted: no new objects then. */
export function isTerminating(cluster: Cluster, kind: Kind): boolean {
  if (kind.definition !== undefined) return false;
  const crd = cluster.store.get(CRDS, `${kind.plural}.${kind.group}`);
  return crd?.metadata.deletionTimestamp !== undefined;
}
