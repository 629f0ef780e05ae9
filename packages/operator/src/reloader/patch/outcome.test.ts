import { apiErrorFrom, ConnectionError, RequestTimeoutError } from '@reloader/runtime';
import { describe, expect, it } from 'vitest';
import { outcomeOf } from './outcome.ts';

const DOES_NOT_APPLY = 'the server rejected our request due to an error in our request';
const api = (code: number, reason: string, message = 'words', cause?: string) =>
  apiErrorFrom({ code, reason, message, ...(cause && { details: { causes: [{ reason: cause }] } }) });

describe('a refused write', () => {
  it.each([
    ['a test that fails', api(422, 'Invalid', DOES_NOT_APPLY), 'conflict'],
    ['a version that is not the newest', api(409, 'Conflict'), 'conflict'],
    ['a workload that is gone', api(404, 'NotFound'), 'conflict'],
    ['a namespace that goes', api(403, 'Forbidden', 'words', 'NamespaceTerminating'), 'conflict'],
    [
      'an invalid object',
      api(422, 'Invalid', 'Deployment "web" is invalid', 'FieldValueInvalid'),
      'rejected',
    ],
    [
      'a webhook that calls it invalid',
      api(422, 'Invalid', 'admission webhook "a" denied the request'),
      'rejected',
    ],
    ['a policy', api(403, 'Forbidden', 'admission webhook "a" denied the request: no'), 'rejected'],
    ['a quota', api(403, 'Forbidden', 'jobs "a" is forbidden: exceeded quota: q'), 'rejected'],
    ['a body that is too large', api(413, 'RequestEntityTooLarge'), 'rejected'],
    ['a patch that cannot be read', api(400, 'BadRequest'), 'rejected'],
    ['missing rights', api(403, 'Forbidden', 'User "u" cannot patch resource "deployments"'), 'forbidden'],
  ])('because of %s', (_, error, kind) => {
    expect(outcomeOf(error)).toEqual({ kind, message: error.message });
  });

  it.each([
    ['an overloaded server', api(429, 'TooManyRequests')],
    ['a server in trouble', api(500, 'InternalError')],
    ['an unavailable server', api(503, 'ServiceUnavailable')],
    ['expired credentials', api(401, 'Unauthorized')],
    ['a lost connection', new ConnectionError('lost')],
    ['a timeout', new RequestTimeoutError('slow')],
    ['a defect', new TypeError('bug')],
  ])('because of %s is thrown, to be tried again', (_, error) => {
    expect(() => outcomeOf(error)).toThrow(error);
  });
});
