/**
 * Garbage collection: deletes objects without owners (background), holds an owner until its blocking dependents are
 * gone (foreground), or removes the reference (orphan). An owner counts as gone if no object with that uid exists.
 */
import type { KindRef, LocalEvent } from '../model/local-api.ts';
import type { KubeObject } from '../model/object.ts';
import type { SimulatedController, Simulation } from './controller.ts';

const USER = 'system:serviceaccount:kube-system:generic-garbage-collector';
const FOREGROUND = 'foregroundDeletion';
const ORPHAN = 'orphan';

interface Node {
  readonly kind: KindRef;
  object: KubeObject;
}

/** Keys of this controller are uids. */
export function garbageCollector({ api }: Simulation): SimulatedController {
  const nodes = new Map<string, Node>();
  const dependents = new Map<string, Set<string>>();

  function* keysFor({ type, kind, object }: LocalEvent): Iterable<string> {
    const { uid, ownerReferences = [] } = object.metadata;
    const owners = ownerReferences.map((owner) => owner.uid);
    const before = nodes.get(uid)?.object.metadata.ownerReferences ?? [];
    for (const owner of before) if (type === 'DELETED' || !owners.includes(owner.uid)) unlink(owner.uid, uid);
    if (type === 'DELETED') {
      nodes.delete(uid);
      yield* dependents.get(uid) ?? [];
      // A foreground deletion of the owner may be waiting for this object.
      yield* before.map((owner) => owner.uid);
      return;
    }
    nodes.set(uid, { kind, object });
    for (const owner of owners) dependents.set(owner, (dependents.get(owner) ?? new Set()).add(uid));
    if (owners.length > 0 || object.metadata.deletionTimestamp) yield uid;
  }

  function unlink(owner: string, dependent: string): void {
    const known = dependents.get(owner);
    known?.delete(dependent);
    if (known?.size === 0) dependents.delete(owner);
  }

  function sync(uid: string): undefined {
    const node = nodes.get(uid);
    if (!node) return;
    const live = api.get(node.kind, node.object.metadata);
    if (live?.metadata.uid !== uid) return;
    const { deletionTimestamp, finalizers = [] } = live.metadata;
    if (!deletionTimestamp) collect(node.kind, live);
    else if (finalizers.includes(ORPHAN)) orphanDependents(node.kind, live);
    else if (finalizers.includes(FOREGROUND)) deleteInForeground(node.kind, live);
  }

  /** Deleted if all owners are gone; while another exists, a reference to a missing owner is removed. */
  function collect(kind: KindRef, object: KubeObject): void {
    const references = object.metadata.ownerReferences ?? [];
    if (references.length === 0) return;
    const solid = references.filter((owner) => ownerLives(owner.uid, object));
    if (solid.length === 0) {
      const waiting = references.some((owner) => isWaiting(owner.uid));
      const propagationPolicy = waiting ? 'Foreground' : 'Background';
      api.delete(kind, object.metadata, { uid: object.metadata.uid, propagationPolicy }, USER);
    } else if (solid.length < references.length) {
      api.update(kind, { ...object, metadata: { ...object.metadata, ownerReferences: solid } }, USER);
    }
  }

  /** An owner in another namespace does not count, and one in foreground deletion counts as gone. */
  function ownerLives(uid: string, dependent: KubeObject): boolean {
    const owner = nodes.get(uid)?.object;
    if (!owner || isWaiting(uid)) return false;
    const { namespace } = owner.metadata;
    return namespace === undefined || namespace === dependent.metadata.namespace;
  }

  function isWaiting(uid: string): boolean {
    const metadata = nodes.get(uid)?.object.metadata;
    return metadata?.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes(FOREGROUND);
  }

  function deleteInForeground(kind: KindRef, owner: KubeObject): void {
    let blocked = false;
    for (const uid of dependents.get(owner.metadata.uid) ?? []) {
      const dependent = nodes.get(uid);
      if (!dependent) continue;
      const reference = dependent.object.metadata.ownerReferences?.find(
        (own) => own.uid === owner.metadata.uid,
      );
      blocked ||= reference?.blockOwnerDeletion === true;
      if (!dependent.object.metadata.deletionTimestamp) collect(dependent.kind, dependent.object);
    }
    if (!blocked) dropFinalizer(kind, owner, FOREGROUND);
  }

  function orphanDependents(kind: KindRef, owner: KubeObject): void {
    for (const uid of [...(dependents.get(owner.metadata.uid) ?? [])]) {
      const dependent = nodes.get(uid);
      if (!dependent) continue;
      const { object } = dependent;
      const { ownerReferences = [], ...metadata } = object.metadata;
      const others = ownerReferences.filter((own) => own.uid !== owner.metadata.uid);
      const kept = others.length > 0 ? { ...metadata, ownerReferences: others } : metadata;
      api.update(dependent.kind, { ...object, metadata: kept }, USER);
    }
    dropFinalizer(kind, owner, ORPHAN);
  }

  function dropFinalizer(kind: KindRef, object: KubeObject, name: string): void {
    const live = api.get(kind, object.metadata);
    if (!live) return;
    const finalizers = (live.metadata.finalizers ?? []).filter((finalizer) => finalizer !== name);
    api.update(kind, { ...live, metadata: { ...live.metadata, finalizers } }, USER);
  }

  return { name: 'generic-garbage-collector', keysFor, sync };
}
