/** Small pieces of JSON patches. */
import type { JsonPatchOperation } from '@reloader/runtime';

/** A path of unescaped steps: `pointer('metadata', 'annotations', 'a/b')` is `/metadata/annotations/a~1b`. */
export function pointer(...steps: readonly (string | number)[]): string {
  return steps.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Null means that nothing stands there: the API server takes the test where the key is absent. */
export function test(path: string, value: unknown): JsonPatchOperation {
  return { op: 'test', path, value: value ?? null };
}

/** Sets what is there or not. */
export function set(path: string, value: unknown): JsonPatchOperation {
  return { op: 'add', path, value };
}

export function remove(path: string): JsonPatchOperation {
  return { op: 'remove', path };
}

/** Tests first: whoever reads a patch sees its conditions, and the server stops at the first that fails. */
export function testsFirst(operations: readonly JsonPatchOperation[]): JsonPatchOperation[] {
  return [...operations.filter(({ op }) => op === 'test'), ...operations.filter(({ op }) => op !== 'test')];
}
