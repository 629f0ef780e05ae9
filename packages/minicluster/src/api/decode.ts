/** A body as an object of one kind: types checked, unknown fields dropped or refused, defaults not yet set. */
import { apiVersionOf, type Kind } from '../kinds/index.ts';
import type { KubeObject } from '../object.ts';
import { readTyped } from '../schema/typed.ts';
import type { ParsedBody } from './body.ts';
import type { ResourceCall } from './call.ts';
import { badRequest } from './status.ts';

/** `fieldValidation` as the query says; the server warns when it says nothing. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export function fieldValidation(query: URLSearchParams): FieldValidation {
  return (query.get('fieldValidation') || 'Warn') as FieldValidation;
}

/** The body of a create or an update. Throws 400. */
export function decodeObject(call: ResourceCall, body: ParsedBody): KubeObject {
  const { kind } = call;
  const value = body.value as Record<string, unknown>;
  checkType(call, value);
  const { kind: _kind, apiVersion: _apiVersion, ...content } = value;
  return settle(call, { kind: kind.kind, apiVersion: apiVersionOf(kind), ...content });
}

/** What a value becomes when it is read as this kind, with complaints as the client wants to hear them. */
export function settle(
  call: ResourceCall,
  value: Record<string, unknown>,
  duplicates: readonly string[] = [],
): KubeObject {
  const { kind, query } = call;
  const { object, unknown } = readAs(kind, value);
  const mode = fieldValidation(query);
  if (mode !== 'Ignore') {
    const problems = [
      ...unknown.map((path) => `unknown field ${JSON.stringify(path)}`),
      ...duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`),
    ];
    if (problems.length > 0 && mode === 'Strict') throw strictError(kind, problems);
    call.warnings.push(...problems);
  }
  if (typeof object.metadata !== 'object' || object.metadata === null) object.metadata = {};
  return object as KubeObject;
}

function strictError(kind: Kind, problems: readonly string[]) {
  const why = `strict decoding error: ${problems.join(', ')}`;
  if (kind.definition === undefined) return badRequest(why);
  return badRequest(`${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: ${why}`);
}

function readAs(
  kind: Kind,
  value: Record<string, unknown>,
): { object: Record<string, unknown>; unknown: string[] } {
  const read = kind.definition === undefined ? { object: value, unknown: [] } : readTyped(value, kind);
  // Readers share what they need not change, and everything after this changes its object.
  return { object: read.object === value ? { ...value } : read.object, unknown: read.unknown };
}

/** A body may leave apiVersion and kind out, but not contradict the path. */
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

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
