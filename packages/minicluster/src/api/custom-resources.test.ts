import { beforeEach, describe, expect, test } from 'vitest';
import {
  MERGE_PATCH,
  STRATEGIC_PATCH,
  summary,
  type TestCluster,
  testCluster,
} from './cluster.test.helper.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';
const OLD_WIDGETS = '/apis/example.com/v1beta1/namespaces/default/widgets';
let t: TestCluster;

const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer', maximum: 10 },
        color: { type: 'string', default: 'red' },
        replicas: { type: 'integer' },
      },
    },
    status: { type: 'object', properties: { phase: { type: 'string' }, replicas: { type: 'integer' } } },
  },
};

const crd = (versions: object = {}) => ({
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', shortNames: ['wd'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: schema },
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
        additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
        ...versions,
      },
      {
        name: 'v1beta1',
        served: true,
        storage: false,
        deprecated: true,
        schema: { openAPIV3Schema: schema },
      },
    ],
  },
});

const widget = (name: string, spec: object = { size: 3 }, metadata: object = {}) => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name, ...metadata },
  spec,
});

beforeEach(async () => {
  t = await testCluster();
  const { status } = await t.send('POST', CRDS, crd());
  expect(status).toBe(201);
});

describe('a definition', () => {
  test('is established at once', async () => {
    const { body } = await t.send('GET', `${CRDS}/widgets.example.com`);
    expect(body.status).toMatchObject({
      acceptedNames: { plural: 'widgets', kind: 'Widget', listKind: 'WidgetList' },
      storedVersions: ['v1'],
    });
    const conditions = body.status.conditions.map(
      ({ type, status }: Record<string, string>) => `${type}=${status}`,
    );
    expect(conditions).toEqual(['NamesAccepted=True', 'Established=True']);
    expect(body.metadata.managedFields).toContainEqual(
      expect.objectContaining({ manager: 'kube-apiserver', subresource: 'status' }),
    );
  });

  test('appears in discovery', async () => {
    expect((await t.send('GET', '/apis/example.com')).body).toMatchObject({
      versions: [{ version: 'v1' }, { version: 'v1beta1' }],
      preferredVersion: { version: 'v1' },
    });
    const { body } = await t.send('GET', '/apis/example.com/v1');
    expect(body.resources.map((resource: { name: string }) => resource.name)).toEqual([
      'widgets',
      'widgets/status',
      'widgets/scale',
    ]);
  });

  test('appears in OpenAPI, and leaves it', async () => {
    const paths = async () => Object.keys((await t.send('GET', '/openapi/v3')).body.paths);
    expect(await paths()).toContain('apis/example.com/v1');
    await t.send('DELETE', `${CRDS}/widgets.example.com`);
    expect(await paths()).not.toContain('apis/example.com/v1');
  });

  test('that wants a taken name is not served', async () => {
    const other = crd();
    other.metadata.name = 'gadgets.example.com';
    other.spec.names = { ...other.spec.names, plural: 'gadgets', singular: 'gadget', kind: 'Widget' };
    await t.send('POST', CRDS, other);
    const { body } = await t.send('GET', `${CRDS}/gadgets.example.com`);
    expect(body.status.conditions[0]).toMatchObject({ type: 'NamesAccepted', status: 'False' });
    expect((await t.send('GET', '/apis/example.com/v1/gadgets')).status).toBe(404);
  });

  test('that changes is served as changed', async () => {
    const looser = structuredClone(schema);
    looser.properties.spec.properties.size.maximum = 100;
    await t.send(
      'PATCH',
      `${CRDS}/widgets.example.com`,
      crd({ schema: { openAPIV3Schema: looser } }),
      MERGE_PATCH,
    );
    expect((await t.send('POST', WIDGETS, widget('w', { size: 50 }))).status).toBe(201);
  });
});

