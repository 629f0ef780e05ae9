import { beforeEach, describe, expect, test } from 'vitest';
import { MERGE_PATCH, summary, type TestCluster, testCluster } from '../cluster.test.helper.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';
let t: TestCluster;

beforeEach(async () => {
  t = await testCluster();
  await t.send('POST', MAPS, { metadata: { name: 'a' } });
  await t.send('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
});

async function createPod(name: string): Promise<void> {
  const { status } = await t.send('POST', PODS, {
    metadata: { name },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  });
  expect(status).toBe(201);
}

test('a deleted object is gone, and the answer tells what it was', async () => {
  const { body: before } = await t.send('GET', `${MAPS}/a`);
  const { status, body } = await t.send('DELETE', `${MAPS}/a`);
  expect(status).toBe(200);
  expect(body).toEqual({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name: 'a', kind: 'configmaps', uid: before.metadata.uid },
  });
  expect((await t.send('GET', `${MAPS}/a`)).status).toBe(404);
  expect((await t.send('DELETE', `${MAPS}/a`)).body).toMatchObject({
    code: 404,
    message: 'configmaps "a" not found',
  });
});

test('some older kinds show the object that went', async () => {
  const { body } = await t.send('DELETE', '/api/v1/namespaces/default/serviceaccounts/default');
  expect(body).toMatchObject({ kind: 'ServiceAccount', metadata: { name: 'default' } });
});

describe('preconditions', () => {
  test('another uid is a conflict', async () => {
    const { body: live } = await t.send('GET', `${MAPS}/a`);
    const { body } = await t.send('DELETE', `${MAPS}/a`, { preconditions: { uid: 'x' } });
    expect(body).toMatchObject({
      code: 409,
      message: `Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (x) does not match the UID in record (${live.metadata.uid}). The object might have been deleted and then recreated`,
      details: { name: 'a', kind: 'ConfigMap' },
    });
  });

  test('another version is a conflict', async () => {
    const { body } = await t.send('DELETE', `${MAPS}/a`, { preconditions: { resourceVersion: '1' } });
    expect(body.code).toBe(409);
    expect(body.message).toContain('the ResourceVersion in the precondition (1) does not match');
  });

  test('the right ones let it go', async () => {
    const { body: live } = await t.send('GET', `${MAPS}/a`);
    const { uid, resourceVersion } = live.metadata;
    const { status } = await t.send('DELETE', `${MAPS}/a`, { preconditions: { uid, resourceVersion } });
    expect(status).toBe(200);
  });
});

describe('finalizers', () => {
  beforeEach(async () => {
    await t.send('POST', MAPS, { metadata: { name: 'held', finalizers: ['x.io/a', 'x.io/b'] } });
  });

  test('an object that is held is marked, and shown', async () => {
    const { status, body } = await t.send('DELETE', `${MAPS}/held`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      kind: 'ConfigMap',
      metadata: { deletionTimestamp: '2030-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 },
    });
  });

  test('deleting it again changes nothing', async () => {
    await t.send('DELETE', `${MAPS}/held`);
    const revision = t.cluster.store.revision;
    await t.clock.advance(5_000);
    expect((await t.send('DELETE', `${MAPS}/held`)).body.metadata.deletionTimestamp).toBe(
      '2030-01-01T00:00:00Z',
    );
    expect(t.cluster.store.revision).toBe(revision);
  });

  test('it goes with its last finalizer', async () => {
    await t.send('DELETE', `${MAPS}/held`);
    await t.send('PATCH', `${MAPS}/held`, { metadata: { finalizers: ['x.io/b'] } }, MERGE_PATCH);
    expect((await t.send('GET', `${MAPS}/held`)).status).toBe(200);
    const { status } = await t.send('PATCH', `${MAPS}/held`, { metadata: { finalizers: null } }, MERGE_PATCH);
    expect(status).toBe(200);
    expect((await t.send('GET', `${MAPS}/held`)).status).toBe(404);
  });

  test('no finalizer can be added any more', async () => {
    await t.send('DELETE', `${MAPS}/held`);
    const { body } = await t.send(
      'PATCH',
      `${MAPS}/held`,
      { metadata: { finalizers: ['x.io/a', 'x.io/b', 'x.io/c'] } },
      MERGE_PATCH,
    );
    expect(body).toMatchObject({ code: 422, reason: 'Invalid' });
  });

  test('without a deletion, losing the finalizers does nothing more', async () => {
    await t.send('PATCH', `${MAPS}/held`, { metadata: { finalizers: null } }, MERGE_PATCH);
    expect((await t.send('GET', `${MAPS}/held`)).status).toBe(200);
  });
});

