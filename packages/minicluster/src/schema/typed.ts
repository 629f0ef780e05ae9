/**
 * Decodes a body as a built-in kind, like a server that decodes it into a Go struct and encodes it again: unknown
 * fields are dropped, nulls and empty values are dropped where the struct omits them, inner structs are added, and
 * quantities, times and base64 become canonical. Unchanged parts are shared with the body.
 */
import { badRequest, type StatusError } from '../model/status.ts';
import type { GroupVersionKind } from './definitions.ts';
import { type GoField, type GoStruct, type GoType, goStructFor, goStructNamed } from './go-types.ts';
import { isRecord, type JsonRecord, MAX_DEPTH, setKey } from './json.ts';
import { DecodeError, readScalar, unmarshalError } from './typed-scalars.ts';

export interface TypedBody {
  readonly object: JsonRecord;
  /** Unknown fields, as `spec.containers[0].foo`, in the order of the body. */
  readonly unknown: string[];
}

/** A kind that is not in the table is returned unchanged. Throws 400 for values of the wrong type. */
export function readTyped(body: unknown, gvk: GroupVersionKind): TypedBody {
  try {
    return decodeTyped(body, gvk);
  } catch (error) {
    if (error instanceof DecodeError) throw cannotBeHandled(gvk, error.message);
    throw error;
  }
}

/** Like `readTyped`, but throws `DecodeError`, for callers with other messages. */
export function decodeTyped(body: unknown, gvk: GroupVersionKind): TypedBody {
  const struct = goStructFor(gvk);
  const unknown: string[] = [];
  if (!struct) {
    if (isRecord(body)) return { object: body, unknown };
    throw new DecodeError('the body is not an object');
  }
  const root: Place = { struct: struct.name, names: '', path: '', depth: 0, unknown };
  return { object: readStruct(body, struct, root, struct.name) as JsonRecord, unknown };
}

/** Metadata of a custom resource, which is typed although the rest is not. */
export function readMetadata(
  metadata: unknown,
  struct: GoStruct,
  gvk: GroupVersionKind,
  path: string,
  unknown: string[],
): JsonRecord {
  try {
    const root: Place = { struct: struct.name, names: '', path, depth: 0, unknown };
    return readStruct(metadata, struct, root, 'v1.ObjectMeta') as JsonRecord;
  } catch (error) {
    if (error instanceof DecodeError) throw cannotBeHandled(gvk, error.message);
    throw error;
  }
}

