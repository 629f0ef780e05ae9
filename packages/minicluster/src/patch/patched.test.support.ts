/** For unit tests: decodes a patched object, as `api/verbs/patch.ts` does for requests. */
import { StatusError } from '../model/status.ts';
import type { GroupVersionKind } from '../schema/definitions.ts';
import { goJson, type JsonRecord } from '../schema/json.ts';
import { decodeTyped, type TypedBody } from '../schema/typed.ts';
import { DecodeError } from '../schema/typed-scalars.ts';
import { goValue } from './go-values.ts';

/** The object quoted in messages: the whole object for a JSON or merge patch, the patch itself for a strategic one. */
export type PatchSource =
  | { readonly type: 'json' | 'merge' }
  | { readonly type: 'strategic'; readonly patch: unknown };

/** Like `readTyped`, for a patched object. Throws 422. */
export function readPatched(patched: JsonRecord, gvk: GroupVersionKind, source: PatchSource): TypedBody {
  try {
    return decodeTyped(patched, gvk);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const why = source.type === 'strategic' ? error.converterMessage : error.message;
    throw invalidPatch(patched, source, why);
  }
}

function invalidPatch(patched: JsonRecord, source: PatchSource, why: string): StatusError {
  const quoted = source.type === 'strategic' ? goValue(source.patch) : goJson(patched);
  const message = `Invalid value: ${JSON.stringify(quoted)}: ${why}`;
  return new StatusError(422, 'Invalid', ` "" is invalid: patch: ${message}`, {
    causes: [{ reason: 'FieldValueInvalid', message, field: 'patch' }],
  });
}
