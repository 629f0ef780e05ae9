/** Every verb and every class of error against a real API server, as a service account that may do just that. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useControlPlane } from '../../../../test/control-plane/vitest.ts';
import { createCapturingLogger } from '../testing/index.ts';
import { bearer, fixedCredentials } from './auth/credentials.ts';
import type { Client, WatchEvent } from './client.ts';
import type { ClusterConfig } from './config/cluster-config.ts';
import { loadConfig } from './config/load.ts';
import { type ClientSettings, createClient } from './create-client.ts';
import { discover, serverVersion, UnknownKindError } from './discovery/discovery.ts';
import * as errors from './errors.ts';
import * as kinds from './kinds.ts';
import { freshContinueToken, listAll, listPages } from './paging.ts';
import type { ResourceType } from './resource.ts';

const cluster = useControlPlane({});
const { ConfigMap, Deployment, Pod, Secret } = kinds;
const ns = 'client-test';
const rules = [
  {
    apiGroups: [''],
    resources: ['configmaps', 'pods', 'pods/eviction'],
    verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'],
  },
  {
    apiGroups: ['apps'],
    resources: ['deployments', 'deployments/scale', 'deployments/status'],
    verbs: ['get', 'create', 'update', 'patch', 'delete'],
  },
  { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: ['create'] },
];

const clients: Client[] = [];
let config: ClusterConfig;
let client: Client;

function connect(to: ClusterConfig, settings: ClientSettings = {}): Client {
  const made = createClient({ config: to, fieldManager: 'client-test', ...settings });
  clients.push(made);
  return made;
}

beforeAll(async () => {
  const { kubeconfig } = await cluster().serviceAccount(ns, 'limited', { rules });
  config = await loadConfig({ kubeconfig });
  client = connect(config);
});

afterAll(() => Promise.all(clients.map((one) => one.close())));

const key = (name: string): { namespace: string; name: string } => ({ namespace: ns, name });
const configMap = (name: string, data: Record<string, string> = {}): kinds.ConfigMapObject => ({
  metadata: { ...key(name), labels: { test: name } },
  data,
});
const deployment = (name: string): kinds.PlainObject => ({
  metadata: key(name),
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'main', image: 'example.test/main' }] },
    },
  },
});

async function failure<E extends Error>(
  promise: Promise<unknown>,
  type: new (...args: never[]) => E,
): Promise<E> {
  const thrown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(type);
  return thrown as E;
}

describe('reading and writing', () => {
  test('create, get, update and delete', async () => {
    const created = await client.create(ConfigMap, configMap('crud', { a: '1' }));
    expect(created).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', data: { a: '1' } });
    expect(await client.get(ConfigMap, key('crud'))).toEqual(created);
    const updated = await client.update(ConfigMap, { ...created, data: { a: '2' } });
    expect(updated.data).toEqual({ a: '2' });
    expect(updated.metadata.managedFields?.map((entry) => entry.manager)).toEqual(['client-test']);
    await client.delete(ConfigMap, key('crud'));
    await failure(client.get(ConfigMap, key('crud')), errors.NotFoundError);
  });

  test('a generated name, and a dry run that changes nothing', async () => {
    const { metadata } = await client.create(ConfigMap, {
      metadata: { namespace: ns, generateName: 'gen-' },
    });
    expect(metadata.name).toMatch(/^gen-.{5}$/);
    await client.create(ConfigMap, configMap('dry'), { dryRun: true });
    await failure(client.get(ConfigMap, key('dry')), errors.NotFoundError);
  });

  test('JSON, merge and strategic merge patches', async () => {
    await client.create(Deployment, deployment('patched'));
    const json = await client.patch(Deployment, key('patched'), {
      type: 'json',
      operations: [
        { op: 'test', path: '/spec/replicas', value: 1 },
        { op: 'replace', path: '/spec/replicas', value: 2 },
        { op: 'test', path: '/metadata/annotations', value: null },
        { op: 'add', path: '/metadata/annotations', value: { a: '1' } },
      ],
    });
    expect(json).toMatchObject({ spec: { replicas: 2 }, metadata: { annotations: { a: '1' } } });
    const merged = await client.patch(Deployment, key('patched'), {
      type: 'merge',
      body: { metadata: { annotations: { a: null, b: '2' } } },
    });
    expect(merged.metadata.annotations).toEqual({ b: '2' });
    const containers = [{ name: 'main', env: [{ name: 'A', value: '1' }] }];
    const strategic = await client.patch(Deployment, key('patched'), {
      type: 'strategic',
      body: { spec: { template: { spec: { containers } } } },
    });
    expect(JSON.stringify(strategic.spec)).toContain('"image":"example.test/main"');
  });

  test('server-side apply: own fields, a conflict with another manager, and force', async () => {
    await client.apply(ConfigMap, configMap('applied', { a: '1' }), { fieldManager: 'first' });
    const second = configMap('applied', { a: '2' });
    const conflict = await failure(
      client.apply(ConfigMap, second, { fieldManager: 'second' }),
      errors.ConflictError,
    );
    expect(conflict.hasCause('FieldManagerConflict')).toBe(true);
    expect(conflict.causes[0]?.field).toBe('.data.a');
    const forced = await client.apply(ConfigMap, second, { fieldManager: 'second', force: true });
    expect(forced.data).toEqual({ a: '2' });
    const again = await client.apply(ConfigMap, second, { fieldManager: 'second' });
    expect(again.metadata.resourceVersion).toBe(forced.metadata.resourceVersion);
  });

  test('subresources: scale, status and eviction', async () => {
    await client.create(Deployment, deployment('scaled'));
    const scale = await client.get(Deployment, key('scaled'), { subresource: 'scale' });
    expect(scale.kind).toBe('Scale');
    await client.patch(
      Deployment,
      key('scaled'),
      { type: 'merge', body: { spec: { replicas: 3 } } },
      { subresource: 'scale' },
    );
    const status = await client.patch(
      Deployment,
      key('scaled'),
      { type: 'merge', body: { spec: { replicas: 9 }, status: { observedGeneration: 1 } } },
      { subresource: 'status' },
    );
    expect(status).toMatchObject({ spec: { replicas: 3 }, status: { observedGeneration: 1 } });
  });

  test('metadata only: get, list and watch', async () => {
    await client.create(ConfigMap, configMap('partial', { secret: 'payload' }));
    const got = await client.get(ConfigMap, key('partial'), { metadataOnly: true });
    expect(got).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'partial' } });
    const options = { namespace: ns, labelSelector: 'test=partial', metadataOnly: true };
    const { items } = await client.list(ConfigMap, options);
    expect(items).toHaveLength(1);
    for await (const event of await client.watch(ConfigMap, { ...options, resourceVersion: '0' })) {
      expect(JSON.stringify([got, items, event])).not.toContain('payload');
      break;
    }
  });

  test('field validation, and warnings that are logged once', async () => {
    const { logger, messages } = createCapturingLogger();
    const warned = connect(config, { logger });
    const object = { ...configMap('unknown-field'), bogus: 1 };
    const strict = await failure(
      client.create(ConfigMap, object, { fieldValidation: 'Strict' }),
      errors.BadRequestError,
    );
    expect(strict.message).toContain('unknown field "bogus"');
    for (let index = 0; index < 2; index++)
      await warned.create(ConfigMap, object, { fieldValidation: 'Warn', dryRun: true });
    expect(messages('warn')).toEqual(['The API server warns: unknown field "bogus"']);
  });

  test('deletion with preconditions and by collection', async () => {
    const { metadata } = await client.create(ConfigMap, configMap('guarded'));
    const wrongUid = client.delete(ConfigMap, key('guarded'), { preconditions: { uid: 'another' } });
    await failure(wrongUid, errors.ConflictError);
    const wrongVersion = client.delete(ConfigMap, key('guarded'), {
      preconditions: { resourceVersion: '1' },
    });
    await failure(wrongVersion, errors.ConflictError);
    await client.delete(ConfigMap, key('guarded'), { dryRun: true });
    const { uid, resourceVersion } = metadata;
    await client.delete(ConfigMap, key('guarded'), { preconditions: { uid, resourceVersion } });
    for (const name of ['c1', 'c2'])
      await client.create(ConfigMap, { metadata: { ...key(name), labels: { bulk: 'yes' } } });
    await client.deleteCollection(ConfigMap, { namespace: ns, labelSelector: 'bulk=yes' });
    expect((await client.list(ConfigMap, { namespace: ns, labelSelector: 'bulk=yes' })).items).toEqual([]);
  });

  test('propagation: an orphan stays, a foreground deletion waits', async () => {
    const { metadata } = await client.create(Deployment, deployment('owner'));
    await client.delete(Deployment, key('owner'), { propagationPolicy: 'Foreground' });
    const waiting = await client.get(Deployment, key('owner'));
    expect(waiting.metadata.uid).toBe(metadata.uid);
    expect(waiting.metadata.finalizers).toEqual(['foregroundDeletion']);
  });

  test('onWritten hears of what was stored', async () => {
    const seen: string[] = [];
    const observed = connect(config, {
      onWritten: (type, object) => seen.push(`${type.kind} ${object.metadata.name}`),
    });
    const created = await observed.create(ConfigMap, configMap('seen'));
    await observed.create(ConfigMap, configMap('unseen'), { dryRun: true });
    await observed.patch(ConfigMap, key('seen'), { type: 'merge', body: { data: { a: '1' } } });
    await observed.delete(ConfigMap, key('seen'));
    expect(created.metadata.uid).toBeDefined();
    expect(seen).toEqual(['ConfigMap seen', 'ConfigMap seen']);
  });
});

describe('lists', () => {
  beforeAll(async () => {
    await Promise.all(
      Array.from({ length: 25 }, (_, index) =>
        client.create(ConfigMap, {
          metadata: { ...key(`page-${index}`), labels: { paged: 'yes' } },
          data: { text: '"}]{[é😀'.repeat(500) },
        }),
      ),
    );
  });
  const selection = { namespace: ns, labelSelector: 'paged=yes' };

  test('in pages equal the whole, also against kubectl', async () => {
    const sizes: number[] = [];
    for await (const page of listPages(client, ConfigMap, { ...selection, limit: 10 }))
      sizes.push(page.items.length);
    expect(sizes).toEqual([10, 10, 5]);
    const paged = await listAll(client, ConfigMap, { ...selection, limit: 7 });
    const whole = await client.list(ConfigMap, selection);
    expect(paged.items).toEqual(whole.items);
    const args = ['get', 'configmaps', '-n', ns, '-l', 'paged=yes', '-o', 'json', '--show-managed-fields'];
    expect(JSON.parse(await cluster().kubectl(args)).items).toEqual(whole.items);
  });

  test('stream item by item, with the metadata of the list', async () => {
    const names: string[] = [];
    const metadata = await client.listEach(ConfigMap, (item) => names.push(item.metadata.name), {
      ...selection,
      limit: 20,
    });
    expect(names).toHaveLength(20);
    expect(metadata.continue).toBeDefined();
    expect(Number(metadata.resourceVersion)).toBeGreaterThan(0);
  });

  test('a continue token that cannot be read is a BadRequestError', async () => {
    const error = await failure(
      client.list(ConfigMap, { ...selection, continue: 'nonsense' }),
      errors.BadRequestError,
    );
    expect(freshContinueToken(error)).toBeUndefined();
  });

  test('at exactly a version, and at one of the future', async () => {
    const { metadata } = await client.list(ConfigMap, selection);
    const version = metadata.resourceVersion ?? '';
    await client.create(ConfigMap, { metadata: { ...key('page-late'), labels: { paged: 'yes' } } });
    const then = await client.list(ConfigMap, {
      ...selection,
      resourceVersion: version,
      resourceVersionMatch: 'Exact',
    });
    expect(then.items).toHaveLength(25);
    const future = client.list(ConfigMap, {
      ...selection,
      resourceVersion: '999999999',
      resourceVersionMatch: 'NotOlderThan',
    });
    expect(errors.isResourceVersionTooLarge(await failure(future, errors.TimeoutError))).toBe(true);
  });
});

describe('watches', () => {
  async function collect(
    options: Parameters<Client['watch']>[1],
    until: (event: WatchEvent<kinds.ConfigMapObject>) => boolean,
  ): Promise<WatchEvent<kinds.ConfigMapObject>[]> {
    const events: WatchEvent<kinds.ConfigMapObject>[] = [];
    for await (const event of await client.watch(ConfigMap, options)) {
      events.push(event);
      if (until(event)) return events;
    }
    return events;
  }

  test('deliver writes in order', async () => {
    const { metadata } = await client.list(ConfigMap, { namespace: ns });
    const options = {
      namespace: ns,
      labelSelector: 'test=watched',
      resourceVersion: metadata.resourceVersion ?? '',
    };
    const watching = collect(options, (event) => event.type === 'DELETED');
    await client.create(ConfigMap, configMap('watched'));
    await client.patch(ConfigMap, key('watched'), { type: 'merge', body: { data: { a: '1' } } });
    await client.delete(ConfigMap, key('watched'));
    expect((await watching).map((event) => event.type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
  });

  test('with initial events end them with a bookmark', async () => {
    await client.create(ConfigMap, configMap('initial'));
    const events = await collect(
      { namespace: ns, labelSelector: 'test=initial', sendInitialEvents: true, allowWatchBookmarks: true },
      (event) => event.type === 'BOOKMARK',
    );
    expect(events.map((event) => event.type)).toEqual(['ADDED', 'BOOKMARK']);
    expect(events.at(-1)).toMatchObject({ initialEventsEnd: true });
  });

  test('end in order when their time is over', async () => {
    const events = await collect(
      { namespace: ns, labelSelector: 'test=nothing', timeoutSeconds: 1 },
      () => false,
    );
    expect(events).toEqual([]);
  });
});

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

  test('acting as somebody else in groups', async () => {
    const admin = await loadConfig({ kubeconfig: cluster().kubeconfig });
    const { impersonating } = await import('./auth/credentials.ts');
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
