/** create, update, patch and apply. */
import type { KubernetesObject, ObjectKey, Stored } from '../../model/types.ts';
import { keyOf } from '../../model/types.ts';
import type { Patch, PatchOptions, WriteOptions } from '../client.ts';
import type { ClientRequest } from '../pipeline/request.ts';
import { apiVersionOf, collectionPath, objectPath, type ResourceType } from '../resource.ts';
import { aboutCollection, aboutObject, buildRequest, type QueryValue, withQuery } from './build.ts';
import { exchange, type VerbContext } from './context.ts';
import { readObject } from './read.ts';

const PATCH_TYPES: Readonly<Record<Patch['type'], string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

export function createObject<T extends KubernetesObject>(
  context: VerbContext,
  type: ResourceType<T>,
  object: T,
  options: WriteOptions = {},
): Promise<Stored<T>> {
  const { subresource } = options;
  const key = keyOf(object);
  if (type.namespaced && !key.namespace) {
    throw new TypeError(
      `Cannot create ${type.kind} "${key.name}": it is namespaced and metadata.namespace is not set`,
    );
  }
  const request = buildRequest('create', type, {
    path: withQuery(
      subresource ? objectPath(type, key, subresource) : collectionPath(type, key.namespace),
      writeQuery(context, options),
    ),
    about: key.name ? aboutObject(type, key, subresource) : aboutCollection(type, key.namespace),
    // The body posted to a subresource has its own kind: Eviction, TokenRequest, Binding.
    body: subresource ? object : withKind(type, object),
    idempotent: false,
  });
  return write(context, type, request, options);
}

export function updateObject<T extends KubernetesObject>(
  context: VerbContext,
  type: ResourceType<T>,
  object: T,
  options: WriteOptions = {},
): Promise<Stored<T>> {
  const { subresource } = options;
  const key = keyOf(object);
  const request = buildRequest('update', type, {
    path: withQuery(objectPath(type, key, subresource), writeQuery(context, options)),
    about: aboutObject(type, key, subresource),
    body: subresource ? object : withKind(type, object),
    idempotent: false,
  });
  return write(context, type, request, options);
}

export function patchObject<T extends KubernetesObject>(
  context: VerbContext,
  type: ResourceType<T>,
  key: ObjectKey,
  patch: Patch,
  options: PatchOptions = {},
): Promise<Stored<T>> {
  const { subresource } = options;
  const apply = patch.type === 'apply';
  const query: Record<string, QueryValue> = { ...writeQuery(context, options), force: options.force };
  if (apply && !query.fieldManager) {
    throw new TypeError(
      `Cannot apply ${type.kind} "${key.name}": server-side apply needs a fieldManager, name one here or for the whole client`,
    );
  }
  const request = buildRequest(apply ? 'apply' : 'patch', type, {
    path: withQuery(objectPath(type, key, subresource), query),
    about: aboutObject(type, key, subresource),
    contentType: PATCH_TYPES[patch.type],
    body: patch.type === 'json' ? patch.operations : patch.body,
    // Applying the same intent twice is idempotent; any other patch may meet a changed object the second time.
    idempotent: apply,
  });
  return write(context, type, request, options);
}

export function applyObject<T extends KubernetesObject>(
  context: VerbContext,
  type: ResourceType<T>,
  object: T,
  options: PatchOptions = {},
): Promise<Stored<T>> {
  return patchObject(context, type, keyOf(object), { type: 'apply', body: withKind(type, object) }, options);
}

async function write<T extends KubernetesObject>(
  context: VerbContext,
  type: ResourceType<T>,
  request: ClientRequest,
  options: WriteOptions,
): Promise<Stored<T>> {
  const written = await exchange(context, request, options, (response) =>
    readObject<T>(context, response, request.summary),
  );
  if (!options.dryRun && isStored(type, written)) context.onWritten?.(type, written);
  return written;
}

/** Reviews are not stored, and subresources such as scale return another kind. */
function isStored(type: ResourceType, object: KubernetesObject): boolean {
  return object.kind === type.kind && object.metadata?.uid !== undefined && !!object.metadata.resourceVersion;
}

function writeQuery(context: VerbContext, options: WriteOptions): Record<string, QueryValue> {
  return {
    fieldManager: options.fieldManager ?? context.fieldManager,
    fieldValidation: options.fieldValidation,
    dryRun: options.dryRun ? 'All' : undefined,
  };
}

function withKind<T extends KubernetesObject>(type: ResourceType<T>, object: T): T {
  return { apiVersion: apiVersionOf(type), kind: type.kind, ...object };
}
