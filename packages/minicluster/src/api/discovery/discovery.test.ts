import { beforeEach, describe, expect, test } from 'vitest';
import { type TestCluster, testCluster } from '../cluster.test.helper.ts';

let t: TestCluster;

beforeEach(async () => {
  t = await testCluster();
});

const get = (path: string, accept?: string) =>
  t.send('GET', path, undefined, accept === undefined ? {} : { headers: { accept } });

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

interface Resource {
  name: string;
  verbs: string[];
  kind: string;
}

describe('plain discovery', () => {
  test('/api and /apis name the versions and groups', async () => {
    expect((await get('/api')).body).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
    const { body } = await get('/apis');
    expect(body.kind).toBe('APIGroupList');
    expect(body.groups).toContainEqual({
      name: 'apps',
      versions: [{ groupVersion: 'apps/v1', version: 'v1' }],
      preferredVersion: { groupVersion: 'apps/v1', version: 'v1' },
    });
    expect(body.groups.map((group: { name: string }) => group.name)).not.toContain('');
  });

  test('a group describes itself', async () => {
    expect((await get('/apis/apps')).body).toMatchObject({
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: 'apps',
    });
  });

  test('a version lists its resources with their subresources', async () => {
    const { body } = await get('/apis/apps/v1');
    expect(body).toMatchObject({ kind: 'APIResourceList', apiVersion: 'v1', groupVersion: 'apps/v1' });
    expect(body.resources).toContainEqual(
      expect.objectContaining({
        name: 'deployments',
        singularName: 'deployment',
        namespaced: true,
        kind: 'Deployment',
        verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
        shortNames: ['deploy'],
        categories: ['all'],
      }),
    );
    expect(body.resources).toContainEqual({
      name: 'deployments/scale',
      singularName: '',
      namespaced: true,
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
      verbs: ['get', 'patch', 'update'],
    });
    const names = body.resources.map((resource: Resource) => resource.name);
    expect(names).toEqual([...names].sort());
  });

  test('the core group is older than one of its fields', async () => {
    expect((await get('/api/v1')).body).not.toHaveProperty('apiVersion');
  });

  test('only what is served is listed', async () => {
    const { body } = await get('/api/v1');
    const names = body.resources.map((resource: Resource) => resource.name);
    expect(names).toEqual(
      expect.arrayContaining(['pods', 'pods/eviction', 'pods/log', 'serviceaccounts/token']),
    );
    expect(names).not.toContain('pods/exec');
  });
});

