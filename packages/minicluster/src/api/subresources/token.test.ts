import { beforeEach, describe, expect, test } from 'vitest';
import { type TestCluster, testCluster } from '../cluster.test.helper.ts';

const NS = '/api/v1/namespaces/default';
let t: TestCluster;

beforeEach(async () => {
  t = await testCluster();
  await t.send('POST', `${NS}/serviceaccounts`, { metadata: { name: 'robot' } });
});

const request = (spec: object = {}) => t.send('POST', `${NS}/serviceaccounts/robot/token`, { spec });
const whoAmI = (token: string) =>
  t.send('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, { token });

test('a token stands for its service account', async () => {
  const { status, body } = await request();
  expect(status).toBe(201);
  expect(body).toMatchObject({
    kind: 'TokenRequest',
    metadata: { name: 'robot', namespace: 'default' },
    spec: { audiences: ['https://kubernetes.default.svc'], expirationSeconds: 3600 },
    status: { expirationTimestamp: '2030-01-01T01:00:00Z' },
  });
  const me = await whoAmI(body.status.token);
  expect(me.body.status.userInfo).toMatchObject({
    username: 'system:serviceaccount:default:robot',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
  });
});

test('it is a JSON web token with the usual claims', async () => {
  const { body } = await request();
  const [, payload = ''] = body.status.token.split('.');
  expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({
    iss: 'https://kubernetes.default.svc',
    sub: 'system:serviceaccount:default:robot',
    exp: Date.UTC(2030, 0, 1, 1) / 1000,
    'kubernetes.io': { namespace: 'default', serviceaccount: { name: 'robot' } },
  });
});

test('it expires on the clock', async () => {
  const token = (await request({ expirationSeconds: 600 })).body.status.token;
  await t.clock.advance(599_000);
  expect((await whoAmI(token)).status).toBe(201);
  await t.clock.advance(1_000);
  expect((await whoAmI(token)).body).toMatchObject({
    code: 401,
    reason: 'Unauthorized',
    message: 'Unauthorized',
  });
});

test('a token for somebody else is worth nothing here', async () => {
  const token = (await request({ audiences: ['vault'] })).body.status.token;
  expect((await whoAmI(token)).status).toBe(401);
});

test('it can be revoked', async () => {
  const token = (await request()).body.status.token;
  const other = (await request()).body.status.token;
  t.cluster.revokeToken(token);
  expect((await whoAmI(token)).status).toBe(401);
  expect((await whoAmI(other)).status).toBe(201);
});

test('it ends with its account, also when another of that name comes', async () => {
  const token = (await request()).body.status.token;
  await t.send('DELETE', `${NS}/serviceaccounts/robot`);
  expect((await whoAmI(token)).status).toBe(401);
  await t.send('POST', `${NS}/serviceaccounts`, { metadata: { name: 'robot' } });
  expect((await whoAmI(token)).status).toBe(401);
});

test('it ends with the object that it is bound to', async () => {
  await t.send('POST', `${NS}/secrets`, { metadata: { name: 's' } });
  const boundObjectRef = { kind: 'Secret', apiVersion: 'v1', name: 's' };
  const token = (await request({ boundObjectRef })).body.status.token;
  expect((await whoAmI(token)).status).toBe(201);
  await t.send('DELETE', `${NS}/secrets/s`);
  expect((await whoAmI(token)).status).toBe(401);
});

test('a token of one cluster is worth nothing in another', async () => {
  const token = (await request()).body.status.token;
  const other = await testCluster({ seed: 2 });
  await other.send('POST', `${NS}/serviceaccounts`, { metadata: { name: 'robot' } });
  const answer = await other.send('GET', '/api', undefined, { token });
  expect(answer.status).toBe(401);
});

test('a token that somebody has changed is worth nothing', async () => {
  const token: string = (await request()).body.status.token;
  const [header, payload = '', signature] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const forged = Buffer.from(
    JSON.stringify({ ...claims, sub: 'system:serviceaccount:kube-system:x' }),
  ).toString('base64url');
  for (const bad of [`${header}.${forged}.${signature}`, `${token}x`, `${header}.${payload}`, 'x.y.z', '']) {
    expect((await t.send('GET', '/api', undefined, { token: bad })).status).toBe(401);
  }
});

describe('what is refused', () => {
  test('a life that is too short', async () => {
    expect((await request({ expirationSeconds: 5 })).body).toMatchObject({
      code: 422,
      message:
        'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 5: may not specify a duration less than 10 minutes',
    });
  });

  test('an account that does not exist', async () => {
    const { body } = await t.send('POST', `${NS}/serviceaccounts/nope/token`, {});
    expect(body).toMatchObject({ code: 404, message: 'serviceaccounts "nope" not found' });
  });

  test('an object that does not exist, is another one, or cannot be bound to', async () => {
    const bound = (reference: object) => request({ boundObjectRef: { apiVersion: 'v1', ...reference } });
    expect((await bound({ kind: 'Pod', name: 'x' })).body).toMatchObject({
      code: 404,
      message: 'pods "x" not found',
    });
    await t.send('POST', `${NS}/secrets`, { metadata: { name: 's' } });
    expect((await bound({ kind: 'Secret', name: 's', uid: 'other' })).body).toMatchObject({ code: 409 });
    expect((await bound({ kind: 'Foo', name: 's' })).body).toMatchObject({
      code: 400,
      message: 'cannot bind token to object of type /v1, Kind=Foo',
    });
  });
});
