import { expect, test } from 'vitest';
import type { KubernetesObject } from '../model/types.ts';
import {
  type AdmissionRequest,
  allow,
  defaulter,
  deny,
  invalid,
  type Operation,
  validator,
} from './admission.ts';
import { parseReview, ReviewError, renderReview } from './review.ts';

interface App extends KubernetesObject {
  spec?: { replicas?: number; image?: string };
}
const context = { signal: new AbortController().signal };

function request(operation: Operation, object?: App, oldObject?: App): AdmissionRequest {
  return {
    uid: 'u-1',
    operation,
    kind: { group: 'example.com', version: 'v1', kind: 'App' },
    resource: { group: 'example.com', version: 'v1', resource: 'apps' },
    name: 'web',
    userInfo: { username: 'me' },
    ...(object && { object }),
    ...(oldObject && { oldObject }),
  };
}

test.each<[Operation, App | undefined, App | undefined, string]>([
  ['CREATE', { spec: { replicas: 1 } }, undefined, 'created 1'],
  ['UPDATE', { spec: { replicas: 2 } }, { spec: { replicas: 1 } }, 'updated 1 to 2'],
  ['DELETE', undefined, { spec: { replicas: 1 } }, 'deleted 1'],
])('a validator is asked about %s with the right objects', async (operation, object, old, said) => {
  const handler = validator<App>({
    create: ({ spec }) => deny(`created ${spec?.replicas}`),
    update: ({ spec }, before) => deny(`updated ${before.spec?.replicas} to ${spec?.replicas}`),
    delete: ({ spec }) => deny(`deleted ${spec?.replicas}`),
  });
  expect((await handler(request(operation, object, old), context)).message).toBe(said);
});

test.each<Operation>(['CREATE', 'UPDATE', 'DELETE', 'CONNECT'])(
  '%s without a check is allowed',
  async (operation) => {
    expect(await validator<App>({})(request(operation, {}, {}), context)).toEqual({ allowed: true });
  },
);

test('a check that says nothing allows; one may also allow with warnings', async () => {
  const silent = validator<App>({ create: async () => {} });
  expect(await silent(request('CREATE', {}), context)).toEqual({ allowed: true });
  const warning = validator<App>({ create: () => allow(['replicas is deprecated']) });
  expect(await warning(request('CREATE', {}), context)).toEqual({
    allowed: true,
    warnings: ['replicas is deprecated'],
  });
});

test('an invalid object is refused as the API server would, field by field', () => {
  const answer = invalid(request('CREATE', {}), [
    { field: 'spec.image', message: 'Required value' },
    { field: 'spec.replicas', message: 'Invalid value: -1' },
  ]);
  expect(answer).toMatchObject({
    allowed: false,
    code: 422,
    reason: 'Invalid',
    message: 'App.example.com "web" is invalid: spec.image: Required value, spec.replicas: Invalid value: -1',
    causes: [{ field: 'spec.image' }, { field: 'spec.replicas' }],
  });
});

test('a defaulter answers with the difference that it made, and leaves the request alone', async () => {
  const handler = defaulter<App>((draft) => {
    draft.spec = { replicas: 1, ...draft.spec };
  });
  const asked = request('CREATE', { spec: { image: 'x' } });
  expect(await handler(asked, context)).toEqual({
    allowed: true,
    patch: [{ op: 'add', path: '/spec/replicas', value: 1 }],
  });
  expect(asked.object).toEqual({ spec: { image: 'x' } });
  expect(await handler(request('UPDATE', { spec: { replicas: 3 } }, {}), context)).toEqual({ allowed: true });
  expect(await handler(request('DELETE', undefined, {}), context)).toEqual({ allowed: true });
});

const review = (change: object = {}, requestChange: object = {}) =>
  JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: { ...request('CREATE', { spec: {} }), oldObject: null, ...requestChange },
    ...change,
  });

test('a review is read, and null in it means "not there"', () => {
  const parsed = parseReview(review());
  expect(parsed).toEqual(request('CREATE', { spec: {} }));
  expect(parsed).not.toHaveProperty('oldObject');
});

test.each<[string, string]>([
  ['', 'not JSON'],
  ['{', 'not JSON'],
  ['null', 'not an AdmissionReview'],
  ['[]', 'not an AdmissionReview'],
  ['{"kind":"Pod"}', 'not an AdmissionReview'],
  [review({ apiVersion: 'admission.k8s.io/v1beta1' }), 'only admission.k8s.io/v1 is spoken here'],
  [review({ request: null }), 'has no request'],
  [review({}, { uid: '' }), 'has no uid'],
  [review({}, { operation: 'PATCH' }), 'operation "PATCH"'],
  [review({}, { kind: 'App' }), 'has no kind'],
  [review({}, { userInfo: null }), 'has no userInfo'],
])('body %s is refused', (body, message) => {
  const parse = () => parseReview(body);
  expect(parse).toThrow(ReviewError);
  expect(parse).toThrow(message);
});

test('an answer that allows carries the patch in base64', () => {
  const patch = [{ op: 'add', path: '/a', value: 1 }] as const;
  const { response } = JSON.parse(renderReview('u-1', { allowed: true, patch, warnings: ['w'] }));
  expect(response).toEqual({
    uid: 'u-1',
    allowed: true,
    patchType: 'JSONPatch',
    patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
    warnings: ['w'],
  });
});

test('an answer that refuses carries a status and never a patch', () => {
  const answer = { ...deny('no'), patch: [{ op: 'remove', path: '/a' }] as const };
  const { response } = JSON.parse(renderReview('u-1', answer));
  expect(response).toEqual({
    uid: 'u-1',
    allowed: false,
    status: { status: 'Failure', message: 'no', code: 403, reason: 'Forbidden' },
  });
});
