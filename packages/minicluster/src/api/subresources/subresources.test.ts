import { beforeEach, describe, expect, test } from 'vitest';
import {
  APPLY_PATCH,
  JSON_PATCH,
  MERGE_PATCH,
  STRATEGIC_PATCH,
  type TestCluster,
  testCluster,
} from '../cluster.test.helper.ts';

const NS = '/api/v1/namespaces/default';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
let t: TestCluster;

beforeEach(async () => {
  t = await testCluster();
  await t.send('POST', `${NS}/serviceaccounts`, { metadata: { name: 'default' } });
});

async function createPod(
  name: string,
  status: object = { phase: 'Running', conditions: [READY] },
): Promise<void> {
  await t.send('POST', `${NS}/pods`, {
    metadata: { name, labels: { app: 'web' } },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  });
  await t.send('PATCH', `${NS}/pods/${name}/status`, { status }, MERGE_PATCH);
}

const READY = { type: 'Ready', status: 'True' };

describe('scale', () => {
  beforeEach(async () => {
    await t.send('POST', DEPLOYMENTS, {
      metadata: { name: 'web' },
      spec: {
        replicas: 2,
        selector: { matchLabels: { b: '1', a: '2' }, matchExpressions: [{ key: 'c', operator: 'Exists' }] },
        template: {
          metadata: { labels: { a: '2', b: '1', c: '3' } },
          spec: { containers: [{ name: 'c', image: 'i' }] },
        },
      },
    });
    await t.send('PATCH', `${DEPLOYMENTS}/web/status`, { status: { replicas: 1 } }, MERGE_PATCH);
  });

  test('shows what is wanted, what is there, and which pods count', async () => {
    const { body } = await t.send('GET', `${DEPLOYMENTS}/web/scale`);
    expect(body).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'web', namespace: 'default' },
      spec: { replicas: 2 },
      status: { replicas: 1, selector: 'a=2,b=1,c' },
    });
  });

  test.each([
    ['PUT', { metadata: { name: 'web' }, spec: { replicas: 5 } }, {}],
    ['PATCH', { spec: { replicas: 5 } }, MERGE_PATCH],
    ['PATCH', { spec: { replicas: 5 } }, STRATEGIC_PATCH],
    ['PATCH', [{ op: 'replace', path: '/spec/replicas', value: 5 }], JSON_PATCH],
  ])('%s %j changes the number and nothing else', async (method, body, options) => {
    const before = (await t.send('GET', `${DEPLOYMENTS}/web`)).body;
    const answer = await t.send(method, `${DEPLOYMENTS}/web/scale`, body, options);
    expect(answer.status).toBe(200);
    expect(answer.body.spec.replicas).toBe(5);
    const after = (await t.send('GET', `${DEPLOYMENTS}/web`)).body;
    expect(after.spec).toEqual({ ...before.spec, replicas: 5 });
    expect(after.metadata.generation).toBe(before.metadata.generation + 1);
  });

  test('zero is no number that anybody owns', async () => {
    const owners = async () =>
      JSON.stringify((await t.send('GET', `${DEPLOYMENTS}/web`)).body.metadata.managedFields);
    expect(await owners()).toContain('"f:replicas"');
    await t.send('PATCH', `${DEPLOYMENTS}/web/scale`, { spec: { replicas: 0 } }, MERGE_PATCH);
    expect((await t.send('GET', `${DEPLOYMENTS}/web`)).body.spec.replicas).toBe(0);
    expect(await owners()).not.toContain('"scale"');
  });

  test('an apply changes it too', async () => {
    const body = 'apiVersion: autoscaling/v1\nkind: Scale\nmetadata: {name: web}\nspec: {replicas: 4}';
    const answer = await t.send(
      'PATCH',
      `${DEPLOYMENTS}/web/scale?fieldManager=m&force=true`,
      body,
      APPLY_PATCH,
    );
    expect(answer.status).toBe(200);
    expect((await t.send('GET', `${DEPLOYMENTS}/web`)).body.spec.replicas).toBe(4);
  });

  test('who scaled is recorded without a time', async () => {
    await t.send('PATCH', `${DEPLOYMENTS}/web/scale`, { spec: { replicas: 5 } }, MERGE_PATCH);
    const { body } = await t.send('GET', `${DEPLOYMENTS}/web`);
    expect(body.metadata.managedFields[0]).toEqual({
      manager: 'test',
      operation: 'Update',
      apiVersion: 'apps/v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': { 'f:replicas': {} } },
      subresource: 'scale',
    });
  });

  test.each([
    [
      { metadata: { name: 'web' }, spec: { replicas: -1 } },
      422,
      'spec.replicas: Invalid value: -1: must be greater',
    ],
    [
      { metadata: { name: 'x' }, spec: {} },
      400,
      'the name of the object (x) does not match the name on the URL (web)',
    ],
    [
      { spec: {} },
      400,
      'the name of the object (web based on URL) was undeterminable: name must be provided',
    ],
    [{ metadata: { name: 'web', resourceVersion: '1' }, spec: {} }, 409, 'the object has been modified'],
  ])('PUT %j is refused', async (scale, status, message) => {
    const { body } = await t.send('PUT', `${DEPLOYMENTS}/web/scale`, scale);
    expect(body.code).toBe(status);
    expect(body.message).toContain(message);
  });

  test('without an object it is a 404, on another method a 405', async () => {
    expect((await t.send('GET', `${DEPLOYMENTS}/nope/scale`)).body.message).toBe(
      'deployments.apps "nope" not found',
    );
    expect((await t.send('POST', `${DEPLOYMENTS}/web/scale`, {})).status).toBe(405);
  });
});

