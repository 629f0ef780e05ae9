import { storageOf } from '../../kinds/index.ts';
import { notFound, StatusError } from '../../model/status.ts';
import type { ApiResponse } from '../../request/request.ts';
import { objectKey, storageName } from '../../storage/store.ts';
import { type ResourceCall, refOf } from '../call.ts';
import { revisionProblem, waitForRequested } from '../freshness.ts';
import { representObject, shown } from '../representation.ts';
import { representation, respond } from '../respond.ts';

export async function get(call: ResourceCall): Promise<ApiResponse> {
  const { kind, cluster, replica, query } = call;
  const as = representation(call);
  const resourceVersion = query.get('resourceVersion') ?? '';
  if (resourceVersion !== '' && !/^[0-9]+$/.test(resourceVersion)) {
    throw new StatusError(500, '', revisionProblem(resourceVersion));
  }
  await waitForRequested(call, resourceVersion);
  const { namespace, name } = refOf(call);
  const resource = storageName(storageOf(kind));
  const key = objectKey(namespace, name);
  // Without a resourceVersion the read is consistent; with one the front end's own view is enough.
  const cached = resourceVersion === '' ? undefined : replica.snapshot(resource);
  const stored = cached ? cached.get(key) : cluster.store.get(resource, key);
  if (!stored) throw notFound({ group: kind.group, resource: kind.plural }, name);
  return respond(call, 200, representObject(as, shown(kind, stored)));
}
