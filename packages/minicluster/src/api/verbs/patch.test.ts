import { beforeEach, describe, expect, test } from 'vitest';
import {
  APPLY_PATCH,
  JSON_PATCH,
  MERGE_PATCH,
  STRATEGIC_PATCH,
  type TestCluster,
  testCluster,
} from '../cluster.test.helper.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
let t: TestCluster;

beforeEach(async () => {
  t = await testCluster();
  await t.send('POST', MAPS, { metadata: { name: 'a' }, data: { k: 'v', other: 'o' } });
});

test('a merge patch changes what it names and removes what it sets to null', async () => {
  const { status, body } = await t.send('PATCH', `${MAPS}/a`, { data: { k: 'w', other: null } }, MERGE_PATCH);
  expect(status).toBe(200);
  expect(body.data).toEqual({ k: 'w' });
});

test('a JSON patch is carried out step by step, or not at all', async () => {
  const { body } = await t.send(
    'PATCH',
    `${MAPS}/a`,
    [{ op: 'replace', path: '/data/k', value: 'w' }],
    JSON_PATCH,
  );
  expect(body.data.k).toBe('w');
  const failing = [
    { op: 'replace', path: '/data/k', value: 'x' },
    { op: 'test', path: '/data/other', value: 'not this' },
  ];
  const failed = await t.send('PATCH', `${MAPS}/a`, failing, JSON_PATCH);
  expect(failed.status).toBe(422);
  expect((await t.send('GET', `${MAPS}/a`)).body.data.k).toBe('w');
});

test('a strategic patch merges lists by their keys', async () => {
  await t.send('POST', '/apis/apps/v1/namespaces/default/deployments', {
    metadata: { name: 'web' },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  });
  const patch = {
    spec: { template: { spec: { containers: [{ name: 'c', env: [{ name: 'A', value: '1' }] }] } } },
  };
  const { body } = await t.send(
    'PATCH',
    '/apis/apps/v1/namespaces/default/deployments/web',
    patch,
    STRATEGIC_PATCH,
  );
  expect(body.spec.template.spec.containers).toEqual([
    expect.objectContaining({ name: 'c', image: 'i', env: [{ name: 'A', value: '1' }] }),
  ]);
});

test('a patch never changes the object that others have read', async () => {
  const before = t.cluster.store.get('configmaps', 'default/a');
  const copy = structuredClone(before);
  await t.send('PATCH', `${MAPS}/a`, { data: { k: 'w' }, metadata: { labels: { a: 'b' } } }, MERGE_PATCH);
  expect(before).toEqual(copy);
});

