import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@reloader/runtime/testing';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { startMinicluster } from './minicluster.ts';
import type { Middleware } from './request/request.ts';
import { Replica } from './storage/replica.ts';

const MAPS = { group: '', plural: 'configmaps' };

async function text(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test('a new cluster has its namespaces, roles and its own service', async () => {
  const { api } = await startMinicluster({ clock: new VirtualClock(), seed: 1, workloads: false });
  const names = (group: string, plural: string) =>
    api.list({ group, plural }).map(({ metadata }) => metadata.name);
  expect(names('', 'namespaces')).toEqual(['default', 'kube-node-lease', 'kube-public', 'kube-system']);
  expect(names('rbac.authorization.k8s.io', 'clusterroles')).toEqual(
    expect.arrayContaining(['admin', 'cluster-admin', 'edit', 'view']),
  );
  expect(
    api.get({ group: '', plural: 'services' }, { namespace: 'default', name: 'kubernetes' })?.spec,
  ).toMatchObject({
    clusterIP: '10.0.0.1',
  });
});

test('the same seed gives the same cluster, request by request', async () => {
  const run = async (seed: number): Promise<string[]> => {
    const clock = new VirtualClock();
    const cluster = await startMinicluster({ clock, seed });
    const transport = cluster.transport();
    const headers = { 'content-type': 'application/json' };
    const answers: string[] = [];
    for (const body of ['{"metadata":{"generateName":"a-"}}', '{"metadata":{"name":"b"}}']) {
      const path = '/api/v1/namespaces/default/configmaps';
      answers.push(await text((await transport.request({ method: 'POST', path, headers, body })).body));
    }
    await clock.advance(5_000);
    answers.push(
      await text((await transport.request({ method: 'GET', path: '/api/v1/configmaps', headers })).body),
    );
    await cluster.stop();
    return answers;
  };
  const first = await run(7);
  expect(await run(7)).toEqual(first);
  expect(await run(8)).not.toEqual(first);
});

test('without a seed two clusters have nothing in common', async () => {
  const [one, two] = [
    await startMinicluster({ workloads: false }),
    await startMinicluster({ workloads: false }),
  ];
  expect(one.adminToken).not.toBe(two.adminToken);
});

test('with workloads the controllers run on the clock, and stop with the cluster', async () => {
  const clock = new VirtualClock();
  const cluster = await startMinicluster({ clock, seed: 1, workloads: { nodes: 2 } });
  await clock.advance(1_000);
  expect(
    cluster.api.get({ group: '', plural: 'serviceaccounts' }, { namespace: 'default', name: 'default' }),
  ).toBeDefined();
  expect(cluster.api.list({ group: '', plural: 'nodes' })).toHaveLength(2);
  expect(cluster.workloads).toBeDefined();
  await cluster.stop();
  expect(clock.pendingTimers).toBe(0);
});

test('without workloads only the client writes', async () => {
  const clock = new VirtualClock();
  const cluster = await startMinicluster({ clock, seed: 1, workloads: false });
  await clock.advance(60_000);
  expect(cluster.workloads).toBeUndefined();
  expect(cluster.api.list({ group: '', plural: 'serviceaccounts' })).toEqual([]);
  expect(clock.pendingTimers).toBe(0);
});

test('middleware wraps every request, the first one outermost', async () => {
  const order: string[] = [];
  const named =
    (name: string): Middleware =>
    (next) =>
    async (request) => {
      order.push(name);
      return next(request);
    };
  const cluster = await startMinicluster({
    seed: 1,
    workloads: false,
    middleware: [named('outer'), named('inner')],
  });
  await cluster.transport().request({ method: 'GET', path: '/api', headers: {} });
  expect(order).toEqual(['outer', 'inner']);
});

test('a transport may speak to a front end of its own', async () => {
  const cluster = await startMinicluster({ clock: new VirtualClock(), seed: 1, workloads: false });
  const replica = new Replica(cluster.store);
  replica.hold();
  cluster.api.create(MAPS, { metadata: { name: 'a', namespace: 'default' } });
  const path = '/api/v1/configmaps?resourceVersion=0';
  const list = async (transport: ReturnType<typeof cluster.transport>) =>
    JSON.parse(await text((await transport.request({ method: 'GET', path, headers: {} })).body)).items.length;
  expect(await list(cluster.transport({ replica }))).toBe(0);
  expect(await list(cluster.transport())).toBe(1);
});

test('stopping ends the watches of every transport', async () => {
  const clock = new VirtualClock();
  const cluster = await startMinicluster({ clock, seed: 1, workloads: false });
  const path = '/api/v1/configmaps?watch=1';
  const { body } = await cluster.transport().request({ method: 'GET', path, headers: {} });
  await cluster.stop();
  expect(await text(body)).toBe('');
  expect(clock.pendingTimers).toBe(0);
});

test('a kubeconfig leads a client here, and is for its owner only', async () => {
  const cluster = await startMinicluster({ seed: 1, workloads: false, listen: {} });
  const folder = await mkdtemp(join(tmpdir(), 'minicluster-'));
  try {
    const file = join(folder, 'kubeconfig');
    await cluster.writeKubeconfig(file);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const config = parse(await readFile(file, 'utf8'));
    expect(config).toMatchObject({
      kind: 'Config',
      'current-context': 'minicluster',
      clusters: [{ cluster: { server: cluster.url } }],
      users: [{ user: { token: cluster.adminToken } }],
      contexts: [{ context: { namespace: 'default' } }],
    });
    const ca = Buffer.from(config.clusters[0].cluster['certificate-authority-data'], 'base64').toString();
    expect(ca).toBe(cluster.ca);
    expect(parse(cluster.kubeconfig({ token: 't', namespace: 'n' }))).toMatchObject({
      users: [{ user: { token: 't' } }],
      contexts: [{ context: { namespace: 'n' } }],
    });
  } finally {
    await cluster.stop();
    await rm(folder, { recursive: true });
  }
});

test('what needs a listener says so', async () => {
  const cluster = await startMinicluster({ seed: 1, workloads: false });
  expect(cluster.url).toBeUndefined();
  expect(() => cluster.kubeconfig()).toThrow(
    'This minicluster does not listen: start it with { listen: {} }',
  );
  expect(() => cluster.clientCertificate('a', [])).toThrow('This minicluster has no authority');
});