describe('dependents', () => {
  test.each([
    ['Foreground', ['foregroundDeletion']],
    ['Orphan', ['orphan']],
  ])(
    'propagationPolicy=%s holds the object until the garbage collector has done its part',
    async (policy, finalizers) => {
      const { body } = await t.send('DELETE', `${MAPS}/a?propagationPolicy=${policy}`);
      expect(body.metadata.finalizers).toEqual(finalizers);
      expect(body.metadata.deletionTimestamp).toBeDefined();
    },
  );

  test('propagationPolicy=Background lets it go at once', async () => {
    await t.send('DELETE', `${MAPS}/a`, { propagationPolicy: 'Background' });
    expect((await t.send('GET', `${MAPS}/a`)).status).toBe(404);
  });

  test('the old way to say it works', async () => {
    const { body } = await t.send('DELETE', `${MAPS}/a`, { orphanDependents: true });
    expect(body.metadata.finalizers).toEqual(['orphan']);
  });

  test('a later wish replaces an earlier one', async () => {
    await t.send('DELETE', `${MAPS}/a?propagationPolicy=Foreground`);
    const { body } = await t.send('DELETE', `${MAPS}/a?propagationPolicy=Orphan`);
    expect(body.metadata.finalizers).toEqual(['orphan']);
  });

  test.each([
    [
      { propagationPolicy: 'Foo' },
      'Unsupported value: "Foo": supported values: "Foreground", "Background", "Orphan"',
    ],
    [
      { propagationPolicy: 'Orphan', orphanDependents: true },
      'orphanDependents and deletionPropagation cannot be both',
    ],
    [{ dryRun: ['x'] }, 'dryRun: Unsupported value: ["x"]: supported values: "All"'],
  ])('%j makes no sense', async (options, message) => {
    const { body } = await t.send('DELETE', `${MAPS}/a`, options);
    expect(body).toMatchObject({ code: 422, details: { kind: 'DeleteOptions' } });
    expect(body.message).toContain(message);
  });

  test.each([
    ['{', "couldn't get version/kind; json parse error: unexpected end of JSON input"],
    [
      '{"gracePeriodSeconds":"x"}',
      'json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64',
    ],
    [
      '{"kind":"Foo"}',
      'no kind "Foo" is registered for version "meta.k8s.io/v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
  ])('the body %s cannot be read', async (body, message) => {
    expect((await t.send('DELETE', `${MAPS}/a`, body)).body).toMatchObject({ code: 400, message });
  });
});

describe('pods wait for their grace period', () => {
  test('an unscheduled pod goes at once', async () => {
    await createPod('p');
    const watch = await t.watch(`${PODS}?watch=1`);
    const { body } = await t.send('DELETE', `${PODS}/p`);
    expect(body.kind).toBe('Pod');
    await t.clock.settle();
    expect(summary(watch.events)).toEqual(['ADDED p', 'MODIFIED p', 'DELETED p']);
  });

  test('a scheduled pod stays until its kubelet lets it go', async () => {
    await createPod('p');
    t.cluster.api.bindPod({ namespace: 'default', name: 'p' }, 'node');
    const { body } = await t.send('DELETE', `${PODS}/p?gracePeriodSeconds=20`);
    expect(body.metadata).toMatchObject({
      deletionTimestamp: '2030-01-01T00:00:20Z',
      deletionGracePeriodSeconds: 20,
    });
    expect((await t.send('GET', `${PODS}/p`)).status).toBe(200);
    await t.send('DELETE', `${PODS}/p`, { gracePeriodSeconds: 0 });
    expect((await t.send('GET', `${PODS}/p`)).status).toBe(404);
  });

  test('the default is what the pod says', async () => {
    await createPod('p');
    t.cluster.api.bindPod({ namespace: 'default', name: 'p' }, 'node');
    expect((await t.send('DELETE', `${PODS}/p`)).body.metadata.deletionGracePeriodSeconds).toBe(30);
  });

  test('a running deletion can be made shorter, not longer', async () => {
    await createPod('p');
    t.cluster.api.bindPod({ namespace: 'default', name: 'p' }, 'node');
    await t.send('DELETE', `${PODS}/p?gracePeriodSeconds=20`);
    const longer = await t.send('DELETE', `${PODS}/p?gracePeriodSeconds=60`);
    expect(longer.body.metadata.deletionGracePeriodSeconds).toBe(20);
    const shorter = await t.send('DELETE', `${PODS}/p?gracePeriodSeconds=5`);
    expect(shorter.body.metadata).toMatchObject({
      deletionTimestamp: '2030-01-01T00:00:05Z',
      deletionGracePeriodSeconds: 5,
    });
    await t.clock.advance(10_000);
    const overdue = await t.send('DELETE', `${PODS}/p?gracePeriodSeconds=3`);
    expect(overdue.body.metadata).toMatchObject({
      deletionTimestamp: '2030-01-01T00:00:10Z',
      deletionGracePeriodSeconds: 1,
    });
  });
});

describe('namespaces', () => {
  test('a namespace first turns Terminating, and goes when it is finalized', async () => {
    await t.send('POST', '/api/v1/namespaces', { metadata: { name: 'n' } });
    const { body } = await t.send('DELETE', '/api/v1/namespaces/n');
    expect(body).toMatchObject({ status: { phase: 'Terminating' }, spec: { finalizers: ['kubernetes'] } });
    expect(body.metadata.deletionTimestamp).toBeDefined();
    const finalized = await t.send('PUT', '/api/v1/namespaces/n/finalize', {
      metadata: { name: 'n' },
      spec: {},
    });
    expect(finalized.status).toBe(200);
    expect((await t.send('GET', '/api/v1/namespaces/n')).status).toBe(404);
  });

  test('deleting it again changes nothing', async () => {
    await t.send('POST', '/api/v1/namespaces', { metadata: { name: 'n' } });
    const { body: first } = await t.send('DELETE', '/api/v1/namespaces/n');
    await t.clock.advance(5_000);
    expect((await t.send('DELETE', '/api/v1/namespaces/n')).body).toEqual(first);
  });

  test('a namespace that nothing holds goes at once', async () => {
    await t.send('POST', '/api/v1/namespaces', { metadata: { name: 'n' } });
    await t.send('PUT', '/api/v1/namespaces/n/finalize', { metadata: { name: 'n' }, spec: {} });
    await t.send('DELETE', '/api/v1/namespaces/n');
    expect((await t.send('GET', '/api/v1/namespaces/n')).status).toBe(404);
  });

  test.each(['default', 'kube-system', 'kube-public'])('%s stays', async (name) => {
    const { body } = await t.send('DELETE', `/api/v1/namespaces/${name}`);
    expect(body).toMatchObject({
      code: 403,
      message: `namespaces "${name}" is forbidden: this namespace may not be deleted`,
    });
  });
});

describe('collections', () => {
  beforeEach(async () => {
    for (const [name, app] of [
      ['b', 'x'],
      ['c', 'y'],
    ]) {
      await t.send('POST', MAPS, { metadata: { name, labels: { app } } });
    }
  });

  const names = async () =>
    (await t.send('GET', MAPS)).body.items.map((item: { metadata: { name: string } }) => item.metadata.name);

  test('what is selected goes, and is shown', async () => {
    const { status, body } = await t.send('DELETE', `${MAPS}?labelSelector=app`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      kind: 'ConfigMapList',
      items: [{ metadata: { name: 'b' } }, { metadata: { name: 'c' } }],
    });
    expect(await names()).toEqual(['a']);
  });

  test('a dry run leaves everything', async () => {
    await t.send('DELETE', `${MAPS}?dryRun=All`);
    expect(await names()).toEqual(['a', 'b', 'c']);
  });

  test('finalizers hold here too', async () => {
    await t.send('POST', MAPS, { metadata: { name: 'held', finalizers: ['x.io/a'] } });
    await t.send('DELETE', MAPS);
    expect(await names()).toEqual(['held']);
  });
});

test('a dry run deletes nothing', async () => {
  const revision = t.cluster.store.revision;
  expect((await t.send('DELETE', `${MAPS}/a?dryRun=All`)).status).toBe(200);
  expect((await t.send('DELETE', `${MAPS}/a`, { dryRun: ['All'] })).status).toBe(200);
  expect(t.cluster.store.revision).toBe(revision);
});
