/** Errors for patches that cannot be applied. */
import { badRequest, StatusError } from '../model/status.ts';
import { goTypeName, goValue } from './go-values.ts';

export function badPatchFormat(what: 'retainKeys' | 'setElementOrder list' | 'primitive list'): StatusError {
  return badRequest(`invalid patch format of ${what}`);
}

/** The real server answers 500 without a reason for unexpected patches. */
export function unforeseen(message: string): StatusError {
  const error = new StatusError(500, '', message);
  delete error.body.reason;
  return error;
}

export const badPatchType = (directive: unknown, patch: unknown): StatusError =>
  unforeseen(`unknown patch type: ${goValue(directive)} in map: ${goValue(patch)}`);

export const noMergeKey = (item: unknown, key: string): StatusError =>
  unforeseen(`map: ${goValue(item)} does not contain declared merge key: ${key}`);

export const expectedType = (expected: string, actual: unknown): StatusError =>
  unforeseen(`expected a ${expected}, but received a ${goTypeName(actual)}`);
