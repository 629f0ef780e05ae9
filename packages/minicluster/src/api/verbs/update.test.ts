import { beforeEach, describe, expect, test } from 'vitest';
import { MERGE_PATCH, type TestCluster, testCluster } from '../cluster.test.helper.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
let t: TestCluster;

beforeEach(async () => {
  t = await testCluster();
  await t.send('POST', MAPS, { metadata: { name: 'a' }, data: { k: 'v' } });
});

const deployment = (spec: object = {}) => ({
  metadata: { name: 'web' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    ...spec,
  },
});

test('an update replaces the object and keeps its identity', async () => {
  const { body: before } = await t.send('GET', `${MAPS}/a`);
  const { status, body } = await t.send('PUT', `${MAPS}/a`, {
    metadata: { name: 'a' },
    data: { other: 'w' },
  });
  expect(status).toBe(200);
  expect(body.data).toEqual({ other: 'w' });
  expect(body.metadata).toMatchObject({
    uid: before.metadata.uid,
    creationTimestamp: before.metadata.creationTimestamp,
  });
  expect(Number(body.metadata.resourceVersion)).toBeGreaterThan(Number(before.metadata.resourceVersion));
});

test('an update that changes nothing is not written', async () => {
  const { body: before } = await t.send('GET', `${MAPS}/a`);
  const revision = t.cluster.store.revision;
  await t.clock.advance(5_000);
  const { body } = await t.send('PUT', `${MAPS}/a`, before);
  expect(body).toEqual(before);
  expect(t.cluster.store.revision).toBe(revision);
});

describe('optimistic locking', () => {
  test('an update of an old version is a conflict', async () => {
    const { body: old } = await t.send('GET', `${MAPS}/a`);
    await t.send('PATCH', `${MAPS}/a`, { data: { k: 'w' } }, MERGE_PATCH);
    const { status, body } = await t.send('PUT', `${MAPS}/a`, { ...old, data: { k: 'x' } });
    expect(status).toBe(409);
    expect(body).toMatchObject({
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
      details: { name: 'a', kind: 'configmaps' },
    });
  });

  test('an update of another uid means an object that is gone', async () => {
    const { body: live } = await t.send('GET', `${MAPS}/a`);
    const { body } = await t.send('PUT', `${MAPS}/a`, { metadata: { name: 'a', uid: 'other' } });
    expect(body).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message: `Operation cannot be fulfilled on configmaps "a": StorageError: invalid object, Code: 4, Key: /registry/configmaps/default/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: other, UID in object meta: ${live.metadata.uid}`,
    });
  });

  test('a resourceVersion must be a number', async () => {
    const { body } = await t.send('PUT', `${MAPS}/a`, { metadata: { name: 'a', resourceVersion: 'abc' } });
    expect(body).toMatchObject({ code: 500, message: 'strconv.ParseUint: parsing "abc": invalid syntax' });
  });

  test('some kinds do not accept an update that names no version', async () => {
    await t.send('POST', '/apis/coordination.k8s.io/v1/namespaces/default/leases', {
      metadata: { name: 'l' },
      spec: {},
    });
    const { body } = await t.send('PUT', '/apis/coordination.k8s.io/v1/namespaces/default/leases/l', {
      metadata: { name: 'l' },
      spec: {},
    });
    expect(body).toMatchObject({
      code: 422,
      details: { kind: 'leases', causes: [{ field: 'metadata.resourceVersion' }] },
    });
  });
});

describe('what an update must agree with', () => {
  test.each([
    [{ metadata: { name: 'b' } }, 'the name of the object (b) does not match the name on the URL (a)'],
    [{ metadata: {} }, 'the name of the object (a based on URL) was undeterminable: name must be provided'],
    [
      { metadata: { name: 'a', namespace: 'x' } },
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
  ])('%j', async (object, message) => {
    const { body } = await t.send('PUT', `${MAPS}/a`, object);
    expect(body).toMatchObject({ code: 400, reason: 'BadRequest', message });
  });
});

test('an update of what does not exist is a 404, except for kinds that are created that way', async () => {
  const missing = await t.send('PUT', `${MAPS}/nope`, { metadata: { name: 'nope' } });
  expect(missing.body).toMatchObject({ code: 404, message: 'configmaps "nope" not found' });
  const created = await t.send('PUT', '/apis/coordination.k8s.io/v1/namespaces/default/leases/l', {
    metadata: { name: 'l' },
    spec: {},
  });
  expect(created.status).toBe(201);
});

describe('status and the rest', () => {
  beforeEach(async () => {
    await t.send('POST', DEPLOYMENTS, deployment());
  });

  test('an update leaves status alone', async () => {
    await t.send('PATCH', `${DEPLOYMENTS}/web/status`, { status: { replicas: 3 } }, MERGE_PATCH);
    const { body } = await t.send('PUT', `${DEPLOYMENTS}/web`, { ...deployment(), status: { replicas: 9 } });
    expect(body.status.replicas).toBe(3);
  });

  test('an update of status leaves the rest alone', async () => {
    const { body: before } = await t.send('GET', `${DEPLOYMENTS}/web`);
    const { body } = await t.send('PUT', `${DEPLOYMENTS}/web/status`, {
      ...deployment({ replicas: 7 }),
      status: { replicas: 2 },
    });
    expect(body.spec).toEqual(before.spec);
    expect(body.status).toEqual({ replicas: 2 });
    expect(body.metadata.generation).toBe(1);
  });

  test('generation counts the changes of what is wanted', async () => {
    const generation = async () => (await t.send('GET', `${DEPLOYMENTS}/web`)).body.metadata.generation;
    expect(await generation()).toBe(1);
    await t.send('PATCH', `${DEPLOYMENTS}/web`, { metadata: { labels: { a: 'b' } } }, MERGE_PATCH);
    expect(await generation()).toBe(1);
    await t.send('PATCH', `${DEPLOYMENTS}/web`, { spec: { replicas: 5 } }, MERGE_PATCH);
    expect(await generation()).toBe(2);
    await t.send('PATCH', `${DEPLOYMENTS}/web/status`, { status: { replicas: 5 } }, MERGE_PATCH);
    expect(await generation()).toBe(2);
  });
});

test('a dry run changes nothing', async () => {
  const revision = t.cluster.store.revision;
  const { body } = await t.send('PUT', `${MAPS}/a?dryRun=All`, { metadata: { name: 'a' }, data: { k: 'w' } });
  expect(body.data).toEqual({ k: 'w' });
  expect((await t.send('GET', `${MAPS}/a`)).body.data).toEqual({ k: 'v' });
  expect(t.cluster.store.revision).toBe(revision);
});
