import type { KubeObject } from '../../model/object.ts';
import { StatusError } from '../../model/status.ts';
import type { ApiResponse } from '../../request/request.ts';
import { storageName } from '../../storage/store.ts';
import { type ResourceCall, refOf } from '../call.ts';
import { readDeleteOptions } from '../delete-options.ts';
import { readListOptions } from '../list-options.ts';
import { deleteObject } from '../operations/delete.ts';
import { representList, representObject } from '../representation.ts';
import { representation, respond, successStatus } from '../respond.ts';
import { selectObjects } from './list.ts';

const SHOWN_WHEN_GONE = new Set([
  'namespaces',
  'persistentvolumeclaims',
  'persistentvolumes',
  'pods',
  'podtemplates',
  'resourcequotas',
  'serviceaccounts',
  'services',
  'storageclasses.storage.k8s.io',
]);

export function remove(call: ResourceCall): ApiResponse {
  const { kind, cluster } = call;
  const as = representation(call);
  const { object, gone } = deleteObject(cluster, kind, refOf(call), readDeleteOptions(call));
  // The answer contains the object if it still exists, or for some older kinds; otherwise only a Status.
  if (!gone || SHOWN_WHEN_GONE.has(storageName(kind))) return respond(call, 200, representObject(as, object));
  const { name, uid } = object.metadata;
  const details = { name, ...(kind.group && { group: kind.group }), kind: kind.plural, uid };
  return respond(call, 200, successStatus(details));
}

export async function removeCollection(call: ResourceCall): Promise<ApiResponse> {
  const { kind, cluster } = call;
  const as = representation(call);
  const options = readListOptions(call.query, false, cluster.features);
  const deletion = readDeleteOptions(call);
  const { objects, metadata } = await selectObjects(call, options);
  const deleted: KubeObject[] = [];
  for (const object of objects) {
    try {
      deleteObject(cluster, kind, object.metadata, deletion);
      deleted.push(object);
    } catch (error) {
      // Another request deleted it first.
      if (!(error instanceof StatusError) || error.body.code !== 404) throw error;
    }
  }
  return respond(call, 200, representList(as, deleted, metadata));
}
