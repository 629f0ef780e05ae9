import { beforeEach, describe, expect, test } from 'vitest';
import { type TestCluster, testCluster } from '../cluster.test.helper.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
let t: TestCluster;

beforeEach(async () => {
  t = await testCluster();
});

test('a created object has its identity from the server', async () => {
  const { status, body } = await t.send('POST', MAPS, {
    metadata: {
      name: 'a',
      uid: 'mine',
      creationTimestamp: '2000-01-01T00:00:00Z',
      deletionTimestamp: '2000-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 5,
    },
    data: { k: 'v' },
  });
  expect(status).toBe(201);
  expect(body).toMatchObject({
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name: 'a', namespace: 'default', creationTimestamp: '2030-01-01T00:00:00Z' },
    data: { k: 'v' },
  });
  expect(body.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
  expect(body.metadata.resourceVersion).toBe(String(t.cluster.store.revision));
  expect(body.metadata).not.toHaveProperty('deletionTimestamp');
  expect(body.metadata).not.toHaveProperty('deletionGracePeriodSeconds');
  expect((await t.send('GET', `${MAPS}/a`)).body).toEqual(body);
});

test('who created an object owns its fields', async () => {
  const { body } = await t.send('POST', `${MAPS}?fieldManager=me`, {
    metadata: { name: 'a' },
    data: { k: 'v' },
  });
  expect(body.metadata.managedFields).toEqual([
    {
      manager: 'me',
      operation: 'Update',
      apiVersion: 'v1',
      time: '2030-01-01T00:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { '.': {}, 'f:k': {} } },
    },
  ]);
});

test('without a manager in the query the user agent is the manager', async () => {
  const headers = { 'user-agent': 'kubectl/v1.36 (linux)' };
  const { body } = await t.send('POST', MAPS, { metadata: { name: 'a' }, data: { k: 'v' } }, { headers });
  expect(body.metadata.managedFields[0].manager).toBe('kubectl');
});

describe('generated names', () => {
  test('they have the prefix and five more characters, and do not repeat', async () => {
    const names = new Set<string>();
    for (let i = 0; i < 20; i++) {
      const { body } = await t.send('POST', MAPS, { metadata: { generateName: 'web-' } });
      expect(body.metadata.name).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
      expect(body.metadata.generateName).toBe('web-');
      names.add(body.metadata.name);
    }
    expect(names.size).toBe(20);
  });

  test('a long prefix is cut so that the name fits a label', async () => {
    const { body } = await t.send('POST', MAPS, { metadata: { generateName: 'a'.repeat(70) } });
    expect(body.metadata.name).toHaveLength(63);
  });

  test('a given name wins', async () => {
    const { body } = await t.send('POST', MAPS, { metadata: { name: 'a', generateName: 'web-' } });
    expect(body.metadata.name).toBe('a');
  });
});

describe('what cannot be created', () => {
  test('a name that is taken', async () => {
    await t.send('POST', MAPS, { metadata: { name: 'a' } });
    const { status, body } = await t.send('POST', MAPS, { metadata: { name: 'a' } });
    expect(status).toBe(409);
    expect(body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'configmaps "a" already exists',
      reason: 'AlreadyExists',
      details: { name: 'a', kind: 'configmaps' },
      code: 409,
    });
  });

  test('a name whose owner is on its way out', async () => {
    await t.send('POST', MAPS, { metadata: { name: 'a', finalizers: ['x.io/y'] } });
    await t.send('DELETE', `${MAPS}/a`);
    const { body } = await t.send('POST', MAPS, { metadata: { name: 'a' } });
    expect(body).toMatchObject({
      code: 409,
      message: 'object is being deleted: configmaps "a" already exists',
      reason: 'AlreadyExists',
    });
  });

  test('an object without a name', async () => {
    const { body } = await t.send('POST', MAPS, {});
    expect(body).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
      details: { kind: 'ConfigMap', causes: [{ reason: 'FieldValueRequired', field: 'metadata.name' }] },
    });
  });

  test('an object in another namespace than the path says', async () => {
    const { body } = await t.send('POST', MAPS, { metadata: { name: 'a', namespace: 'other' } });
    expect(body).toMatchObject({
      code: 400,
      message: 'the namespace of the provided object does not match the namespace sent on the request',
    });
  });

  test('an object in a namespace that does not exist', async () => {
    const { body } = await t.send('POST', '/api/v1/namespaces/nope/configmaps', { metadata: { name: 'a' } });
    expect(body).toMatchObject({
      code: 404,
      message: 'namespaces "nope" not found',
      details: { kind: 'namespaces' },
    });
  });

  test('an object in a namespace that is going', async () => {
    await t.send('POST', '/api/v1/namespaces', { metadata: { name: 'old' } });
    await t.send('DELETE', '/api/v1/namespaces/old');
    const { body } = await t.send('POST', '/api/v1/namespaces/old/configmaps', { metadata: { name: 'a' } });
    expect(body).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message:
        'configmaps "a" is forbidden: unable to create new content in namespace old because it is being terminated',
      details: {
        causes: [
          {
            reason: 'NamespaceTerminating',
            message: 'namespace old is being terminated',
            field: 'metadata.namespace',
          },
        ],
      },
    });
  });

  test('an object that claims to have been stored', async () => {
    const { body } = await t.send('POST', MAPS, { metadata: { name: 'a', resourceVersion: '5' } });
    expect(body).toMatchObject({
      code: 500,
      message: 'resourceVersion should not be set on objects to be created',
    });
    expect(body).not.toHaveProperty('reason');
  });
});

