/** Updating an object: optimistic locking, isolation of status, no-op detection, removal with the last finalizer. */

import {
  type Kind,
  missingResourceVersion,
  prepareStatusUpdate,
  prepareUpdate,
  storageOf,
  validateStatusUpdate,
  validateUpdate,
} from '../../kinds/index.ts';
import type { ObjectRef } from '../../model/local-api.ts';
import type { KubeObject } from '../../model/object.ts';
import { conflict, invalid, notFound, StatusError } from '../../model/status.ts';
import { sameManagedFields } from '../../patch/managers.ts';
import { deepEqual } from '../../schema/json.ts';
import { objectKey, storageName } from '../../storage/store.ts';
import { type Cluster, writeContext } from '../cluster.ts';
import { resourceOf, trackFields, type WriteOptions, warnOf } from './write-options.ts';

export interface Preconditions {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

export interface UpdateOptions extends WriteOptions {
  readonly preconditions?: Preconditions;
}

/** The stored object in the version of `kind`. */
export function readObject(cluster: Cluster, kind: Kind, ref: ObjectRef): KubeObject | undefined {
  const stored = cluster.store.get(storageName(storageOf(kind)), objectKey(ref.namespace, ref.name));
  return stored && (kind.storage?.fromStored(stored) ?? stored);
}

/**
 * Replaces an object by the result of `produce`, which must be a private copy with defaults, or the live object
 * itself if nothing changes. Returns the stored object.
 */
export function updateObject(
  cluster: Cluster,
  kind: Kind,
  ref: ObjectRef,
  produce: (live: KubeObject) => KubeObject,
  options: UpdateOptions,
): KubeObject {
  const live = readObject(cluster, kind, ref);
  if (!live) throw notFound(resourceOf(kind), ref.name);
  checkPreconditions(kind, live, options.preconditions);
  const object = produce(live);
  if (object === live) return live;
  return replaceObject(cluster, kind, ref, object, live, options);
}

function replaceObject(
  cluster: Cluster,
  kind: Kind,
  ref: ObjectRef,
  object: KubeObject,
  live: KubeObject,
  options: UpdateOptions,
): KubeObject {
  const resource = storageName(storageOf(kind));
  const key = objectKey(ref.namespace, ref.name);
  checkResourceVersion(kind, object, live);
  options.admit?.(object, live);
  trackFields(cluster, kind, object, live, options);
  const onStatus = options.subresource === 'status';
  (onStatus ? prepareStatusUpdate : prepareUpdate)(kind, object, live, writeContext(cluster));
  const errors = (onStatus ? validateStatusUpdate : validateUpdate)(kind, object, live);
  if (errors.length > 0) throw invalid(kind, ref.name, errors);
  warnOf(kind, object, live, options);
  object.metadata.resourceVersion = live.metadata.resourceVersion;
  if (deletesItself(object, live)) {
    if (!options.dryRun) cluster.store.remove(resource, key);
    return object;
  }
  if (isSame(object, live)) return live;
  if (options.dryRun) return object;
  const written = cluster.store.put(resource, key, kind.storage?.toStored(object) ?? object);
  return kind.storage?.fromStored(written) ?? written;
}

/** A new timestamp in managedFields alone is not a change. */
function isSame(object: KubeObject, live: KubeObject): boolean {
  const { managedFields, ...metadata } = object.metadata;
  const { managedFields: before, ...liveMetadata } = live.metadata;
  return (
    sameManagedFields(managedFields, before) &&
    deepEqual({ ...object, metadata }, { ...live, metadata: liveMetadata })
  );
}

export function checkPreconditions(
  kind: Kind,
  live: KubeObject,
  preconditions: Preconditions | undefined,
): void {
  const { uid, resourceVersion } = preconditions ?? {};
  if (uid !== undefined && uid !== live.metadata.uid) throw uidConflict(kind, live, uid);
  if (resourceVersion !== undefined && resourceVersion !== live.metadata.resourceVersion) {
    const why = `ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${live.metadata.resourceVersion}`;
    throw conflict(resourceOf(kind), live.metadata.name, storageError(kind, live, why));
  }
}

/** This message comes from the storage layer and contains the key. */
function storageError(kind: Kind, live: KubeObject, why: string): string {
  const { namespace, name } = live.metadata;
  const folder = kind.definition === undefined ? `${kind.group}/${kind.plural}` : kind.plural;
  const key = `/registry/${folder}/${objectKey(namespace, name)}`;
  return `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${why}`;
}

const uidConflict = (kind: Kind, live: KubeObject, uid: string) =>
  conflict(
    resourceOf(kind),
    live.metadata.name,
    storageError(kind, live, `UID in precondition: ${uid}, UID in object meta: ${live.metadata.uid}`),
  );

function checkResourceVersion(kind: Kind, object: KubeObject, live: KubeObject): void {
  const { resourceVersion } = object.metadata;
  if (resourceVersion && !/^[0-9]+$/.test(resourceVersion)) {
    throw new StatusError(
      500,
      '',
      `strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`,
    );
  }
  if (!resourceVersion || resourceVersion === '0') {
    if (!kind.requiresResourceVersion) return;
    // In this message the server uses the resource where others use the kind.
    throw invalid({ group: kind.group, kind: kind.plural }, live.metadata.name, [missingResourceVersion()]);
  }
  if (resourceVersion !== live.metadata.resourceVersion) {
    const why = 'the object has been modified; please apply your changes to the latest version and try again';
    throw conflict(resourceOf(kind), live.metadata.name, why);
  }
}

/** An object that is being deleted is removed together with its last finalizer. */
function deletesItself(object: KubeObject, live: KubeObject): boolean {
  if (live.metadata.deletionTimestamp === undefined) return false;
  if ((object.metadata.finalizers?.length ?? 0) > 0) return false;
  if (object.kind === 'Namespace' && object.apiVersion === 'v1') {
    // Namespaces have their own finalizers, and no grace period.
    return !(object.spec as { finalizers?: unknown[] } | undefined)?.finalizers?.length;
  }
  return live.metadata.deletionGracePeriodSeconds === 0;
}
