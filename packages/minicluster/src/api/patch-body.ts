/** The bodies of PATCH: their four types, and what is wrong with them. */
import { checkSize, contentType, readYaml, unsupportedMediaType } from './body.ts';
import type { ResourceCall } from './call.ts';
import { jsonSyntaxProblem } from './go-json.ts';
import { decodeText } from './request.ts';
import { badRequest, type FieldError, invalid } from './status.ts';

export const JSON_PATCH = 'application/json-patch+json';
export const MERGE = 'application/merge-patch+json';
export const STRATEGIC = 'application/strategic-merge-patch+json';
export const APPLY = 'application/apply-patch+yaml';

/** The type of the patch. Throws 413, 415, and 422 for options that do not go with it. */
export function patchType(call: ResourceCall): string {
  checkSize(call.request);
  const type = contentType(call.request);
  const builtIn = call.kind.definition !== undefined;
  const served = builtIn ? [JSON_PATCH, MERGE, STRATEGIC, APPLY] : [JSON_PATCH, MERGE, APPLY];
  if (!served.includes(type)) throw unsupportedMediaType(served.join(', '));
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

/** The body of all but apply. */
export function parsePatch({ request }: ResourceCall): unknown {
  const text = decodeText(request.body ?? '');
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest(`error decoding patch: ${jsonSyntaxProblem(text)}`);
  }
}

/** The body of apply, as it was written: JSON is YAML too. */
export function readApplied({ request }: ResourceCall): unknown {
  try {
    return readYaml(decodeText(request.body ?? ''));
  } catch (error) {
    throw badRequest(`error decoding YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
}
