/** Every class of error against a real API server, other credentials, discovery, and a server that restarts. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useControlPlane } from '../../../../test/control-plane/vitest.ts';
import { bearer, fixedCredentials, impersonating } from './auth/credentials.ts';
import type { Client } from './client.ts';
import { closeAll, configMap, connect, failure, key, ns, rules } from './cluster.test.support.ts';
import type { ClusterConfig } from './config/cluster-config.ts';
import { loadConfig } from './config/load.ts';
import { discover, serverVersion, UnknownKindError } from './discovery/discovery.ts';
import * as errors from './errors.ts';
import * as kinds from './kinds.ts';
import type { ResourceType } from './resource.ts';

const cluster = useControlPlane({});
const { ConfigMap, Deployment, Pod, Secret } = kinds;
let config: ClusterConfig;
let client: Client;

beforeAll(async () => {
  const { kubeconfig } = await cluster().serviceAccount(ns, 'limited', { rules });
  config = await loadConfig({ kubeconfig });
  client = connect(config);
});

afterAll(closeAll);

describe('errors', () => {
  const Widget: ResourceType = {
    group: 'example.com',
    version: 'v1',
    kind: 'Widget',
    plural: 'widgets',
    namespaced: true,
  };

  test('AlreadyExists, and Conflict on an old version', async () => {
    const created = await client.create(ConfigMap, configMap('conflict'));
    await failure(client.create(ConfigMap, configMap('conflict')), errors.AlreadyExistsError);
    await client.update(ConfigMap, { ...created, data: { a: '1' } });
    await failure(client.update(ConfigMap, { ...created, data: { a: '2' } }), errors.ConflictError);
  });

  test('Invalid: a bad object, and a JSON patch whose test fails', async () => {
    const invalid = await failure(client.create(ConfigMap, configMap('Not_A_Name')), errors.InvalidError);
    expect(invalid.causes[0]?.field).toBe('metadata.name');
    await client.create(ConfigMap, configMap('tested', { a: '1' }));
    const operations = [{ op: 'test', path: '/data/a', value: '2' }] as const;
    await failure(client.patch(ConfigMap, key('tested'), { type: 'json', operations }), errors.InvalidError);
  });

  test('Forbidden says which permission is missing', async () => {
    const error = await failure(client.list(Secret, { namespace: ns }), errors.ForbiddenError);
    expect(error.message).toMatch(
      /^list secrets in namespace "client-test": secrets is forbidden: User "system:serviceaccount:client-test:limited" cannot list .*: give this user the verb list on secrets by a Role/,
    );
    await failure(client.list(ConfigMap), errors.ForbiddenError);
    await failure(client.watch(Secret, { namespace: ns }), errors.ForbiddenError);
  });

  test('Unauthorized for a token that is not accepted', async () => {
    const stranger = connect({ ...config, credentials: fixedCredentials(bearer('expired')) });
    const error = await failure(stranger.list(ConfigMap, { namespace: ns }), errors.UnauthorizedError);
    expect(error.message).toMatch(/log in again or renew the token or certificate$/);
  });

  test('NotFound for an object, a namespace, and a kind that is not served', async () => {
    const admin = connect(await loadConfig({ kubeconfig: cluster().kubeconfig }));
    await failure(admin.get(ConfigMap, key('nothing')), errors.NotFoundError);
    const nowhere = admin.create(ConfigMap, { metadata: { namespace: 'nowhere', name: 'x' } });
    expect((await failure(nowhere, errors.NotFoundError)).message).toMatch(/namespaces "nowhere" not found/);
    const missing = await failure(admin.list(Widget), errors.NotFoundError);
    expect(missing.message).toMatch(/install their CustomResourceDefinition or check group and version$/);
  });

  test('MethodNotAllowed, BadRequest, UnsupportedMediaType and TooLarge', async () => {
    const admin = connect(await loadConfig({ kubeconfig: cluster().kubeconfig }));
    const path = `/api/v1/namespaces/${ns}/configmaps`;
    await failure(admin.raw({ method: 'PUT', path, headers: {}, body: '{}' }), errors.MethodNotAllowedError);
    await failure(admin.list(ConfigMap, { labelSelector: '!!' }), errors.BadRequestError);
    const patch = {
      method: 'PATCH',
      path: `${path}/x`,
      headers: { 'content-type': 'text/plain' },
      body: '{}',
    };
    await failure(admin.raw(patch), errors.UnsupportedMediaTypeError);
    const huge = configMap('huge', { a: 'x'.repeat(4 * 1024 * 1024) });
    await failure(admin.create(ConfigMap, huge), errors.TooLargeError);
  });

  test('TooManyRequests of a disruption budget is not retried', async () => {
    const pod = {
      metadata: { ...key('guarded'), labels: { app: 'guarded' } },
      spec: { containers: [{ name: 'main', image: 'example.test/main' }] },
    };
    const admin = connect(await loadConfig({ kubeconfig: cluster().kubeconfig }));
    await client.create(kinds.PodDisruptionBudget, {
      metadata: key('guard'),
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'guarded' } } },
    });
    await admin.apply(kinds.ServiceAccount, { metadata: key('default') }, { force: true });
    await admin.create(Pod, pod);
    await admin.patch(
      Pod,
      key('guarded'),
      {
        type: 'merge',
        body: { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } },
      },
      { subresource: 'status' },
    );
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: key('guarded') };
    const mark = await cluster().audit.mark();
    const error = await failure(
      client.create<kinds.PlainObject>(Pod, eviction, { subresource: 'eviction' }),
      errors.TooManyRequestsError,
    );
    expect(error.hasCause('DisruptionBudget')).toBe(true);
    expect(await cluster().audit.count({ subresource: 'eviction' }, mark)).toBe(1);
  });
});

describe('other credentials', () => {
  test('a client certificate', async () => {
    const kubeconfig = await cluster().kubeconfigFor({ user: 'carol', groups: ['system:masters'] });
    const carol = connect(await loadConfig({ kubeconfig }));
    expect((await carol.list(Secret)).metadata.resourceVersion).toBeDefined();
  });

  test('a client certificate that has expired is a clear error', async () => {
    const validity = {
      notBefore: new Date(Date.now() - 7_200_000),
      notAfter: new Date(Date.now() - 3_600_000),
    };
    const kubeconfig = await cluster().kubeconfigFor({ user: 'carol', validity });
    const error = await failure(
      connect(await loadConfig({ kubeconfig })).list(Secret),
      errors.UnauthorizedError,
    );
    expect(error.message).toMatch(/renew the token or certificate$/);
  });

  test('the service account of a pod', async () => {
    const folder = join(cluster().directory, 'pod');
    const { token } = await cluster().serviceAccount(ns, 'limited', { rules });
    await mkdir(folder);
    await writeFile(join(folder, 'token'), token);
    await writeFile(join(folder, 'ca.crt'), cluster().authority.certificate);
    await writeFile(join(folder, 'namespace'), ns);
    const url = new URL(cluster().server);
    const environment = { KUBERNETES_SERVICE_HOST: url.hostname, KUBERNETES_SERVICE_PORT: url.port };
    const inPod = await loadConfig({ inCluster: true, environment, serviceAccountDirectory: folder });
    expect(inPod.namespace).toBe(ns);
    await connect(inPod).list(ConfigMap, { namespace: inPod.namespace });
  });

  test('impersonating a user with groups', async () => {
    const admin = await loadConfig({ kubeconfig: cluster().kubeconfig });
    const who = { user: 'jane', groups: ['one', 'two'], extra: new Map([['example.com/scope', ['a', 'b']]]) };
    const jane = connect({ ...admin, credentials: impersonating(admin.credentials, who) });
    const error = await failure(jane.list(Secret), errors.ForbiddenError);
    expect(error.message).toContain('User "jane"');
    const review = await jane.create(
      { ...kinds.TokenReview, kind: 'SelfSubjectReview', plural: 'selfsubjectreviews' },
      { spec: {} },
    );
    expect(review.status).toMatchObject({
      userInfo: {
        username: 'jane',
        groups: ['one', 'two', 'system:authenticated'],
        extra: { 'example.com/scope': ['a', 'b'] },
      },
    });
  });
});

describe('discovery', () => {
  test('finds built-in kinds, and a CRD a moment after it was installed', async () => {
    const admin = connect(await loadConfig({ kubeconfig: cluster().kubeconfig }));
    const discovery = await discover(client);
    expect(await discovery.resolveKind({ apiVersion: 'apps/v1', kind: 'Deployment' })).toEqual(Deployment);
    for (const type of Object.values(kinds)) expect(await discovery.hasResource(type), type.kind).toBe(true);
    const gadget = { apiVersion: 'example.com/v1', kind: 'Gadget' };
    await failure(discovery.resolveKind(gadget), UnknownKindError);
    const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    await admin.create(kinds.CustomResourceDefinition, {
      metadata: { name: 'gadgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { kind: 'Gadget', plural: 'gadgets' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    });
    let type: ResourceType | undefined;
    while (!type) type = await discovery.resolveKind(gadget).catch(() => undefined);
    expect(type).toEqual({
      group: 'example.com',
      version: 'v1',
      kind: 'Gadget',
      plural: 'gadgets',
      namespaced: true,
    });
    const created = await admin.create(type, { metadata: key('g') });
    expect(created).toMatchObject({ kind: 'Gadget', metadata: { name: 'g' } });
  });

  test('tells the version of the server', async () => {
    expect((await serverVersion(client)).gitVersion).toMatch(/^v1\./);
  });

  test('finds the same without aggregation', async () => {
    const plain = connect(config, {
      interceptors: [
        (request, next) => next({ ...request, headers: { ...request.headers, accept: 'application/json' } }),
      ],
    });
    const names = async (from: Client): Promise<string[]> =>
      (await discover(from)).resources
        .map((one) =>
          JSON.stringify({
            ...one,
            verbs: [...one.verbs].sort(),
            subresources: [...one.subresources].sort(),
          }),
        )
        .sort();
    expect(await names(plain)).toEqual(await names(client));
  });
});

describe('the connection', () => {
  test('to an API server that hangs is closed and replaced', async () => {
    const nervous = connect(config, { http: { pingIntervalMs: 300, pingTimeoutMs: 300 } });
    const watch = await nervous.watch(ConfigMap, { namespace: ns });
    const read = async (): Promise<void> => {
      for await (const _ of watch);
    };
    await cluster().kill('kube-apiserver', 'SIGSTOP');
    const error = await failure(read(), errors.ConnectionError);
    expect(error.message).toMatch(/it did not answer a PING within 0.3 s$/);
    await cluster().kill('kube-apiserver', 'SIGCONT');
    expect((await nervous.list(ConfigMap, { namespace: ns })).metadata.resourceVersion).toBeDefined();
  });

  test('names this program, and survives a restart of the API server', async () => {
    const named = connect(config, { userAgent: 'client-test/9.9' });
    const mark = await cluster().audit.mark();
    await named.list(ConfigMap, { namespace: ns });
    const entries = await cluster().audit.since(mark, { verb: 'list', resource: 'configmaps' });
    expect(entries.map((entry) => entry.userAgent)).toEqual(['client-test/9.9']);
    const watch = await named.watch(ConfigMap, { namespace: ns });
    await cluster().kill('kube-apiserver');
    const read = async (): Promise<void> => {
      for await (const _ of watch);
    };
    await failure(read(), errors.ConnectionError);
    await failure(named.list(ConfigMap, { namespace: ns }), errors.ConnectionError);
    await cluster().restart('kube-apiserver');
    await cluster().waitUntilReady();
    expect((await named.list(ConfigMap, { namespace: ns })).items.length).toBeGreaterThan(0);
  });

  test('a watch from before that restart throws a GoneError, since the server has forgotten', async () => {
    const read = async (): Promise<void> => {
      for await (const _ of await client.watch(ConfigMap, { namespace: ns, resourceVersion: '1' }));
    };
    await failure(read(), errors.GoneError);
  });
});