test('a dry run shows what would be, and stores nothing', async () => {
  const before = t.cluster.store.revision;
  const { status, body } = await t.send('POST', `${MAPS}?dryRun=All`, { metadata: { name: 'a' } });
  expect(status).toBe(201);
  expect(body.metadata.uid).toBeDefined();
  expect(body.metadata).not.toHaveProperty('resourceVersion');
  expect(t.cluster.store.revision).toBe(before);
});

test('an object of a cluster-scoped kind loses the namespace it should not have', async () => {
  const { status, body } = await t.send('POST', '/api/v1/namespaces', {
    metadata: { name: 'n', namespace: 'x' },
  });
  expect(status).toBe(201);
  expect(body.metadata).not.toHaveProperty('namespace');
});

describe('fields that the kind does not have', () => {
  const text = '{"metadata":{"name":"a"},"foo":1,"data":{"k":"1","k":"2"}}';

  test('are dropped with a warning', async () => {
    const { status, headers, body } = await t.send('POST', MAPS, text);
    expect(status).toBe(201);
    expect(headers.warning).toBe('299 - "unknown field \\"foo\\"", 299 - "duplicate field \\"data.k\\""');
    expect(body).not.toHaveProperty('foo');
    expect(body.data).toEqual({ k: '2' });
  });

  test('are an error with fieldValidation=Strict', async () => {
    const { body } = await t.send('POST', `${MAPS}?fieldValidation=Strict`, text);
    expect(body).toMatchObject({
      code: 400,
      message:
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "foo", duplicate field "data.k"',
    });
  });

  test('are dropped in silence with fieldValidation=Ignore', async () => {
    const { status, headers } = await t.send('POST', `${MAPS}?fieldValidation=Ignore`, text);
    expect(status).toBe(201);
    expect(headers).not.toHaveProperty('warning');
  });

  test('repeated keys of YAML are told by line', async () => {
    const yaml = 'metadata: {name: a}\nfoo: 1\ndata: {k: "1", k: "2"}';
    const headers = { 'content-type': 'application/yaml' };
    const warned = await t.send('POST', MAPS, yaml, { headers });
    expect(warned.headers.warning).toBe(
      '299 - "line 3: key \\"k\\" already set in map", 299 - "unknown field \\"foo\\""',
    );
    const strict = await t.send('POST', `${MAPS}?fieldValidation=Strict`, yaml, { headers });
    expect(strict.body.message).toContain(
      'strict decoding error: yaml: unmarshal errors:\n  line 3: key "k" already set in map, unknown field "foo"',
    );
  });
});

describe('options that make no sense', () => {
  test.each([
    ['dryRun=Foo', 'dryRun: Unsupported value: ["Foo"]: supported values: "All"'],
    [
      'fieldValidation=Foo',
      'fieldValidation: Unsupported value: "Foo": supported values: "", "Ignore", "Strict", "Warn"',
    ],
    [`fieldManager=${'a'.repeat(129)}`, 'fieldManager: Too long: may not be more than 128 bytes'],
    ['fieldManager=%01', 'fieldManager: Invalid value: "\\x01": invalid character U+0001 (at position 0)'],
    ['fieldManager=a%01', 'fieldManager: Invalid value: "a\\x01": invalid character U+0001 (at position 1)'],
  ])('%s', async (query, why) => {
    const { body } = await t.send('POST', `${MAPS}?${query}`, { metadata: { name: 'a' } });
    expect(body).toMatchObject({
      code: 422,
      message: `CreateOptions.meta.k8s.io "" is invalid: ${why}`,
      details: { group: 'meta.k8s.io', kind: 'CreateOptions' },
    });
  });
});
