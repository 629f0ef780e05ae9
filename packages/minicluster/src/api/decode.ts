/** Decodes a value as one kind: types checked, unknown fields dropped or refused, defaults not yet set. */
import { apiVersionOf, type Kind } from '../kinds/index.ts';
import type { KubeObject } from '../model/object.ts';
import { badRequest, invalid, type StatusError } from '../model/status.ts';
import { readCustom } from '../schema/custom.ts';
import { goJson } from '../schema/json.ts';
import { decodeTyped, type TypedBody } from '../schema/typed.ts';
import { DecodeError } from '../schema/typed-scalars.ts';
import type { ParsedBody } from './body.ts';
import type { ResourceCall } from './call.ts';

/** Duplicate keys of a body: YAML reports lines, JSON paths. */
type Duplicates = Pick<ParsedBody, 'repeatedKeys' | 'repeatedFields'>;

/** Builds the error for an undecodable value; strategic patches use other messages for the same errors. */
export type Refuse = (why: string, converterWords?: string) => StatusError;

/** Decodes the body of a create or an update. Throws 400. */
export function decodeObject(call: ResourceCall, body: ParsedBody): KubeObject {
  const { kind } = call;
  if (kind.definition === undefined) checkCustomType(call, body);
  else checkType(call, body.value);
  const { kind: _kind, apiVersion: _apiVersion, ...content } = body.value;
  const value = { kind: kind.kind, apiVersion: apiVersionOf(kind), ...content };
  return settle(call, value, (why) => refusedBody(kind, why), body);
}

/** Decodes a value as this kind and reports unknown fields as `fieldValidation` asks. */
export function settle(
  call: ResourceCall,
  value: Record<string, unknown>,
  refuse: Refuse,
  duplicates?: Duplicates,
): KubeObject {
  const { object, unknown } = readAs(call.kind, value, refuse);
  // Without `fieldValidation` the server warns.
  const mode = call.query.get('fieldValidation') || 'Warn';
  if (mode !== 'Ignore') {
    const keys = duplicates?.repeatedKeys ?? [];
    const fields = [
      ...unknown.map((path) => `unknown field ${JSON.stringify(path)}`),
      ...(duplicates?.repeatedFields() ?? []).map((path) => `duplicate field ${JSON.stringify(path)}`),
    ];
    if (mode === 'Strict' && keys.length + fields.length > 0) {
      const all = keys.length > 0 ? [`yaml: unmarshal errors:\n  ${keys.join('\n  ')}`, ...fields] : fields;
      throw refuse(`strict decoding error: ${all.join(', ')}`);
    }
    call.warnings.push(...keys, ...fields);
  }
  if (typeof object.metadata !== 'object' || object.metadata === null) object.metadata = {};
  return object as KubeObject;
}

function refusedBody(kind: Kind, why: string): StatusError {
  return badRequest(`${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: ${why}`);
}

function readAs(kind: Kind, value: Record<string, unknown>, refuse: Refuse): TypedBody {
  try {
    const read =
      kind.definition === undefined ? readCustom(value, kind, kind.schema) : decodeTyped(value, kind);
    // The decoder shares unchanged parts, and later steps mutate the object, so it is copied.
    return read.object === value ? { ...read, object: { ...value } } : read;
  } catch (error) {
    if (error instanceof DecodeError) throw refuse(error.message, error.converterMessage);
    throw error;
  }
}

/** A body may omit apiVersion and kind, but not contradict the path. */
function checkType({ kind, cluster }: ResourceCall, value: Record<string, unknown>): void {
  const expected = apiVersionOf(kind);
  const given = { apiVersion: text(value.apiVersion) || expected, kind: text(value.kind) || kind.kind };
  if (given.apiVersion === expected && given.kind === kind.kind) return;
  const version = given.apiVersion.split('/').pop() ?? '';
  const known = cluster.kinds.byKind(given.apiVersion, given.kind);
  const why = known
    ? `converting (${version}.${given.kind}) to (${kind.group.split('.')[0] || 'core'}.${kind.kind}): unknown conversion`
    : `no kind "${given.kind}" is registered for version "${given.apiVersion}" in scheme "pkg/runtime/scheme.go:111"`;
  throw badRequest(`${given.kind} in version "${version}" cannot be handled as a ${kind.kind}: ${why}`);
}

/** Custom resources must name their kind; the server has three different messages for that. */
function checkCustomType({ kind }: ResourceCall, { value, refuse }: ParsedBody): void {
  const expected = apiVersionOf(kind);
  const given = { apiVersion: text(value.apiVersion), kind: text(value.kind) };
  if (given.kind === '') throw refuse(`Object 'Kind' is missing in '${goJson(value)}'`);
  if (given.apiVersion !== expected) {
    throw badRequest(
      `the API version in the data (${given.apiVersion}) does not match the expected API version (${expected})`,
    );
  }
  if (given.kind === kind.kind) return;
  const message = `Invalid value: ${JSON.stringify(given.kind)}: must be ${kind.kind}`;
  const name = text((value.metadata as Record<string, unknown> | undefined)?.name);
  throw invalid({ group: kind.group, kind: given.kind }, name, [
    { reason: 'FieldValueInvalid', field: 'kind', message },
  ]);
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