describe('aggregated discovery', () => {
  test('says it all in two answers', async () => {
    const { headers, body } = await get('/apis', AGGREGATED);
    expect(headers['content-type']).toBe(AGGREGATED);
    expect(body).toMatchObject({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2' });
    const apps = body.items.find((item: { metadata: { name?: string } }) => item.metadata.name === 'apps');
    expect(apps.versions[0]).toMatchObject({ version: 'v1', freshness: 'Current' });
    expect(apps.versions[0].resources).toContainEqual({
      resource: 'deployments',
      responseKind: { group: '', version: '', kind: 'Deployment' },
      scope: 'Namespaced',
      singularResource: 'deployment',
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      shortNames: ['deploy'],
      categories: ['all'],
      subresources: [
        {
          subresource: 'scale',
          responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
          verbs: ['get', 'patch', 'update'],
        },
        {
          subresource: 'status',
          responseKind: { group: '', version: '', kind: 'Deployment' },
          verbs: ['get', 'patch', 'update'],
        },
      ],
    });
    const core = await get('/api', AGGREGATED);
    expect(core.body.items).toHaveLength(1);
    expect(core.body.items[0].metadata).toEqual({});
  });

  test('an answer that the client has is not sent again', async () => {
    const { headers } = await get('/apis', AGGREGATED);
    const again = await t.send('GET', '/apis', undefined, {
      headers: { accept: AGGREGATED, 'if-none-match': `${headers.etag}` },
    });
    expect(again).toMatchObject({ status: 304, body: '' });
  });

  test('the first acceptable type wins', async () => {
    expect((await get('/apis', `application/json,${AGGREGATED}`)).body.kind).toBe('APIGroupList');
  });
});

test('the version names the Kubernetes it follows', async () => {
  expect((await get('/version')).body).toMatchObject({
    major: '1',
    minor: '36',
    gitVersion: expect.stringMatching(/^v1\.36\./),
  });
});

test.each(['/healthz', '/livez', '/readyz', '/livez/ping'])('%s is fine', async (path) => {
  expect(await get(path)).toMatchObject({ status: 200, body: 'ok' });
});

test('health has a verbose form', async () => {
  expect((await get('/readyz?verbose')).body).toBe('[+]ping ok\nreadyz check passed\n');
  expect((await get('/readyz/nope')).status).toBe(404);
});

test('metrics count what is stored', async () => {
  await t.send('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'a' } });
  const { headers, body } = await get('/metrics');
  expect(headers['content-type']).toContain('text/plain');
  expect(body).toContain('apiserver_storage_objects{resource="configmaps"} 1\n');
});

describe('OpenAPI', () => {
  test('version 3 comes by group, at addresses that change with the content', async () => {
    const index = await get('/openapi/v3');
    const address: string = JSON.parse(JSON.stringify(index.body)).paths['apis/apps/v1'].serverRelativeURL;
    expect(address).toMatch(/^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]+$/);
    const document = await get(address);
    expect(document.body.openapi).toBe('3.0.0');
    expect(document.body.components.schemas).toHaveProperty(['io.k8s.api.apps.v1.Deployment']);
    expect((await get('/openapi/v3/apis/nope/v1')).status).toBe(404);
  });

  test('version 2 comes in one piece', async () => {
    const { status, body } = await get('/openapi/v2');
    expect(status).toBe(200);
    expect(body.swagger).toBe('2.0');
    expect(body.definitions).toHaveProperty(['io.k8s.api.core.v1.ConfigMap']);
  });

  test('version 2 comes as protobuf for those who ask for that first', async () => {
    const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
    const { status, headers } = await get('/openapi/v2', accept);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/com.github.proto-openapi.spec.v2.v1.0+protobuf');
  });

  test('a form that is not served is refused', async () => {
    expect((await get('/openapi/v2', 'text/html')).status).toBe(406);
  });

  test('a document that the client has is not sent again', async () => {
    const { headers } = await get('/openapi/v2');
    const again = await t.send('GET', '/openapi/v2', undefined, {
      headers: { 'if-none-match': `${headers.etag}` },
    });
    expect(again.status).toBe(304);
  });
});

test('the root lists the paths', async () => {
  const { body } = await get('/');
  expect(body.paths).toEqual(expect.arrayContaining(['/api', '/api/v1', '/apis/apps/v1', '/version']));
});

/** The expected messages are those of kube-apiserver 1.36. */
describe('what is not there', () => {
  const NOT_FOUND = 'the server could not find the requested resource';
  const NOT_ALLOWED = 'the server does not allow this method on the requested resource';
  const MAPS = '/api/v1/namespaces/default/configmaps';

  test.each(['/foo', '/apis/foo', '/apis/foo/v1', '/apis/foo/v1/bars', '//api/v1'])('%s', async (path) => {
    expect(await get(path)).toMatchObject({ status: 404, body: '404 page not found\n' });
  });

  test.each([
    '/api/v2',
    '/apis/apps/v2',
    '/api/v1/foos',
    '/api/v2/pods',
    '/apis/apps/v2/deployments',
    '/api/v1/pods/x',
    '/api/v1/namespaces/default/nodes',
    '/api/v1/proxy/pods',
  ])('%s', async (path) => {
    expect((await get(path)).body).toMatchObject({ code: 404, message: NOT_FOUND, details: {} });
  });

  test.each([
    ['POST', '/version'],
    ['POST', '/api/v1/pods'],
    ['DELETE', '/api/v1/pods'],
    ['DELETE', '/api/v1/namespaces'],
    ['PUT', MAPS],
    ['PATCH', MAPS],
    ['POST', `${MAPS}/a`],
    ['OPTIONS', MAPS],
    ['HEAD', MAPS],
    ['GET', '/apis/authorization.k8s.io/v1/subjectaccessreviews'],
  ])('%s %s', async (method, path) => {
    expect((await t.send(method, path, method === 'GET' ? undefined : '{}')).body).toMatchObject({
      code: 405,
      reason: 'MethodNotAllowed',
      message: NOT_ALLOWED,
    });
  });

  test('a path that is not encoded correctly', async () => {
    expect((await get('/api/v1/%zz')).status).toBe(400);
  });
});
