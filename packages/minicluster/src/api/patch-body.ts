/** The four types of PATCH bodies and their errors. */

import { badRequest, type FieldError, invalid, StatusError } from '../model/status.ts';
import { decodeText } from '../request/request.ts';
import { jsonSyntaxProblem } from '../schema/go-json.ts';
import { isTooDeep } from '../schema/json.ts';
import { checkSize, contentType, unsupportedMediaType } from './body.ts';
import type { ResourceCall } from './call.ts';
import { readYaml, YamlProblem } from './yaml-body.ts';

export const JSON_PATCH = 'application/json-patch+json';
export const MERGE = 'application/merge-patch+json';
export const STRATEGIC = 'application/strategic-merge-patch+json';
export const APPLY = 'application/apply-patch+yaml';

/** Custom resources have no merge keys. */
const CUSTOM = [JSON_PATCH, MERGE, APPLY];

/** The type of the patch. Throws 413, 415, and 422 for options that this type does not allow. */
export function patchType(call: ResourceCall): string {
  checkSize(call.request);
  const type = contentType(call.request);
  if (call.kind.definition === undefined) {
    if (!CUSTOM.includes(type)) throw unsupportedMediaType(CUSTOM.join(', '));
  } else if (!CUSTOM.includes(type) && type !== STRATEGIC) {
    throw new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  }
  checkOptions(call.query, type);
  return type;
}

function checkOptions(query: URLSearchParams, type: string): void {
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

/** The body of every type but apply. */
export function parsePatch({ request }: ResourceCall): unknown {
  const text = decodeText(request.body ?? '');
  try {
    return shallow(JSON.parse(text));
  } catch (error) {
    if (error instanceof StatusError) throw error;
    const prefix = contentType(request) === STRATEGIC ? '' : 'error decoding patch: ';
    throw badRequest(prefix + jsonSyntaxProblem(text));
  }
}

function shallow(value: unknown): unknown {
  if (isTooDeep(value)) throw badRequest('the body of the request is nested too deeply');
  return value;
}

/** The body of apply, which may be YAML. */
export function readApplied({ request }: ResourceCall): unknown {
  let value: unknown;
  try {
    value = readYaml(decodeText(request.body ?? '')).value;
  } catch (error) {
    if (!(error instanceof YamlProblem)) throw error;
    throw badRequest(`error decoding YAML: error converting YAML to JSON: ${error.message}`);
  }
  if (typeof value === 'object' && !Array.isArray(value)) return shallow(value ?? {});
  const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  throw badRequest(
    `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${type} into Go value of type map[string]interface {}`,
  );
}