describe('objects', () => {
  test('are validated, pruned and completed', async () => {
    const { status, headers, body } = await t.send('POST', WIDGETS, widget('w', { size: 3, foo: 1 }));
    expect(status).toBe(201);
    expect(body.spec).toEqual({ size: 3, color: 'red' });
    expect(headers.warning).toBe('299 - "unknown field \\"spec.foo\\""');
    expect((await t.send('POST', WIDGETS, widget('x', { size: 30 }))).body).toMatchObject({
      code: 422,
      details: { causes: [{ field: 'spec.size' }] },
    });
  });

  test('are shown in every version', async () => {
    await t.send('POST', WIDGETS, widget('w'));
    const old = await t.send('GET', `${OLD_WIDGETS}/w`);
    expect(old.body.apiVersion).toBe('example.com/v1beta1');
    expect(old.headers.warning).toContain('example.com/v1beta1 Widget is deprecated');
    const { body } = await t.send('POST', OLD_WIDGETS, { ...widget('v'), apiVersion: 'example.com/v1beta1' });
    expect(body.apiVersion).toBe('example.com/v1beta1');
    expect(t.cluster.store.get('widgets.example.com', 'default/v')?.apiVersion).toBe('example.com/v1');
  });

  test('are watched in the version that was asked for', async () => {
    const watch = await t.watch(`${OLD_WIDGETS}?watch=1`);
    await t.send('POST', WIDGETS, widget('w'));
    await t.clock.settle();
    expect(watch.events[0]?.object.apiVersion).toBe('example.com/v1beta1');
  });

  test('are listed with their type, and always a continue field', async () => {
    await t.send('POST', WIDGETS, widget('w'));
    const { body } = await t.send('GET', WIDGETS);
    expect(body).toMatchObject({
      kind: 'WidgetList',
      metadata: { continue: '' },
      items: [{ kind: 'Widget' }],
    });
  });

  test('have their columns in tables', async () => {
    await t.send('POST', WIDGETS, widget('w'));
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const { body } = await t.send('GET', WIDGETS, undefined, { headers: { accept } });
    expect(body.rows[0].cells).toEqual(['w', 3]);
  });

  test('keep status apart', async () => {
    await t.send('POST', WIDGETS, { ...widget('w'), status: { phase: 'x' } });
    expect((await t.send('GET', `${WIDGETS}/w`)).body).not.toHaveProperty('status');
    await t.send('PATCH', `${WIDGETS}/w/status`, { status: { phase: 'y' }, spec: { size: 9 } }, MERGE_PATCH);
    expect((await t.send('GET', `${WIDGETS}/w`)).body).toMatchObject({
      spec: { size: 3 },
      status: { phase: 'y' },
    });
  });

  test('have a scale once they say how many', async () => {
    await t.send('POST', WIDGETS, widget('w'));
    expect((await t.send('GET', `${WIDGETS}/w/scale`)).body).toMatchObject({
      code: 500,
      message: 'Internal error occurred: the spec replicas field ".spec.replicas" does not exist',
    });
    const { body } = await t.send('PATCH', `${WIDGETS}/w/scale`, { spec: { replicas: 2 } }, MERGE_PATCH);
    expect(body).toMatchObject({ spec: { replicas: 2 }, status: { replicas: 0 } });
    // Nobody owned the field before, so nobody owns it now.
    const { metadata } = (await t.send('GET', `${WIDGETS}/w`)).body;
    expect(JSON.stringify(metadata.managedFields)).not.toContain('f:replicas');
  });

  test('cannot be patched by keys that they do not have', async () => {
    await t.send('POST', WIDGETS, widget('w'));
    expect((await t.send('PATCH', `${WIDGETS}/w`, {}, STRATEGIC_PATCH)).body).toMatchObject({
      code: 415,
      message:
        'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    });
  });

  test('must be updated by version', async () => {
    await t.send('POST', WIDGETS, widget('w'));
    expect((await t.send('PUT', `${WIDGETS}/w`, widget('w'))).body).toMatchObject({
      code: 422,
      message:
        'widgets.example.com "w" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    });
  });

  test.each([
    [
      { metadata: { name: 'w' } },
      400,
      `the object provided is unrecognized (must be of type Widget): Object 'Kind' is missing in '{"metadata":{"name":"w"}}' ({"metadata":{"name":"w"}})`,
    ],
    [
      { ...widget('w'), kind: 'Foo' },
      422,
      'Foo.example.com "w" is invalid: kind: Invalid value: "Foo": must be Widget',
    ],
    [
      { ...widget('w'), apiVersion: 'example.com/v2' },
      400,
      'the API version in the data (example.com/v2) does not match the expected API version (example.com/v1)',
    ],
  ])('%j is not one', async (object, code, message) => {
    expect((await t.send('POST', WIDGETS, object)).body).toMatchObject({ code, message });
  });

  test('a subresource they do not have is as missing as the object', async () => {
    expect((await t.send('GET', `${WIDGETS}/w/foo`)).body).toMatchObject({
      code: 404,
      message: 'widgets.example.com "w" not found',
    });
  });
});

describe('the end of a definition', () => {
  test('takes its objects with it, and ends their watches', async () => {
    await t.send('POST', WIDGETS, widget('w'));
    const watch = await t.watch(`${WIDGETS}?watch=1`);
    const { body } = await t.send('DELETE', `${CRDS}/widgets.example.com`);
    expect(body.metadata).toMatchObject({ finalizers: ['customresourcecleanup.apiextensions.k8s.io'] });
    await t.clock.settle();
    expect(summary(watch.events)).toEqual(['ADDED w', 'DELETED w']);
    expect(watch.ended).toBe(true);
    expect((await t.send('GET', `${CRDS}/widgets.example.com`)).status).toBe(404);
    expect(await t.send('GET', WIDGETS)).toMatchObject({ status: 404, body: '404 page not found\n' });
  });

  test('waits for objects that are held, and allows no new ones', async () => {
    await t.send('POST', WIDGETS, widget('held', { size: 1 }, { finalizers: ['x.io/y'] }));
    await t.send('DELETE', `${CRDS}/widgets.example.com`);
    const { body } = await t.send('GET', `${CRDS}/widgets.example.com`);
    expect(body.status.conditions).toContainEqual(
      expect.objectContaining({ type: 'Terminating', status: 'True', reason: 'InstanceDeletionInProgress' }),
    );
    expect((await t.send('POST', WIDGETS, widget('late'))).body).toMatchObject({
      code: 403,
      message:
        'widgets.example.com "late" is forbidden: create not allowed while custom resource definition is terminating',
    });
    await t.send('PATCH', `${WIDGETS}/held`, { metadata: { finalizers: null } }, MERGE_PATCH);
    expect((await t.send('GET', `${CRDS}/widgets.example.com`)).status).toBe(404);
  });

  test('a change that concerns nobody else does not end a watch', async () => {
    const watch = await t.watch(`${WIDGETS}?watch=1`);
    await t.send('PATCH', `${CRDS}/widgets.example.com`, { metadata: { labels: { a: 'b' } } }, MERGE_PATCH);
    await t.clock.settle();
    expect(watch.ended).toBe(false);
  });
});
