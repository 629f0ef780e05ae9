import { beforeEach, describe, expect, test } from 'vitest';
import { type TestCluster, testCluster } from '../cluster.test.helper.ts';

const AUTHORIZATION = '/apis/authorization.k8s.io/v1';
const AUTHENTICATION = '/apis/authentication.k8s.io/v1';
const RBAC = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
let t: TestCluster;

beforeEach(async () => {
  t = await testCluster();
  t.cluster.addToken('bob', { name: 'bob', groups: ['devs'] });
  await t.send('POST', `${RBAC}/roles`, {
    metadata: { name: 'reader' },
    rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }],
  });
  await t.send('POST', `${RBAC}/rolebindings`, {
    metadata: { name: 'bob-reads' },
    subjects: [{ kind: 'User', name: 'bob', apiGroup: 'rbac.authorization.k8s.io' }],
    roleRef: { kind: 'Role', name: 'reader', apiGroup: 'rbac.authorization.k8s.io' },
  });
});

const bob = { token: 'bob' };
const resource = (verb: string, name: string) => ({
  resourceAttributes: { verb, resource: name, namespace: 'default' },
});

describe('may I?', () => {
  const ask = (spec: object) => t.send('POST', `${AUTHORIZATION}/selfsubjectaccessreviews`, { spec }, bob);

  test('yes, and why', async () => {
    const { status, body } = await ask(resource('get', 'pods'));
    expect(status).toBe(201);
    expect(body.status).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "bob-reads/default" of Role "reader" to User "bob"',
    });
    expect(body.spec).toEqual(resource('get', 'pods'));
  });

  test('no', async () => {
    expect((await ask(resource('delete', 'pods'))).body.status).toEqual({ allowed: false });
  });

  test('paths', async () => {
    expect((await ask({ nonResourceAttributes: { verb: 'get', path: '/api' } })).body.status.allowed).toBe(
      true,
    );
    expect((await ask({ nonResourceAttributes: { verb: 'get', path: '/foo' } })).body.status.allowed).toBe(
      false,
    );
  });

  test('a question must ask something, and only one thing', async () => {
    const nothing = await ask({});
    expect(nothing.body).toMatchObject({
      code: 422,
      message:
        '.authorization.k8s.io "" is invalid: spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
    });
    const both = await ask({
      ...resource('get', 'pods'),
      nonResourceAttributes: { verb: 'get', path: '/x' },
    });
    expect(both.body.message).toContain(
      'spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":"get"}: cannot be specified in combination with resourceAttributes',
    );
  });
});

describe('may they?', () => {
  const ask = (spec: object) => t.send('POST', `${AUTHORIZATION}/subjectaccessreviews`, { spec });

  test('as a user, as a group', async () => {
    expect((await ask({ user: 'bob', ...resource('get', 'pods') })).body.status.allowed).toBe(true);
    expect((await ask({ user: 'al', ...resource('get', 'pods') })).body.status.allowed).toBe(false);
    expect((await ask({ groups: ['system:masters'], ...resource('get', 'pods') })).body.status.allowed).toBe(
      true,
    );
  });

  test('somebody must be named', async () => {
    expect((await ask(resource('get', 'pods'))).body.message).toContain(
      'spec.user: Invalid value: "": at least one of user or group must be specified',
    );
  });

  test('not everybody may ask', async () => {
    const { body } = await t.send('POST', `${AUTHORIZATION}/subjectaccessreviews`, { spec: {} }, bob);
    expect(body.code).toBe(403);
  });

  test('inside one namespace', async () => {
    const path = `${AUTHORIZATION}/namespaces/default/localsubjectaccessreviews`;
    const inside = await t.send('POST', path, { spec: { user: 'bob', ...resource('get', 'pods') } });
    expect(inside.body.status.allowed).toBe(true);
    const outside = await t.send('POST', path, {
      spec: { user: 'bob', resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'x' } },
    });
    expect(outside.body.message).toContain('must match metadata.namespace');
  });
});

test('what may I?', async () => {
  const { body } = await t.send(
    'POST',
    `${AUTHORIZATION}/selfsubjectrulesreviews`,
    { spec: { namespace: 'default' } },
    bob,
  );
  expect(body.status.resourceRules).toContainEqual({ verbs: ['get'], apiGroups: [''], resources: ['pods'] });
  expect(body.status.nonResourceRules[0].nonResourceURLs).toContain('/api');
  const nowhere = await t.send('POST', `${AUTHORIZATION}/selfsubjectrulesreviews`, { spec: {} }, bob);
  expect(nowhere.body).toMatchObject({ code: 400, message: 'no namespace on request' });
});

test('who am I?', async () => {
  const { body } = await t.send('POST', `${AUTHENTICATION}/selfsubjectreviews`, {}, bob);
  expect(body).toMatchObject({
    kind: 'SelfSubjectReview',
    status: { userInfo: { username: 'bob', groups: ['devs', 'system:authenticated'] } },
  });
});

describe('whose token is this?', () => {
  const ask = (spec: object) => t.send('POST', `${AUTHENTICATION}/tokenreviews`, { spec });

  test('a good one', async () => {
    expect((await ask({ token: 'bob' })).body.status).toEqual({
      authenticated: true,
      user: { username: 'bob', groups: ['devs', 'system:authenticated'] },
      audiences: ['https://kubernetes.default.svc'],
    });
  });

  test('a bad one', async () => {
    expect((await ask({ token: 'nope' })).body.status).toEqual({ user: {}, error: 'invalid bearer token' });
    expect((await ask({ token: 'bob', audiences: ['x'] })).body.status).toEqual({
      user: {},
      error: 'invalid bearer token',
    });
    expect((await ask({})).body).toMatchObject({
      code: 400,
      message: 'token is required for TokenReview in authentication',
    });
  });

  test('one for another audience', async () => {
    await t.send('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'sa' } });
    const { body } = await t.send('POST', '/api/v1/namespaces/default/serviceaccounts/sa/token', {
      spec: { audiences: ['vault'] },
    });
    const { token } = body.status;
    expect((await ask({ token, audiences: ['vault', 'x'] })).body.status).toMatchObject({
      authenticated: true,
      audiences: ['vault'],
    });
    expect((await ask({ token })).body.status.error).toContain(
      'token audiences ["vault"] is invalid for the target audiences ["https://kubernetes.default.svc"]',
    );
  });
});
