/** Deleting an object: preconditions, grace period, finalizers, and the handling of dependents. */
import { gracePeriodOf, type Kind, storageOf } from '../../kinds/index.ts';
import type { ObjectRef } from '../../model/local-api.ts';
import type { KubeObject, Meta } from '../../model/object.ts';
import { conflict, notFound } from '../../model/status.ts';
import { objectKey, storageName } from '../../storage/store.ts';
import { type Cluster, timestamp } from '../cluster.ts';
import { isCrd, markedForDeletion } from './crd-lifecycle.ts';
import { checkNamespaceDeletion } from './namespace-lifecycle.ts';
import { type Preconditions, readObject } from './update.ts';
import { resourceOf } from './write-options.ts';

export interface DeleteOptions {
  readonly preconditions?: Preconditions;
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagationPolicy?: string | undefined;
  readonly orphanDependents?: boolean | undefined;
  readonly dryRun?: boolean;
}

export interface Deletion {
  /** The last state of the object, or its state while it waits for deletion. */
  readonly object: KubeObject;
  /** True if it is gone now. */
  readonly gone: boolean;
}

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

export function deleteObject(cluster: Cluster, kind: Kind, ref: ObjectRef, options: DeleteOptions): Deletion {
  const live = readObject(cluster, kind, ref);
  if (!live) throw notFound(resourceOf(kind), ref.name);
  checkDeletion(kind, live, options.preconditions);
  if (kind.group === '' && kind.plural === 'namespaces') {
    checkNamespaceDeletion(ref.name);
    return deleteNamespace(cluster, kind, live, options);
  }
  if (isCrd(kind) && live.metadata.deletionTimestamp === undefined) {
    return { object: write(cluster, kind, markedForDeletion(cluster, live), options), gone: false };
  }
  const plan = planDeletion(cluster, kind, live, options);
  if (plan === 'pending') return { object: live, gone: false };
  const { metadata, remove } = plan;
  let object = live;
  if (metadata) object = write(cluster, kind, { ...live, metadata }, options);
  if (!remove) return { object, gone: false };
  if (options.dryRun) return { object, gone: true };
  const removed = cluster.store.remove(storageName(storageOf(kind)), objectKey(ref.namespace, ref.name));
  return { object: removed ?? object, gone: true };
}

function checkDeletion(kind: Kind, live: KubeObject, preconditions: Preconditions | undefined): void {
  const { uid, resourceVersion } = preconditions ?? {};
  // In this message the server uses the kind where others use the resource.
  const named = { group: kind.group, resource: kind.kind };
  const { name, uid: liveUid, resourceVersion: liveVersion } = live.metadata;
  if (uid !== undefined && uid !== liveUid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${liveUid})`;
    throw conflict(named, name, `${why}. The object might have been deleted and then recreated`);
  }
  if (resourceVersion !== undefined && resourceVersion !== liveVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${liveVersion})`;
    throw conflict(named, name, `${why}. The object might have been modified`);
  }
}

interface Plan {
  /** The update to write first; undefined if nothing changes. */
  readonly metadata: Meta | undefined;
  readonly remove: boolean;
}

function planDeletion(
  cluster: Cluster,
  kind: Kind,
  live: KubeObject,
  options: DeleteOptions,
): Plan | 'pending' {
  const grace = planGrace(cluster, kind, live, options.gracePeriodSeconds);
  if (grace === 'pending') return 'pending';
  const before = live.metadata.finalizers ?? [];
  const finalizers = finalizersFor(kind, before, options);
  const changed = finalizers.length !== before.length || finalizers.some((name) => !before.includes(name));
  const metadata: Meta = { ...(grace ?? live.metadata) };
  if (changed) setFinalizers(metadata, finalizers);
  if (grace) {
    return { metadata, remove: finalizers.length === 0 && grace.deletionGracePeriodSeconds === 0 };
  }
  if (finalizers.length === 0) return { metadata: undefined, remove: true };
  const marked = markDeleting(cluster, metadata);
  const already = live.metadata.deletionTimestamp !== undefined && !changed;
  return { metadata: already ? undefined : marked, remove: false };
}