describe('apply', () => {
  const yaml = (data: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\ndata: ${data}`;

  test('creates what is not there', async () => {
    const { status, body } = await t.send('PATCH', `${MAPS}/b?fieldManager=m`, yaml('{x: one}'), APPLY_PATCH);
    expect(status).toBe(201);
    expect(body).toMatchObject({ metadata: { name: 'b', namespace: 'default' }, data: { x: 'one' } });
    expect(body.metadata.managedFields).toMatchObject([
      { manager: 'm', operation: 'Apply', fieldsV1: { 'f:data': { 'f:x': {} } } },
    ]);
  });

  test('the same again changes nothing', async () => {
    await t.send('PATCH', `${MAPS}/b?fieldManager=m`, yaml('{x: one}'), APPLY_PATCH);
    const revision = t.cluster.store.revision;
    const { status } = await t.send('PATCH', `${MAPS}/b?fieldManager=m`, yaml('{x: one}'), APPLY_PATCH);
    expect(status).toBe(200);
    expect(t.cluster.store.revision).toBe(revision);
  });

  test('a manager that applies again stays the only one', async () => {
    await t.send('PATCH', `${MAPS}/b?fieldManager=m`, yaml('{x: one}'), APPLY_PATCH);
    const { body } = await t.send('PATCH', `${MAPS}/b?fieldManager=m`, yaml('{x: two}'), APPLY_PATCH);
    expect(body.data).toEqual({ x: 'two' });
    expect(body.metadata.managedFields).toMatchObject([{ manager: 'm', operation: 'Apply' }]);
    expect(body.metadata.managedFields).toHaveLength(1);
  });

  test("another manager's field is a conflict, unless forced", async () => {
    await t.send('PATCH', `${MAPS}/b?fieldManager=m`, yaml('{x: one}'), APPLY_PATCH);
    const refused = await t.send('PATCH', `${MAPS}/b?fieldManager=n`, yaml('{x: two}'), APPLY_PATCH);
    expect(refused.body).toMatchObject({
      code: 409,
      details: { causes: [{ reason: 'FieldManagerConflict', field: '.data.x' }] },
    });
    const forced = await t.send(
      'PATCH',
      `${MAPS}/b?fieldManager=n&force=true`,
      yaml('{x: two}'),
      APPLY_PATCH,
    );
    expect(forced.body.data).toEqual({ x: 'two' });
  });

  test('in a namespace that does not exist it is a 404', async () => {
    const path = '/api/v1/namespaces/nope/configmaps/b?fieldManager=m';
    const { body } = await t.send('PATCH', path, yaml('{}'), APPLY_PATCH);
    expect(body).toMatchObject({ code: 404, message: 'namespaces "nope" not found' });
  });

  test.each([
    ['', yaml('{}'), 'fieldManager: Required value: is required for apply patch'],
    [
      'fieldManager=m',
      'a: b: c',
      'error decoding YAML: error converting YAML to JSON: yaml: mapping values are not',
    ],
    [
      'fieldManager=m',
      '[]',
      'error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
    [
      'fieldManager=m',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}',
      'the name of the object (other) does not match the name on the URL (b)',
    ],
  ])('?%s refuses %j', async (query, body, message) => {
    const answer = await t.send('PATCH', `${MAPS}/b?${query}`, body, APPLY_PATCH);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.body.message).toContain(message);
  });

  test('on status it needs an object', async () => {
    const path = '/apis/apps/v1/namespaces/default/deployments/web/status?fieldManager=m';
    const body = 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nstatus: {replicas: 1}';
    expect((await t.send('PATCH', path, body, APPLY_PATCH)).body).toMatchObject({
      code: 404,
      message: 'deployments.apps "web" not found',
    });
  });
});

describe('patches that cannot be', () => {
  test('of another type', async () => {
    const { body } = await t.send('PATCH', `${MAPS}/a`, {});
    expect(body).toMatchObject({
      code: 415,
      reason: 'UnsupportedMediaType',
      message: '415: Unsupported Media Type',
    });
  });

  test.each([
    [MERGE_PATCH, '{', 'error decoding patch: unexpected end of JSON input'],
    [JSON_PATCH, '{', 'error decoding patch: unexpected end of JSON input'],
    [STRATEGIC_PATCH, '{', 'unexpected end of JSON input'],
  ])('that are no JSON', async (type, text, message) => {
    expect((await t.send('PATCH', `${MAPS}/a`, text, type)).body).toMatchObject({ code: 400, message });
  });

  test('that make the object unreadable', async () => {
    const { body } = await t.send('PATCH', `${MAPS}/a`, { data: 5 }, MERGE_PATCH);
    expect(body).toMatchObject({
      code: 422,
      reason: 'Invalid',
      details: { causes: [{ reason: 'FieldValueInvalid', field: 'patch' }] },
    });
    expect(body.message).toMatch(
      /^ "" is invalid: patch: Invalid value: .*: json: cannot unmarshal number into Go struct field ConfigMap.data of type map\[string\]string$/,
    );
    expect(body.details).not.toHaveProperty('kind');
  });

  test('a strategic patch has words of its own for that', async () => {
    const { body } = await t.send('PATCH', `${MAPS}/a`, { data: { k: 5 } }, STRATEGIC_PATCH);
    expect(body).toMatchObject({
      code: 422,
      message: ' "" is invalid: patch: Invalid value: "map[data:map[k:5]]": cannot convert int64 to string',
    });
  });

  test('that rename or move', async () => {
    const renamed = await t.send('PATCH', `${MAPS}/a`, { metadata: { name: 'b' } }, MERGE_PATCH);
    expect(renamed.body).toMatchObject({
      code: 400,
      message: 'the name of the object (b) does not match the name on the URL (a)',
    });
    const moved = await t.send('PATCH', `${MAPS}/a`, { metadata: { namespace: 'b' } }, MERGE_PATCH);
    expect(moved.body).toMatchObject({
      code: 400,
      message: 'the namespace of the provided object does not match the namespace sent on the request',
    });
  });

  test('that name another version or uid', async () => {
    const version = await t.send('PATCH', `${MAPS}/a`, { metadata: { resourceVersion: '1' } }, MERGE_PATCH);
    expect(version.body).toMatchObject({ code: 409, reason: 'Conflict' });
    const uid = await t.send('PATCH', `${MAPS}/a`, { metadata: { uid: 'x' } }, MERGE_PATCH);
    expect(uid.body).toMatchObject({ code: 422, details: { causes: [{ field: 'metadata.uid' }, {}] } });
  });

  test('that are forced without being an apply', async () => {
    const { body } = await t.send('PATCH', `${MAPS}/a?force=true`, {}, MERGE_PATCH);
    expect(body).toMatchObject({
      code: 422,
      message:
        'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
    });
  });

  test('that add unknown fields, when they are not wanted', async () => {
    const warned = await t.send('PATCH', `${MAPS}/a`, { foo: 1 }, MERGE_PATCH);
    expect(warned.headers.warning).toBe('299 - "unknown field \\"foo\\""');
    const strict = await t.send('PATCH', `${MAPS}/a?fieldValidation=Strict`, { foo: 1 }, MERGE_PATCH);
    expect(strict.body.code).toBe(422);
    expect(strict.body.message).toContain('strict decoding error: unknown field "foo"');
  });

  test('that are nested beyond measure', async () => {
    const deep = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`;
    expect((await t.send('PATCH', `${MAPS}/a`, deep, MERGE_PATCH)).status).toBe(400);
  });
});
