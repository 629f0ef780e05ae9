/** PATCH in its four forms. Each makes a new object from the live one; what follows is the same as for an update. */
import { cloneJson } from '../../json-clone.ts';
import { apiVersionOf, applyDefaults } from '../../kinds/index.ts';
import type { KubeObject } from '../../object.ts';
import { serverSideApply } from '../../patch/apply.ts';
import { applyJsonPatch } from '../../patch/json-patch.ts';
import { applyMergePatch } from '../../patch/merge-patch.ts';
import { applyStrategicMergePatch } from '../../patch/strategic-merge-patch.ts';
import { checkSize, contentType, readYaml, unsupportedMediaType } from '../body.ts';
import { type ResourceCall, readWriteOptions, refOf } from '../call.ts';
import { settle } from '../decode.ts';
import { jsonSyntaxProblem } from '../go-json.ts';
import { storeNew } from '../operations/create.ts';
import { checkNamespace } from '../operations/namespace-lifecycle.ts';
import { readObject, updateObject } from '../operations/update.ts';
import { fieldSchema, resetFieldsOf, type WriteOptions, writerOf } from '../operations/write-options.ts';
import { representObject } from '../representation.ts';
import { type ApiResponse, decodeText } from '../request.ts';
import { isTrue } from '../request-info.ts';
import { representation, respond } from '../respond.ts';
import { badRequest, type FieldError, invalid, notFound } from '../status.ts';

const JSON_PATCH = 'application/json-patch+json';
const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const APPLY = 'application/apply-patch+yaml';

export function patch(call: ResourceCall): ApiResponse {
  const { kind, cluster } = call;
  checkSize(call.request);
  const type = patchType(call);
  const as = representation(call);
  checkPatchOptions(call, type);
  const options = readWriteOptions(call);
  if (type === APPLY) return apply(call, options);
  const change = readPatch(call, type);
  const updated = updateObject(cluster, kind, refOf(call), (live) => asObject(call, change(live)), options);
  return respond(call, 200, representObject(as, updated));
}

function patchType(call: ResourceCall): string {
  const type = contentType(call.request);
  const builtIn = call.kind.definition !== undefined;
  const served = builtIn ? [JSON_PATCH, MERGE, STRATEGIC, APPLY] : [JSON_PATCH, MERGE, APPLY];
  if (!served.includes(type)) throw unsupportedMediaType(served.join(', '));
  return type;
}

function checkPatchOptions({ query }: ResourceCall, type: string): void {
  const errors: FieldError[] = [];
  if (type === APPLY) {
    if (!query.get('fieldManager')) {
      errors.push({
        reason: 'FieldValueRequired',
        field: 'fieldManager',
        message: 'Required value: is required for apply patch',
      });
    }
  } else if (query.has('force')) {
    errors.push({
      reason: 'FieldValueForbidden',
      field: 'force',
      message: 'Forbidden: may not be specified for non-apply patch',
    });
  }
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', errors);
}

function readPatch(call: ResourceCall, type: string): (live: KubeObject) => Record<string, unknown> {
  const body = parsePatch(call);
  if (type === JSON_PATCH) return (live) => applyJsonPatch(live, body);
  if (type === MERGE) return (live) => applyMergePatch(live, body);
  const schema = fieldSchema(call.kind);
  return (live) => applyStrategicMergePatch(live, body, schema ?? {});
}

function parsePatch({ request }: ResourceCall): unknown {
  const text = decodeText(request.body ?? '');
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest(`error decoding patch: ${jsonSyntaxProblem(text)}`);
  }
}

/** The patched value as an object of the kind: a copy of its own, with defaults. */
function asObject(call: ResourceCall, patched: Record<string, unknown>): KubeObject {
  const object = settle(call, cloneJson(patched));
  applyDefaults(call.kind, object);
  return object;
}

function apply(call: ResourceCall, options: WriteOptions): ApiResponse {
  const { kind, cluster } = call;
  const as = representation(call);
  const ref = refOf(call);
  const applied = appliedObject(call);
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
    return target && object === target ? target : asObject(call, object);
  };
  if (live) {
    const updated = updateObject(cluster, kind, ref, applyTo, { ...options, fieldsTracked: true });
    return respond(call, 200, representObject(as, updated));
  }
  if (options.subresource) throw notFound({ group: kind.group, resource: kind.plural }, ref.name);
  call.authorize({ verb: 'create' });
  if (kind.namespaced) checkNamespace(cluster, kind, ref.namespace ?? '', ref.name);
  const created = storeNew(cluster, kind, applyTo(), { ...options, fieldsTracked: true });
  return respond(call, 201, representObject(as, created));
}

function appliedObject(call: ResourceCall): Record<string, unknown> {
  const { kind, info } = call;
  let value: unknown;
  try {
    value = readYaml(decodeText(call.request.body ?? ''));
  } catch (error) {
    throw badRequest(`error decoding YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badRequest('error decoding YAML: the body of an apply must be an object');
  }
  const body = value as Record<string, unknown>;
  const metadata = { ...(body.metadata as Record<string, unknown> | undefined) };
  metadata.name ??= info.name;
  if (metadata.name !== info.name) {
    throw badRequest(
      `the name of the object (${String(metadata.name)}) does not match the name on the URL (${info.name})`,
    );
  }
  if (kind.namespaced) metadata.namespace ??= info.namespace;
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, ...body, metadata };
}