describe('eviction', () => {
  const evict = (name: string, body: object = {}) =>
    t.send('POST', `${NS}/pods/${name}/eviction`, { metadata: { name }, ...body });

  async function createBudget(name: string, status: object): Promise<void> {
    await t.send('POST', BUDGETS, {
      metadata: { name },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
    });
    await t.send('PATCH', `${BUDGETS}/${name}/status`, { status }, MERGE_PATCH);
  }

  const settled = { observedGeneration: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 };

  test('a pod without a budget goes', async () => {
    await createPod('p');
    const { status, body } = await evict('p');
    expect(status).toBe(201);
    expect(body).toMatchObject({ kind: 'Status', status: 'Success' });
    expect((await t.send('GET', `${NS}/pods/p`)).status).toBe(404);
  });

  test('a budget is spent, and then refuses', async () => {
    await createPod('p');
    await createPod('q');
    await createBudget('pdb', { ...settled, disruptionsAllowed: 1 });
    expect((await evict('p')).status).toBe(201);
    const { body: budget } = await t.send('GET', `${BUDGETS}/pdb`);
    expect(budget.status).toMatchObject({
      disruptionsAllowed: 0,
      disruptedPods: { p: '2030-01-01T00:00:00Z' },
      conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods' }],
    });
    const { status, body } = await evict('q');
    expect(status).toBe(429);
    expect(body).toMatchObject({
      reason: 'TooManyRequests',
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      details: {
        causes: [
          {
            reason: 'DisruptionBudget',
            message: 'The disruption budget pdb needs 1 healthy pods and has 2 currently',
          },
        ],
      },
    });
    expect((await t.send('GET', `${NS}/pods/q`)).status).toBe(200);
  });

  test('a budget that nobody has looked at yet asks to wait', async () => {
    await createPod('p');
    await createBudget('pdb', { ...settled, observedGeneration: 0, disruptionsAllowed: 1 });
    const { headers, body } = await evict('p');
    expect(headers['retry-after']).toBe('10');
    expect(body.details.causes[0].message).toBe(
      'The disruption budget pdb is still being processed by the server.',
    );
  });

  test('two budgets for one pod are one too many', async () => {
    await createPod('p');
    await createBudget('one', { ...settled, disruptionsAllowed: 1 });
    await createBudget('two', { ...settled, disruptionsAllowed: 1 });
    expect((await evict('p')).body).toMatchObject({ code: 500, reason: 'InternalError' });
  });

  test('a pod that runs nothing needs no budget', async () => {
    await createPod('p', { phase: 'Pending' });
    await createBudget('pdb', { ...settled, disruptionsAllowed: 0 });
    expect((await evict('p')).status).toBe(201);
  });

  test('a pod that is not ready costs a healthy budget nothing', async () => {
    await createPod('p', { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] });
    await createBudget('pdb', { ...settled, disruptionsAllowed: 0 });
    expect((await evict('p')).status).toBe(201);
    expect((await t.send('GET', `${BUDGETS}/pdb`)).body.status.disruptionsAllowed).toBe(0);
  });

  test('a pod that is not ready stays while too few are healthy', async () => {
    await createPod('p', { phase: 'Running', conditions: [] });
    await createBudget('pdb', { ...settled, currentHealthy: 0, disruptionsAllowed: 0 });
    expect((await evict('p')).status).toBe(429);
  });

  test('a dry run spends nothing', async () => {
    await createPod('p');
    await createBudget('pdb', { ...settled, disruptionsAllowed: 1 });
    const revision = t.cluster.store.revision;
    expect((await evict('p', { deleteOptions: { dryRun: ['All'] } })).status).toBe(201);
    expect(t.cluster.store.revision).toBe(revision);
  });

  test('the path and the body must mean the same pod, and it must exist', async () => {
    expect((await evict('nope')).body).toMatchObject({ code: 404, message: 'pods "nope" not found' });
    const other = await t.send('POST', `${NS}/pods/p/eviction`, { metadata: { name: 'q' } });
    expect(other.body).toMatchObject({ code: 400 });
  });
});