/** Metadata with a pending deletion; undefined if the object can be removed at once. */
function planGrace(
  cluster: Cluster,
  kind: Kind,
  live: KubeObject,
  requested: number | undefined,
): Meta | 'pending' | undefined {
  if (!kind.gracePeriodSeconds) return undefined;
  const { deletionTimestamp, deletionGracePeriodSeconds: granted } = live.metadata;
  const asked = requested !== undefined && requested < 0 ? 1 : requested;
  if (deletionTimestamp === undefined) {
    const seconds = gracePeriodOf(kind, live, asked);
    return bumped({
      ...live.metadata,
      deletionTimestamp: secondsFromNow(cluster, seconds),
      deletionGracePeriodSeconds: seconds,
    });
  }
  if (!granted) return undefined;
  if (asked === undefined || asked >= granted) return 'pending';
  const now = cluster.clock.now();
  const due = Date.parse(deletionTimestamp) - granted * 1000 + asked * 1000;
  const overdue = due < now;
  return {
    ...live.metadata,
    deletionTimestamp: overdue ? timestamp(cluster.clock) : isoSeconds(due),
    deletionGracePeriodSeconds: overdue && asked !== 0 ? 1 : asked,
  };
}

/** The finalizers that the propagation policy asks for. */
function finalizersFor(kind: Kind, before: readonly string[], options: DeleteOptions): string[] {
  const { propagationPolicy: policy, orphanDependents } = options;
  const others = before.filter((name) => name !== ORPHAN && name !== FOREGROUND);
  if (orphanDependents !== undefined) return orphanDependents ? [...others, ORPHAN] : others;
  if (policy === 'Orphan') return [...others, ORPHAN];
  if (policy === 'Foreground') return [...others, FOREGROUND];
  if (policy === 'Background') return others;
  if (before.includes(ORPHAN)) return [...others, ORPHAN];
  if (before.includes(FOREGROUND)) return [...others, FOREGROUND];
  return kind.orphansByDefault ? [...others, ORPHAN] : others;
}

function setFinalizers(metadata: Meta, finalizers: string[]): void {
  if (finalizers.length > 0) metadata.finalizers = finalizers;
  else delete metadata.finalizers;
}

function markDeleting(cluster: Cluster, metadata: Meta): Meta {
  const now = timestamp(cluster.clock);
  const earlier = metadata.deletionTimestamp;
  const first = earlier === undefined ? bumped(metadata) : metadata;
  return {
    ...first,
    deletionTimestamp: earlier === undefined || earlier > now ? now : earlier,
    deletionGracePeriodSeconds: 0,
  };
}

/** A deletion request increases the generation. */
function bumped(metadata: Meta): Meta {
  return metadata.generation ? { ...metadata, generation: metadata.generation + 1 } : metadata;
}

/** A namespace first becomes Terminating; its controller empties it and removes the last finalizer. */
function deleteNamespace(cluster: Cluster, kind: Kind, live: KubeObject, options: DeleteOptions): Deletion {
  const finalizers = finalizersFor(kind, live.metadata.finalizers ?? [], options);
  const inSpec = (live.spec as { finalizers?: string[] } | undefined)?.finalizers ?? [];
  const waits = finalizers.length > 0 || inSpec.length > 0;
  if (waits && live.metadata.deletionTimestamp !== undefined) return { object: live, gone: false };
  const metadata = { ...live.metadata };
  setFinalizers(metadata, finalizers);
  const { deletionGracePeriodSeconds: _none, ...marked } = markDeleting(cluster, metadata);
  const terminating: KubeObject = {
    ...live,
    metadata: marked,
    status: { ...(live.status as object | undefined), phase: 'Terminating' },
  };
  if (waits) return { object: write(cluster, kind, terminating, options), gone: false };
  if (options.dryRun) return { object: terminating, gone: true };
  return { object: cluster.store.remove('namespaces', live.metadata.name) ?? terminating, gone: true };
}

function write(cluster: Cluster, kind: Kind, object: KubeObject, options: DeleteOptions): KubeObject {
  if (options.dryRun) return object;
  const { namespace, name } = object.metadata;
  const copy = { ...object, metadata: { ...object.metadata } };
  const stored = kind.storage?.toStored(copy) ?? copy;
  const written = cluster.store.put(storageName(storageOf(kind)), objectKey(namespace, name), stored);
  return kind.storage?.fromStored(written) ?? written;
}

const isoSeconds = (time: number): string => `${new Date(time).toISOString().slice(0, 19)}Z`;
const secondsFromNow = (cluster: Cluster, seconds: number): string =>
  isoSeconds(cluster.clock.now() + seconds * 1000);
