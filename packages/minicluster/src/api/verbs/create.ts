import type { ApiResponse } from '../../request/request.ts';
import { parseBody } from '../body.ts';
import { matchPath, type ResourceCall, readWriteOptions } from '../call.ts';
import { decodeObject } from '../decode.ts';
import { createObject } from '../operations/create.ts';
import { representObject } from '../representation.ts';
import { representation, respond } from '../respond.ts';

export function create(call: ResourceCall): ApiResponse {
  const as = representation(call);
  const options = readWriteOptions(call);
  const object = decodeObject(call, parseBody(call.request, call.kind.kind));
  matchPath(call, object.metadata);
  const created = createObject(call.cluster, call.kind, object, options);
  return respond(call, 201, representObject(as, created));
}
