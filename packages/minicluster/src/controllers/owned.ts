/**
 * Ownership index: dependents by their controller's uid, and orphans by namespace.
 *
 * In: events in order. Out: lookups whose cost depends on their result, not on the cluster's size. It holds
 * references to the stored objects, never copies.
 */
import type { KindRef, LocalEvent } from '../model/local-api.ts';
import type { KubeObject, OwnerReference } from '../model/object.ts';
import { JOBS, PODS, REPLICA_SETS, REVISIONS } from './kind-refs.ts';

const INDEXED = [PODS, REPLICA_SETS, REVISIONS, JOBS];

export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.controller);
}

interface Buckets {
  /** Controller uid, or `orphan/NAMESPACE`, to objects by uid. */
  readonly byOwner: Map<string, Map<string, KubeObject>>;
  readonly bucketOf: Map<string, string>;
}

function bucketName(object: KubeObject): string {
  return controllerOf(object)?.uid ?? `orphan/${object.metadata.namespace}`;
}

export class OwnedIndex {
  readonly #kinds = new Map<string, Buckets>(
    INDEXED.map((kind) => [kind.plural, { byOwner: new Map(), bucketOf: new Map() }]),
  );

  observe({ kind, type, object }: LocalEvent): void {
    const buckets = this.#kinds.get(kind.plural);
    if (!buckets || !INDEXED.some((known) => known.plural === kind.plural && known.group === kind.group))
      return;
    const { uid } = object.metadata;
    const before = buckets.bucketOf.get(uid);
    const after = type === 'DELETED' ? undefined : bucketName(object);
    if (before !== undefined && before !== after) this.#drop(buckets, before, uid);
    if (after === undefined) return;
    const bucket = buckets.byOwner.get(after) ?? new Map<string, KubeObject>();
    buckets.byOwner.set(after, bucket.set(uid, object));
    buckets.bucketOf.set(uid, after);
  }

  /** The objects that this controller controls, oldest first. */
  by<T extends KubeObject>(kind: KindRef, ownerUid: string): T[] {
    return [...(this.#kinds.get(kind.plural)?.byOwner.get(ownerUid)?.values() ?? [])] as T[];
  }

  /** Objects without a controller in one namespace. */
  orphans<T extends KubeObject>(kind: KindRef, namespace: string | undefined): T[] {
    return this.by<T>(kind, `orphan/${namespace}`);
  }

  #drop(buckets: Buckets, bucket: string, uid: string): void {
    const objects = buckets.byOwner.get(bucket);
    objects?.delete(uid);
    if (objects?.size === 0) buckets.byOwner.delete(bucket);
    buckets.bucketOf.delete(uid);
  }
}
