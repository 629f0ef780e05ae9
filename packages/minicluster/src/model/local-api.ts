/**
 * The cluster as the simulated controllers use it: objects in, objects out, no HTTP, full permissions. Every call has
 * the same defaulting, validation, storage and history as a request over the wire.
 */
import type { KubeObject } from './object.ts';

/** `apps/v1 Deployment` → `{ group: 'apps', plural: 'deployments' }`; the served version is the kind's own. */
export interface KindRef {
  readonly group: string;
  readonly plural: string;
}

/** Names one object inside the cluster. */
export interface ObjectRef {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** A served resource with stored objects, for namespace deletion and garbage collection. */
export interface ServedKind extends KindRef {
  readonly version: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** A change as seen by code inside the cluster. */
export interface LocalEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly kind: KindRef;
  readonly object: KubeObject;
  readonly old?: KubeObject;
}

/** The API for code inside the cluster: no HTTP, no authorization. */
export interface LocalApi {
  /** Undefined when absent. */
  get(kind: KindRef, ref: ObjectRef): KubeObject | undefined;
  list(kind: KindRef, namespace?: string): KubeObject[];
  /** `object` without uid, resourceVersion and timestamps. Throws `StatusError`. */
  create(kind: KindRef, object: object, user?: string): KubeObject;
  /** Fails with a 409 `StatusError` when `object` is not the newest version. */
  update(kind: KindRef, object: KubeObject, user?: string): KubeObject;
  updateStatus(kind: KindRef, object: KubeObject, user?: string): KubeObject;
  delete(
    kind: KindRef,
    ref: ObjectRef,
    options?: {
      readonly uid?: string;
      readonly gracePeriodSeconds?: number;
      readonly propagationPolicy?: string;
    },
    user?: string,
  ): void;
  /** Every resource that stores objects, once each (in its preferred version). Changes with the CRDs. */
  kinds(): ServedKind[];
  /** The resource that owner references of this type refer to; undefined if it is not served. */
  findKind(apiVersion: string, kind: string): ServedKind | undefined;
  /** Removes the `kubernetes` finalizer of a terminating namespace, which deletes it if no other finalizer is left. */
  finalizeNamespace(name: string): void;
  /** The `binding` subresource: binds an unscheduled pod to a node. */
  bindPod(ref: ObjectRef, nodeName: string): KubeObject;
  /** Called after each committed write of any kind, in order of revision. Returns a function that unsubscribes. */
  subscribe(listener: (event: LocalEvent) => void): () => void;
}
