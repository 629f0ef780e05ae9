/** delete and deletecollection. */
import type { ObjectKey } from '../../model/types.ts';
import type { DeleteCollectionOptions, DeleteOptions } from '../client.ts';
import { drain } from '../pipeline/request.ts';
import { collectionPath, objectPath, type ResourceType } from '../resource.ts';
import { aboutCollection, aboutObject, buildRequest, withQuery } from './build.ts';
import { exchange, type VerbContext } from './context.ts';

export function deleteObject(
  context: VerbContext,
  type: ResourceType,
  key: ObjectKey,
  options: DeleteOptions = {},
): Promise<void> {
  const { uid, resourceVersion } = options.preconditions ?? {};
  const request = buildRequest('delete', type, {
    path: objectPath(type, key),
    about: aboutObject(type, key),
    body: deleteBody(options),
    // Without a precondition a retry could delete an object that was created in between.
    idempotent: uid !== undefined || resourceVersion !== undefined,
  });
  return exchange(context, request, options, drain);
}

export function deleteObjects(
  context: VerbContext,
  type: ResourceType,
  options: DeleteCollectionOptions = {},
): Promise<void> {
  const { namespace, labelSelector, fieldSelector } = options;
  const request = buildRequest('deletecollection', type, {
    path: withQuery(collectionPath(type, namespace), { labelSelector, fieldSelector }),
    about: aboutCollection(type, namespace),
    body: deleteBody(options),
    idempotent: false,
  });
  return exchange(context, request, options, drain);
}

function deleteBody(options: DeleteOptions): object {
  const { preconditions, propagationPolicy, gracePeriodSeconds, dryRun } = options;
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    ...(preconditions && { preconditions }),
    ...(propagationPolicy && { propagationPolicy }),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(dryRun && { dryRun: ['All'] }),
  };
}
