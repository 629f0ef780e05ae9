import { beforeEach, expect, test } from 'vitest';
import type { LocalApi, LocalEvent } from '../model/local-api.ts';
import { StatusError } from '../model/status.ts';
import { type TestCluster, testCluster } from './cluster.test.helper.ts';

const MAPS = { group: '', plural: 'configmaps' };
const DEPLOYMENTS = { group: 'apps', plural: 'deployments' };
const NAMESPACES = { group: '', plural: 'namespaces' };
let t: TestCluster;
let api: LocalApi;

beforeEach(async () => {
  t = await testCluster();
  api = t.cluster.api;
});

const map = (name: string, data: Record<string, string> = {}) => ({
  metadata: { name, namespace: 'default' },
  data,
});
const ref = (name: string) => ({ namespace: 'default', name });

function failure(run: () => unknown): number | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof StatusError) return error.body.code;
    throw error;
  }
}

test('objects created here are visible to all clients', async () => {
  const created = api.create(MAPS, map('a', { k: 'v' }), 'me');
  expect((await t.send('GET', '/api/v1/namespaces/default/configmaps/a')).body).toEqual(created);
  expect(created.metadata.managedFields?.[0]).toMatchObject({ manager: 'me' });
});

test('objects go through defaults and validation', () => {
  const deployment = api.create(DEPLOYMENTS, {
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  });
  expect(deployment.spec).toMatchObject({ replicas: 1, strategy: { type: 'RollingUpdate' } });
  expect(failure(() => api.create(DEPLOYMENTS, { metadata: { name: 'x', namespace: 'default' } }))).toBe(422);
  expect(failure(() => api.create(MAPS, map('a/b')))).toBe(422);
});

test('the object that was handed in is not changed, and not kept', () => {
  const object = map('a', { k: 'v' });
  const copy = structuredClone(object);
  api.create(MAPS, object);
  expect(object).toEqual(copy);
  object.data.k = 'changed';
  expect(api.get(MAPS, ref('a'))?.data).toEqual({ k: 'v' });
});

test('get, list and their absence', () => {
  api.create(MAPS, map('b'));
  api.create(MAPS, map('a'));
  api.create(NAMESPACES, { metadata: { name: 'other' } });
  api.create(MAPS, { metadata: { name: 'c', namespace: 'other' } });
  expect(api.get(MAPS, ref('nope'))).toBeUndefined();
  expect(api.list(MAPS, 'default').map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
  expect(api.list(MAPS).map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c']);
  expect(failure(() => api.list({ group: 'nope', plural: 'x' }))).toBe(404);
});

test('an update of an old version is a conflict', () => {
  const first = api.create(MAPS, map('a', { k: '1' }));
  const second = api.update(MAPS, { ...first, data: { k: '2' } });
  expect(second.data).toEqual({ k: '2' });
  expect(failure(() => api.update(MAPS, { ...first, data: { k: '3' } }))).toBe(409);
});

test('status and the rest are written apart', () => {
  const created = api.create(NAMESPACES, { metadata: { name: 'n' } });
  const updated = api.updateStatus(NAMESPACES, { ...created, status: { phase: 'Active', conditions: [] } });
  expect(updated.spec).toEqual(created.spec);
});

test('deletion has preconditions and finalizers as for everybody', () => {
  api.create(MAPS, { metadata: { name: 'held', namespace: 'default', finalizers: ['x.io/y'] } });
  expect(failure(() => api.delete(MAPS, ref('held'), { uid: 'other' }))).toBe(409);
  api.delete(MAPS, ref('held'));
  expect(api.get(MAPS, ref('held'))?.metadata.deletionTimestamp).toBeDefined();
  api.create(MAPS, map('free'));
  api.delete(MAPS, ref('free'));
  expect(api.get(MAPS, ref('free'))).toBeUndefined();
});

test('a namespace goes when it is finalized', () => {
  api.create(NAMESPACES, { metadata: { name: 'n' } });
  api.delete(NAMESPACES, { name: 'n' });
  expect(api.get(NAMESPACES, { name: 'n' })?.status).toMatchObject({ phase: 'Terminating' });
  api.finalizeNamespace('n');
  expect(api.get(NAMESPACES, { name: 'n' })).toBeUndefined();
});

test('listeners get every write of every kind, with the state before', () => {
  const heard: LocalEvent[] = [];
  const stop = api.subscribe((event) => void heard.push(event));
  const first = api.create(MAPS, map('a', { k: '1' }));
  const second = api.update(MAPS, { ...first, data: { k: '2' } });
  api.delete(MAPS, ref('a'));
  stop();
  api.create(MAPS, map('b'));
  expect(heard.map(({ type, kind }) => `${type} ${kind.plural}`)).toEqual([
    'ADDED configmaps',
    'MODIFIED configmaps',
    'DELETED configmaps',
  ]);
  expect(heard[1]).toMatchObject({ object: second, old: first });
});

test('kinds can be walked, and found by what an owner reference says', () => {
  const kinds = api.kinds().map(({ group, plural }) => `${plural}.${group}`);
  expect(new Set(kinds).size).toBe(kinds.length);
  expect(kinds).toContain('deployments.apps');
  expect(kinds).not.toContain('subjectaccessreviews.authorization.k8s.io');
  expect(api.findKind('apps/v1', 'Deployment')).toEqual({
    group: 'apps',
    version: 'v1',
    plural: 'deployments',
    kind: 'Deployment',
    namespaced: true,
  });
  expect(api.findKind('apps/v1', 'Nope')).toBeUndefined();
});
