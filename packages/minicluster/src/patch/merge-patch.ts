/** JSON Merge Patch (RFC 7386). Unchanged parts are shared with the result. */
import { badRequest } from '../model/status.ts';
import { isRecord, isTooDeep, type JsonRecord, own, setKey } from '../schema/json.ts';
import { type DecodeError, unmarshalError } from '../schema/typed-scalars.ts';

/** Throws 400 when the patch is not an object. */
export function applyMergePatch(object: JsonRecord, patch: unknown): JsonRecord {
  if (patch === null) throw badRequest('Invalid JSON Patch');
  if (!isRecord(patch)) {
    const problem: DecodeError = unmarshalError(patch, 'map[string]interface {}', { struct: '', names: '' });
    throw badRequest(`error decoding patch: ${problem.message}`);
  }
  if (isTooDeep(patch)) throw badRequest('error decoding patch: exceeded max depth');
  return mergeObjects(object, patch);
}

/** The merge of any two values: null removes, objects merge, everything else replaces. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return Array.isArray(patch) && !isRecord(target) ? withoutNulls(patch) : patch;
  return isRecord(target) ? mergeObjects(target, patch) : withoutNulls(patch);
}

function mergeObjects(target: JsonRecord, patch: JsonRecord): JsonRecord {
  let result: JsonRecord | undefined;
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    const before = own(target, key);
    if (value === null) {
      if (!Object.hasOwn(target, key)) continue;
      result ??= { ...target };
      delete result[key];
      continue;
    }
    const after = mergePatch(before ?? undefined, value);
    if (after === before) continue;
    result ??= { ...target };
    setKey(result, key, after);
  }
  return result ?? target;
}

/** A null always means removal, even if there is nothing to remove. Lists keep theirs. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => (item === null ? null : withoutNulls(item)));
  if (!isRecord(value)) return value;
  const result: JsonRecord = {};
  for (const key of Object.keys(value)) {
    if (value[key] !== null) setKey(result, key, withoutNulls(value[key]));
  }
  return result;
}
