/** Creating an object: names, system fields, defaults, validation, storage. */
import { applyDefaults, type Kind, prepareCreate, storageOf, validateCreate } from '../../kinds/index.ts';
import type { KubeObject } from '../../model/object.ts';
import type { Random } from '../../model/random.ts';
import { alreadyExists, forbidden, invalid, StatusError } from '../../model/status.ts';
import { objectKey, storageName } from '../../storage/store.ts';
import { type Cluster, timestamp, writeContext } from '../cluster.ts';
import { isTerminating } from './crd-lifecycle.ts';
import { checkNamespace } from './namespace-lifecycle.ts';
import { resourceOf, trackFields, type WriteOptions, warnOf } from './write-options.ts';

/** With eight random names one is free, except with a chance of one in a thousand among a million objects. */
const NAME_ATTEMPTS = 8;
const NAME_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const LONGEST_PREFIX = 63 - SUFFIX_LENGTH;

/**
 * Creates `object`, which must be a private copy with its namespace set. Returns the stored object in this kind's
 * version. Throws `StatusError`.
 */
export function createObject(
  cluster: Cluster,
  kind: Kind,
  object: KubeObject,
  options: WriteOptions,
): KubeObject {
  applyDefaults(kind, object);
  const { namespace, name = '', generateName } = object.metadata;
  if (isTerminating(cluster, kind)) {
    const why = 'create not allowed while custom resource definition is terminating';
    throw forbidden(resourceOf(kind), name, why);
  }
  if (kind.namespaced) checkNamespace(cluster, kind, namespace ?? '', name);
  return storeNew(cluster, kind, object, options, !name && generateName ? generateName : undefined);
}

/** The part of creation that create, PUT and apply share: `object` has its defaults. */
export function storeNew(
  cluster: Cluster,
  kind: Kind,
  object: KubeObject,
  options: WriteOptions,
  generateName?: string,
): KubeObject {
  const resource = storageName(storageOf(kind));
  options.admit?.(object, undefined);
  // Fields of the system have no manager, also if the client sent some.
  delete object.metadata.deletionTimestamp;
  delete object.metadata.deletionGracePeriodSeconds;
  trackFields(cluster, kind, object, undefined, options);
  object.metadata.uid = cluster.random.uuid();
  object.metadata.creationTimestamp = timestamp(cluster.clock);
  if (generateName !== undefined) {
    object.metadata.name = freeName(cluster, resource, object.metadata.namespace, generateName);
  }
  const { namespace, name = '' } = object.metadata;
  prepareCreate(kind, object, writeContext(cluster));
  const errors = validateCreate(kind, object);
  if (errors.length > 0) throw invalid(kind, name, errors);
  warnOf(kind, object, undefined, options);
  if (object.metadata.resourceVersion) {
    throw new StatusError(500, '', 'resourceVersion should not be set on objects to be created');
  }
  const key = objectKey(namespace, name);
  const existing = cluster.store.get(resource, key);
  if (existing) throw taken(kind, name, existing);
  const stored = kind.storage?.toStored(object) ?? object;
  if (options.dryRun) return object;
  const written = cluster.store.put(resource, key, stored);
  return kind.storage?.fromStored(written) ?? written;
}

function taken(kind: Kind, name: string, existing: KubeObject): StatusError {
  const error = alreadyExists(resourceOf(kind), name);
  if (existing.metadata.deletionTimestamp === undefined) return error;
  return new StatusError(
    409,
    'AlreadyExists',
    `object is being deleted: ${error.message}`,
    error.body.details,
  );
}

function freeName(cluster: Cluster, resource: string, namespace: string | undefined, prefix: string): string {
  let name = randomName(cluster.random, prefix);
  for (let attempt = 1; attempt < NAME_ATTEMPTS; attempt++) {
    if (!cluster.store.get(resource, objectKey(namespace, name))) break;
    name = randomName(cluster.random, prefix);
  }
  return name;
}

function randomName(random: Random, prefix: string): string {
  let suffix = '';
  for (let i = 0; i < SUFFIX_LENGTH; i++) suffix += NAME_ALPHABET[random.below(NAME_ALPHABET.length)];
  return `${prefix.slice(0, LONGEST_PREFIX)}${suffix}`;
}