describe('binding', () => {
  const bind = (name: string, target: object, metadata: object = {}) =>
    t.send('POST', `${NS}/pods/${name}/binding`, { metadata: { name, ...metadata }, target });

  test('puts a pod on a node', async () => {
    await createPod('p', { phase: 'Pending' });
    expect((await bind('p', { kind: 'Node', name: 'n' }, { annotations: { a: 'b' } })).status).toBe(201);
    const { body } = await t.send('GET', `${NS}/pods/p`);
    expect(body.spec.nodeName).toBe('n');
    expect(body.metadata.annotations).toEqual({ a: 'b' });
    expect(body.status.conditions).toContainEqual(
      expect.objectContaining({ type: 'PodScheduled', status: 'True' }),
    );
  });

  test('once', async () => {
    await createPod('p', { phase: 'Pending' });
    await bind('p', { name: 'n' });
    const { body } = await bind('p', { name: 'm' });
    expect(body).toMatchObject({ code: 409, reason: 'Conflict' });
    expect(body.message).toContain('pod p is already assigned to node "n"');
  });

  test('the collection of bindings does the same', async () => {
    await createPod('p', { phase: 'Pending' });
    const answer = await t.send('POST', `${NS}/bindings`, { metadata: { name: 'p' }, target: { name: 'n' } });
    expect(answer.status).toBe(201);
    expect((await t.send('GET', `${NS}/pods/p`)).body.spec.nodeName).toBe('n');
  });

  test('what cannot be bound', async () => {
    await createPod('p', { phase: 'Pending' });
    expect((await bind('nope', { name: 'n' })).status).toBe(404);
    expect((await bind('p', {})).body.message).toBe('target.name: Required value');
    expect((await bind('p', { kind: 'Pod', name: 'n' })).body.message).toContain(
      'target.kind: Unsupported value',
    );
    expect((await bind('p', { name: 'n' }, { uid: 'x' })).status).toBe(409);
    const other = await t.send('POST', `${NS}/pods/p/binding`, {
      metadata: { name: 'q' },
      target: { name: 'n' },
    });
    expect(other.body.message).toBe('name in URL does not match name in Binding object');
  });
});

