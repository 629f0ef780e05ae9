/**
 * JSON Patch (RFC 6902) with the server's deviations: `replace` of an absent key adds it, `test` for null passes if
 * the key is absent, negative indices count from the end, and `add` without a value adds null.
 *
 * The object is never mutated; unchanged parts are shared with the result.
 */
import { badRequest, StatusError } from '../model/status.ts';
import { deepEqual, isRecord, isTooDeep, type JsonRecord, own, setKey } from '../schema/json.ts';
import { DecodeError, unmarshalError } from '../schema/typed-scalars.ts';

const MAX_OPERATIONS = 10_000;
/** Limit for all `copy` operations of one patch together: else a small patch could build a huge object. */
const MAX_COPIED_BYTES = 3 * 1024 * 1024;

interface Operation {
  readonly op: string;
  readonly path: string | undefined;
  readonly from: string | undefined;
  readonly value: unknown;
}

/** An operation failed. The server gives the client no details. */
class PatchFailure extends Error {
  override name = 'PatchFailure';
}

/** Throws 400 for an invalid patch, 413 for one that is too long, 422 for one that fails. */
export function applyJsonPatch(object: JsonRecord, patch: unknown): JsonRecord {
  const operations = decode(patch);
  const state = { copied: 0 };
  try {
    let result: unknown = object;
    for (const operation of operations) result = applyOperation(result, operation, state);
    if (!isRecord(result)) throw new PatchFailure('the patch replaces the object by something else');
    if (isTooDeep(result)) throw new PatchFailure('the result is nested too deeply');
    return result;
  } catch (error) {
    if (error instanceof PatchFailure) throw unprocessable();
    throw error;
  }
}

function unprocessable(): StatusError {
  return new StatusError(
    422,
    'Invalid',
    'the server rejected our request due to an error in our request',
    {},
  );
}

function decode(patch: unknown): Operation[] {
  if (patch === null) return [];
  try {
    if (!Array.isArray(patch)) throw wrongType(patch, '[]handlers.jsonPatchOp');
    if (patch.length > MAX_OPERATIONS) throw tooMany(patch.length);
    return patch.map(decodeOperation);
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(`error decoding patch: ${error.message}`);
    throw error;
  }
}

function wrongType(value: unknown, goName: string, field = ''): DecodeError {
  return unmarshalError(value, goName, { struct: 'jsonPatchOp', names: field });
}

function tooMany(count: number): StatusError {
  return new StatusError(
    413,
    'RequestEntityTooLarge',
    `Request entity too large: The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${count}`,
  );
}

function decodeOperation(value: unknown): Operation {
  if (!isRecord(value)) throw wrongType(value, 'handlers.jsonPatchOp');
  const text = (name: string): string | undefined => {
    const found = own(value, name) ?? undefined;
    if (found !== undefined && typeof found !== 'string') throw wrongType(found, 'string', name);
    return found;
  };
  return { op: text('op') ?? '', path: text('path'), from: text('from'), value: own(value, 'value') ?? null };
}

function applyOperation(document: unknown, operation: Operation, state: { copied: number }): unknown {
  const { op, value } = operation;
  switch (op) {
    case 'add':
      return add(document, pointer(operation.path), value);
    case 'remove':
      return remove(document, pointer(operation.path));
    case 'replace':
      return replace(document, operation.path, value);
    case 'test':
      return test(document, operation.path, value);
    case 'move': {
      const from = pointer(operation.from);
      const moved = get(document, from);
      return add(remove(document, from), pointer(operation.path), moved ?? null);
    }
    case 'copy': {
      const copied = get(document, pointer(operation.from)) ?? null;
      state.copied += JSON.stringify(copied).length;
      if (state.copied > MAX_COPIED_BYTES) throw new PatchFailure('the patch copies too much');
      return add(document, pointer(operation.path), copied);
    }
    default:
      throw new PatchFailure(`unexpected kind: ${op}`);
  }
}

/** The keys of a path. The root has none, and only `replace` and `test` accept it. */
function pointer(path: string | undefined): readonly string[] {
  if (path === undefined || !path.includes('/')) throw new PatchFailure('the path leads nowhere');
  return path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Rebuilds the document with `change` applied to the container of the path's last key. */
function update(
  document: unknown,
  path: readonly string[],
  change: (container: JsonRecord | readonly unknown[], key: string) => unknown,
  depth = 0,
): unknown {
  const key = path[depth] as string;
  if (!isRecord(document) && !Array.isArray(document)) throw new PatchFailure('the path leads nowhere');
  if (depth === path.length - 1) return change(document, key);
  const child = update(childOf(document, key), path, change, depth + 1);
  if (Array.isArray(document)) return document.with(index(document, key), child);
  const copy = { ...document };
  setKey(copy, key, child);
  return copy;
}

function childOf(container: JsonRecord | readonly unknown[], key: string): unknown {
  return Array.isArray(container) ? container[index(container, key)] : own(container as JsonRecord, key);
}

function index(items: readonly unknown[], key: string, length = items.length): number {
  if (!/^[+-]?\d+$/.test(key)) throw new PatchFailure(`${key} is no index`);
  const given = Number(key);
  const found = given < 0 ? given + length : given;
  if (found < 0 || found >= length) throw new PatchFailure(`no index ${key}`);
  return found;
}

function add(document: unknown, path: readonly string[], value: unknown): unknown {
  return update(document, path, (container, key) => {
    if (Array.isArray(container)) {
      return key === '-'
        ? [...container, value]
        : container.toSpliced(index(container, key, container.length + 1), 0, value);
    }
    const copy = { ...(container as JsonRecord) };
    setKey(copy, key, value);
    return copy;
  });
}

function remove(document: unknown, path: readonly string[]): unknown {
  return update(document, path, (container, key) => {
    if (Array.isArray(container)) return container.toSpliced(index(container, key), 1);
    if (!Object.hasOwn(container, key)) throw new PatchFailure(`no key ${key}`);
    const copy = { ...(container as JsonRecord) };
    delete copy[key];
    return copy;
  });
}

function replace(document: unknown, path: string | undefined, value: unknown): unknown {
  if (path === '') return value;
  return update(document, pointer(path), (container, key) => {
    if (Array.isArray(container)) return container.with(index(container, key), value);
    const copy = { ...(container as JsonRecord) };
    setKey(copy, key, value);
    return copy;
  });
}

function test(document: unknown, path: string | undefined, value: unknown): unknown {
  const found = path === '' ? document : (get(document, pointer(path)) ?? null);
  if (!deepEqual(found, value)) throw new PatchFailure(`testing value ${path} failed`);
  return document;
}

/** Undefined for an absent key; an absent container is an error. */
function get(document: unknown, path: readonly string[]): unknown {
  let current = document;
  for (const key of path) {
    if (!isRecord(current) && !Array.isArray(current)) throw new PatchFailure('the path leads nowhere');
    current = childOf(current, key);
  }
  return current;
}
