/** The JSON patch (RFC 6902) between two objects: a mutating webhook's answer. */
import type { JsonPatchOperation } from '../client/client.ts';
import { deepEqual, isMap, own } from '../objects/equality.ts';

/** Maps are compared field by field, lists as a whole. Empty when nothing differs. */
export function jsonPatchDiff(before: unknown, after: unknown, path = ''): JsonPatchOperation[] {
  if (!isMap(before) || !isMap(after)) {
    return deepEqual(before, after) ? [] : [{ op: 'replace', path, value: after }];
  }
  const operations: JsonPatchOperation[] = [];
  for (const [name, value] of Object.entries(before)) {
    if (value !== undefined && own(after, name) === undefined)
      operations.push({ op: 'remove', path: join(path, name) });
  }
  for (const [name, value] of Object.entries(after)) {
    if (value === undefined) continue;
    const old = own(before, name);
    if (old === undefined) operations.push({ op: 'add', path: join(path, name), value });
    else operations.push(...jsonPatchDiff(old, value, join(path, name)));
  }
  return operations;
}

function join(path: string, name: string): string {
  return `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