describe('log', () => {
  const log = (name: string, query = '') => t.send('GET', `${NS}/pods/${name}/log${query}`);

  test('tells what the simulation did', async () => {
    const state = {
      terminated: { exitCode: 3, startedAt: '2030-01-01T00:00:00Z', finishedAt: '2030-01-01T00:00:09Z' },
    };
    await createPod('p', {
      phase: 'Failed',
      containerStatuses: [{ name: 'c', image: 'i', imageID: '', state }],
    });
    const { headers, body } = await log('p');
    expect(headers['content-type']).toBe('text/plain');
    expect(body).toBe(
      '2030-01-01T00:00:00Z simulated container c started\n2030-01-01T00:00:09Z simulated container c ended with exit code 3\n',
    );
  });

  test('a container that waits has none', async () => {
    const state = { waiting: { reason: 'ImagePullBackOff' } };
    await createPod('p', {
      phase: 'Pending',
      containerStatuses: [{ name: 'c', image: 'i', imageID: '', state }],
    });
    expect((await log('p')).body).toMatchObject({
      code: 400,
      message: 'container "c" in pod "p" is waiting to start: ImagePullBackOff',
    });
  });

  test('a container must exist, and be named where there are several', async () => {
    await createPod('p');
    expect((await log('p', '?container=x')).body.message).toBe('container x is not valid for pod p');
    await t.send('POST', `${NS}/pods`, {
      metadata: { name: 'two' },
      spec: {
        containers: [
          { name: 'a', image: 'i' },
          { name: 'b', image: 'i' },
        ],
      },
    });
    expect((await log('two')).body.message).toBe(
      'a container name must be specified for pod two, choose one of: [a b]',
    );
    expect((await log('nope')).status).toBe(404);
  });
});

describe('finalize', () => {
  beforeEach(async () => {
    await t.send('POST', '/api/v1/namespaces', { metadata: { name: 'n' } });
  });

  test('finalizers of a namespace change only here', async () => {
    await t.send('PUT', '/api/v1/namespaces/n', { metadata: { name: 'n' }, spec: { finalizers: [] } });
    expect((await t.send('GET', '/api/v1/namespaces/n')).body.spec.finalizers).toEqual(['kubernetes']);
    await t.send('PUT', '/api/v1/namespaces/n/finalize', {
      metadata: { name: 'n' },
      spec: { finalizers: ['x.io/y'] },
    });
    expect((await t.send('GET', '/api/v1/namespaces/n')).body.spec.finalizers).toEqual(['x.io/y']);
  });

  test('a namespace that nobody deletes stays without them', async () => {
    await t.send('PUT', '/api/v1/namespaces/n/finalize', { metadata: { name: 'n' }, spec: {} });
    expect((await t.send('GET', '/api/v1/namespaces/n')).status).toBe(200);
  });

  test('a dry run lets nothing go', async () => {
    await t.send('DELETE', '/api/v1/namespaces/n');
    await t.send('PUT', '/api/v1/namespaces/n/finalize?dryRun=All', { metadata: { name: 'n' }, spec: {} });
    expect((await t.send('GET', '/api/v1/namespaces/n')).body.spec.finalizers).toEqual(['kubernetes']);
  });

  test('finalizers in metadata hold it as well', async () => {
    await t.send('PATCH', '/api/v1/namespaces/n', { metadata: { finalizers: ['x.io/y'] } }, MERGE_PATCH);
    await t.send('DELETE', '/api/v1/namespaces/n');
    await t.send('PUT', '/api/v1/namespaces/n/finalize', { metadata: { name: 'n' }, spec: {} });
    expect((await t.send('GET', '/api/v1/namespaces/n')).status).toBe(200);
    await t.send('PATCH', '/api/v1/namespaces/n', { metadata: { finalizers: null } }, MERGE_PATCH);
    expect((await t.send('GET', '/api/v1/namespaces/n')).status).toBe(404);
  });

  test('an old version is a conflict', async () => {
    const { body } = await t.send('PUT', '/api/v1/namespaces/n/finalize', {
      metadata: { name: 'n', resourceVersion: '1' },
      spec: {},
    });
    expect(body).toMatchObject({ code: 409, reason: 'Conflict' });
  });
});

describe('what is not there', () => {
  test('a subresource that the kind does not have is a 404', async () => {
    expect((await t.send('GET', `${DEPLOYMENTS}/x/foo`)).body).toMatchObject({
      code: 404,
      message: 'the server could not find the requested resource',
    });
  });

  test.each(['exec', 'attach', 'portforward', 'proxy'])('%s of a pod is a 501 that says so', async (name) => {
    await createPod('p');
    const { status, body } = await t.send('GET', `${NS}/pods/p/${name}`);
    expect(status).toBe(501);
    expect(body).toMatchObject({
      reason: 'NotImplemented',
      message: `minicluster does not implement the subresource ${name} of pods: no process runs behind a simulated pod`,
    });
  });
});
