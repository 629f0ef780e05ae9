/** The four forms of PATCH. Each computes a new object from the live one; the rest is the same as for an update. */

import { applyDefaults } from '../../kinds/index.ts';
import { cloneJson } from '../../model/json-clone.ts';
import type { KubeObject } from '../../model/object.ts';
import { badRequest, conflict, invalid, notFound, StatusError } from '../../model/status.ts';
import { serverSideApply } from '../../patch/apply.ts';
import { goValue } from '../../patch/go-values.ts';
import { applyJsonPatch } from '../../patch/json-patch.ts';
import { applyMergePatch } from '../../patch/merge-patch.ts';
import { applyStrategicMergePatch } from '../../patch/strategic-merge-patch.ts';
import type { ApiResponse } from '../../request/request.ts';
import { isTrue } from '../../request/request-info.ts';
import { goJson } from '../../schema/json.ts';
import { matchPath, type ResourceCall, readWriteOptions, refOf } from '../call.ts';
import { type Refuse, settle } from '../decode.ts';
import { storeNew } from '../operations/create.ts';
import { checkNamespace } from '../operations/namespace-lifecycle.ts';
import { readObject, updateObject } from '../operations/update.ts';
import { fieldSchema, resetFieldsOf, type WriteOptions, writerOf } from '../operations/write-options.ts';
import { APPLY, JSON_PATCH, MERGE, parsePatch, patchType, readApplied, STRATEGIC } from '../patch-body.ts';
import { representObject } from '../representation.ts';
import { representation, respond } from '../respond.ts';

export function patch(call: ResourceCall): ApiResponse {
  const { kind, cluster } = call;
  const type = patchType(call);
  const as = representation(call);
  const options = readWriteOptions(call);
  if (type === APPLY) return apply(call, options);
  const change = readPatch(call, type);
  const refuse =
    (patched: unknown): Refuse =>
    (why, converterWords = why) =>
      unreadable(type, call, patched, type === STRATEGIC ? converterWords : why);
  const produce = (live: KubeObject): KubeObject => {
    const patched = change(live);
    return asObject(call, patched, refuse(patched));
  };
  const updated = updateObject(cluster, kind, refOf(call), produce, options);
  return respond(call, 200, representObject(as, updated));
}

function readPatch(call: ResourceCall, type: string): (live: KubeObject) => Record<string, unknown> {
  const body = parsePatch(call);
  if (type === JSON_PATCH) return (live) => applyJsonPatch(live, body);
  if (type === MERGE) return (live) => applyMergePatch(live, body);
  const schema = fieldSchema(call.kind);
  return (live) => applyStrategicMergePatch(live, body, schema ?? {});
}

/** Decodes the patched value: a private copy, with defaults. */
function asObject(call: ResourceCall, patched: Record<string, unknown>, refuse: Refuse): KubeObject {
  const object = settle(call, cloneJson(patched), refuse);
  matchPath(call, object.metadata);
  applyDefaults(call.kind, object);
  return object;
}

/** If the patch makes the object undecodable, the error is reported on the field `patch`. */
function unreadable(type: string, call: ResourceCall, patched: unknown, why: string): StatusError {
  const shown = type === STRATEGIC ? goValue(parsePatch(call)) : goJson(patched);
  const message = `Invalid value: ${JSON.stringify(shown)}: ${why}`;
  const error = invalid({ group: '', kind: '' }, '', [
    { reason: 'FieldValueInvalid', field: 'patch', message },
  ]);
  return new StatusError(422, 'Invalid', error.message, { causes: error.body.details?.causes ?? [] });
}

function apply(call: ResourceCall, options: WriteOptions): ApiResponse {
  const { kind, cluster } = call;
  const as = representation(call);
  const ref = refOf(call);
  const applied = readApplied(call);
  const live = readObject(cluster, kind, ref);
  const applyTo = (target?: KubeObject): KubeObject => {
    const object = serverSideApply({
      live: target,
      applied,
      gvk: kind,
      schema: fieldSchema(kind),
      writer: writerOf(cluster, kind, options),
      force: isTrue(call.query.get('force')),
      resetFields: resetFieldsOf(kind, options.subresource),
    });
    if (target && object === target) return target;
    return asObject(call, object, (why) => badRequest(why));
  };
  if (live) {
    const updated = updateObject(cluster, kind, ref, applyTo, { ...options, fieldsTracked: true });
    return respond(call, 200, representObject(as, updated));
  }
  if (options.subresource) throw notFound({ group: kind.group, resource: kind.plural }, ref.name);
  call.authorize({ verb: 'create' });
  if (kind.namespaced) checkNamespace(cluster, kind, ref.namespace ?? '', ref.name);
  const made = applyTo();
  const { uid } = made.metadata;
  if (uid) {
    const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
    throw conflict({ group: kind.group, resource: kind.plural }, ref.name, why);
  }
  // Unlike a uid, a version says nothing about an object that does not exist.
  made.metadata.resourceVersion = '';
  const created = storeNew(cluster, kind, made, { ...options, fieldsTracked: true });
  return respond(call, 201, representObject(as, created));
}
