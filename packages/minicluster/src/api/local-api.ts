/**
 * The cluster as the simulated controllers see it: objects in, objects out, no HTTP, full rights. Every call
 * goes through the same defaulting, validation, storage and history as a request over the wire.
 */
import type { KubeObject } from '../object.ts';

/** `apps/v1 Deployment` → `{ group: 'apps', plural: 'deployments' }`; the served version is the kind's own. */
export interface KindRef {
  readonly group: string;
  readonly plural: string;
}

export interface ObjectRef {
  readonly namespace?: string | undefined;
  readonly name: string;
}

export interface LocalEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly kind: KindRef;
  readonly object: KubeObject;
  readonly old?: KubeObject;
}

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
  /** Called after each committed write of any kind, in order of revision. Returns the way to stop. */
  subscribe(listener: (event: LocalEvent) => void): () => void;
}
