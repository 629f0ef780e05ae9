/** Helpers to build JSON patches. */
import type { JsonPatchOperation } from '@reloader/runtime';

/** A path of unescaped steps: `pointer('metadata', 'annotations', 'a/b')` is `/metadata/annotations/a~1b`. */
export function pointer(...steps: readonly (string | number)[]): string {
  return steps.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Null tests that the key is absent: the API server lets such a test pass. */
export function test(path: string, value: unknown): JsonPatchOperation {
  return { op: 'test', path, value: value ?? null };
}

/** Sets a value, whether or not one exists. */
export function set(path: string, value: unknown): JsonPatchOperation {
  return { op: 'add', path, value };
}

export function remove(path: string): JsonPatchOperation {
  return { op: 'remove', path };
}

/** Tests first: a reader sees the preconditions at once, and the API server stops at the first that fails. */
export function testsFirst(operations: readonly JsonPatchOperation[]): JsonPatchOperation[] {
  return [...operations.filter(({ op }) => op === 'test'), ...operations.filter(({ op }) => op !== 'test')];
}