function cannotBeHandled({ version, kind }: GroupVersionKind, why: string): StatusError {
  return badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${why}`);
}

export function unknownFieldWarnings(unknown: readonly string[]): string[] {
  return unknown.map((path) => `unknown field ${JSON.stringify(path)}`);
}

const zeros = new Map<string, JsonRecord>();

/** Go's encoding of a new, empty object of this kind. */
export function zeroObject(gvk: GroupVersionKind): JsonRecord {
  const key = `${gvk.group}/${gvk.version}/${gvk.kind}`;
  let zero = zeros.get(key);
  if (!zero) {
    zero = readTyped({}, gvk).object;
    zeros.set(key, zero);
  }
  return zero;
}

/** The decoder's position, for messages. */
interface Place {
  /** The current struct, and the field path as Go's messages join it. */
  readonly struct: string;
  readonly names: string;
  /** As in unknown-field reports, with indices. */
  readonly path: string;
  readonly depth: number;
  readonly unknown: string[];
}

const join = (a: string, b: string): string => (a ? `${a}.${b}` : b);

function readValue(value: unknown, type: GoType, place: Place): unknown {
  if (place.depth > MAX_DEPTH) throw new DecodeError('exceeded max depth');
  switch (type.kind) {
    case 'struct':
      return readStruct(value, (type.struct as () => GoStruct)(), place, type.goName);
    case 'list':
      return readList(value, type, place);
    case 'map':
      return readMap(value, type, place);
    case 'raw':
      return value;
    case 'schemaorbool':
      return typeof value === 'boolean' ? value : readSchema(value, place, 'boolean or JSON schema expected');
    case 'schemaorarray':
    case 'schemaorstrings':
      return readSchemaOrList(value, type, place);
    default:
      return readScalar(value, type, place);
  }
}

function readStruct(value: unknown, struct: GoStruct, place: Place, goName: string): unknown {
  if (!isRecord(value)) throw unmarshalError(value, goName, place, 'struct');
  const keys = Object.keys(value);
  let result: JsonRecord | undefined;
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string;
    const field = struct.fields.get(key);
    const before = value[key];
    let after: unknown;
    if (!field) place.unknown.push(join(place.path, key));
    else if (before !== null) after = readField(before, field, struct, place);
    else if (struct.nulls.has(key)) after = null;
    if (result) {
      if (after !== undefined) setKey(result, key, after);
    } else if (after !== before || after === undefined) {
      // A copy that grows is faster to use than one with deleted keys.
      result = pick(value, keys, i);
      if (after !== undefined) setKey(result, key, after);
    }
  }
  for (const field of struct.always) {
    if (Object.hasOwn(result ?? value, field.name)) continue;
    result ??= { ...value };
    setKey(result, field.name, zeroValue(field));
  }
  return result ?? value;
}

/** Undefined if the field is omitted. */
function readField(value: unknown, field: GoField, struct: GoStruct, place: Place): unknown {
  const read = readValue(value, field.type, {
    struct: struct.name,
    names: join(place.names, field.embedded ? `${field.embedded}.${field.name}` : field.name),
    path: join(place.path, field.name),
    depth: place.depth + 1,
    unknown: place.unknown,
  });
  // An empty managedFields list asks to reset them: field management reads it, then drops it.
  if (field.type.goName === '[]v1.ManagedFieldsEntry') return read;
  return field.omitEmpty && !field.pointer && isEmpty(read, field.type) ? undefined : read;
}

/** The first `count` of these keys. */
function pick(value: JsonRecord, keys: readonly string[], count: number): JsonRecord {
  const result: JsonRecord = {};
  for (let i = 0; i < count; i++) setKey(result, keys[i] as string, value[keys[i] as string]);
  return result;
}

/** Empty as `omitempty` defines it: a struct never is. */
function isEmpty(value: unknown, type: GoType): boolean {
  if (value === '' || value === 0 || value === false) return type.kind !== 'intorstring';
  if (Array.isArray(value)) return value.length === 0;
  if (type.kind !== 'map') return false;
  for (const _ in value as JsonRecord) return false;
  return true;
}

function zeroValue({ type, pointer }: GoField): unknown {
  if (pointer) return null;
  switch (type.kind) {
    case 'string':
      return '';
    case 'bool':
      return false;
    case 'int32':
    case 'int64':
    case 'float64':
    case 'intorstring':
      return 0;
    case 'quantity':
      return '0';
    case 'struct':
      return readStruct({}, (type.struct as () => GoStruct)(), NOWHERE, '');
    default:
      return null;
  }
}

const NOWHERE: Place = { struct: '', names: '', path: '', depth: 0, unknown: [] };

function readList(value: unknown, type: GoType, place: Place): unknown {
  if (!Array.isArray(value)) throw unmarshalError(value, type.goName, place, type.kind);
  const element = type.element as GoType;
  let result: unknown[] | undefined;
  for (let index = 0; index < value.length; index++) {
    const before: unknown = value[index];
    const at = { ...place, path: `${place.path}[${index}]`, depth: place.depth + 1 };
    const after = before === null ? zeroElement(element) : readValue(before, element, at);
    if (after === before) continue;
    result ??= [...value];
    result[index] = after;
  }
  return result ?? value;
}

function readMap(value: unknown, type: GoType, place: Place): unknown {
  if (!isRecord(value)) throw unmarshalError(value, type.goName, place, type.kind);
  const element = type.element as GoType;
  let result: JsonRecord | undefined;
  for (const key of Object.keys(value)) {
    const before = value[key];
    const at =
      element.kind === 'string' ? place : { ...place, path: join(place.path, key), depth: place.depth + 1 };
    const after = before === null ? zeroElement(element) : readValue(before, element, at);
    if (after === before) continue;
    result ??= { ...value };
    setKey(result, key, after);
  }
  return result ?? value;
}

function zeroElement(type: GoType): unknown {
  return zeroValue({ name: '', type, number: 0, omitEmpty: false, omitZero: false, pointer: false });
}

function readSchema(value: unknown, place: Place, expected: string): unknown {
  if (!isRecord(value)) throw new DecodeError(expected);
  return readStruct(value, goStructNamed('v1.JSONSchemaProps'), place, 'v1.JSONSchemaProps');
}

function readSchemaOrList(value: unknown, type: GoType, place: Place): unknown {
  if (!Array.isArray(value)) return readSchema(value, place, 'JSON schema or list expected');
  if (type.kind === 'schemaorstrings') return value;
  return value.map((each) => readSchema(each, { ...place, depth: place.depth + 1 }, 'JSON schema expected'));
}
