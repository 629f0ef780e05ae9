import { applyDefaults } from '../../kinds/index.ts';
import type { ApiResponse } from '../../request/request.ts';
import { parseBody } from '../body.ts';
import { matchPath, type ResourceCall, readWriteOptions, refOf } from '../call.ts';
import { decodeObject } from '../decode.ts';
import { createObject } from '../operations/create.ts';
import { readObject, updateObject } from '../operations/update.ts';
import { representObject } from '../representation.ts';
import { representation, respond } from '../respond.ts';

export function update(call: ResourceCall): ApiResponse {
  const { cluster, kind } = call;
  const as = representation(call);
  const options = readWriteOptions(call);
  const object = decodeObject(call, parseBody(call.request, kind.kind));
  matchPath(call, object.metadata);
  const ref = refOf(call);
  if (kind.createOnUpdate && !options.subresource && !readObject(cluster, kind, ref)) {
    call.authorize({ verb: 'create' });
    return respond(call, 201, representObject(as, createObject(cluster, kind, object, options)));
  }
  applyDefaults(kind, object);
  // An update with another uid refers to an object that no longer exists.
  const preconditions = { uid: object.metadata.uid || undefined };
  const updated = updateObject(cluster, kind, ref, () => object, { ...options, preconditions });
  return respond(call, 200, representObject(as, updated));
}
