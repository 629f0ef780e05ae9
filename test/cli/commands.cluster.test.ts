/** The commands on a real API server: its service proxy, its validation, its permissions. */
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import {
  type Client,
  createClient,
  type KubernetesObject,
  kinds,
  loadConfig,
  systemClock,
} from '@reloader/runtime';
import { createCapturingLogger } from '@reloader/runtime/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Explanation, HistoryLine, WhatIf } from '../../packages/operator/src/api/shapes.ts';
import { type Ran, run } from '../../packages/operator/src/cli/surroundings.test.support.ts';
import { applyCrds } from '../../packages/operator/src/crds/apply.ts';
import { runOperator } from '../../packages/operator/src/operator.ts';
import { parseSettings } from '../../packages/operator/src/settings/parse.ts';
import { useControlPlane } from '../control-plane/vitest.ts';
import { workload } from '../reloader/objects.ts';

const cluster = useControlPlane();
const stop = new AbortController();
let client: Client;
let ended: Promise<void>;

/** The API server hands nothing on to loopback addresses. */
function ownAddress(): string {
  const found = Object.values(networkInterfaces())
    .flat()
    .find((each) => each?.family === 'IPv4' && !each.internal);
  if (!found)
    throw new Error('This machine has no address but loopback: the proxy of the API server cannot be tried');
  return found.address;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

const command = (...argv: string[]): Promise<Ran> =>
  run(argv, { client, namespace: 'shop', clock: systemClock });
const json = <T>({ out, err }: Ran): T & { answeredBy: string } => {
  expect(err).toBe('');
  return JSON.parse(out);
};

async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 150; tries++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`waited in vain for ${what}`);
}

/** The proxy of the API server goes only to the address of a pod that the Endpoints name. */
async function openDoor(port: number): Promise<void> {
  const namespace = 'reloader';
  const ip = ownAddress();
  const post = (path: string, body: object) =>
    client.raw({
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/${path}`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  await post('serviceaccounts', { metadata: { name: 'door' } }).catch(() => undefined);
  await post('pods', {
    metadata: { name: 'reloader-0' },
    spec: {
      serviceAccountName: 'door',
      automountServiceAccountToken: false,
      containers: [{ name: 'a', image: 'a' }],
    },
  });
  const status = { phase: 'Running', podIP: ip, podIPs: [{ ip }] };
  await client.patch(
    kinds.Pod,
    { namespace, name: 'reloader-0' },
    { type: 'merge', body: { status } },
    { subresource: 'status' },
  );
  const targetRef = { kind: 'Pod', namespace, name: 'reloader-0' };
  await post('endpoints', {
    metadata: { name: 'reloader' },
    subsets: [{ addresses: [{ ip, targetRef }], ports: [{ name: 'http', port }] }],
  });
}

beforeAll(async () => {
  const { kubeconfig } = cluster();
  client = createClient({ config: await loadConfig({ kubeconfig }), fieldManager: 'user' });
  await applyCrds(client);
  for (const name of ['shop', 'reloader']) await client.create(kinds.Namespace, { metadata: { name } });
  const port = await freePort();
  await client.create(kinds.Service, {
    metadata: { name: 'reloader', namespace: 'reloader', labels: { 'app.kubernetes.io/name': 'reloader' } },
    spec: { ports: [{ name: 'http', port: 9090, targetPort: port }] },
  } as KubernetesObject);
  await openDoor(port);
  await client.create(kinds.Secret, {
    metadata: { namespace: 'shop', name: 'credentials' },
    stringData: { key: 'one' },
  } as KubernetesObject);
  const uses = [{ secret: 'credentials' }];
  await client.create(
    kinds.Deployment,
    workload('Deployment', 'web', 'shop', {
      annotations: { auto: 'true' },
      uses,
    }) as unknown as KubernetesObject,
  );
  const settings = parseSettings(['--kubeconfig', kubeconfig, `--http-bind-address=:${port}`], {
    POD_NAMESPACE: 'reloader',
  });
  ended = runOperator(settings, { logger: createCapturingLogger().logger, signal: stop.signal });
  await eventually('the operator to adopt the workload', async () => {
    const { metadata } = await client.get(kinds.Deployment, { namespace: 'shop', name: 'web' });
    return metadata.annotations?.['reloader.stakater.com/ledger'] !== undefined;
  });
}, 120_000);

afterAll(async () => {
  stop.abort(new Error('the test has ended'));
  await ended;
  await client.close();
});

test('explain and what-if are answered through the proxy of the API server, and come true', {
  timeout: 60_000,
}, async () => {
  const before = json<Explanation>(await command('explain', 'deployment/web', '-o', 'json'));
  expect((before as unknown as { limits: string[] }).limits).toEqual([]);
  expect(before).toMatchObject({ answeredBy: 'Service reloader/reloader', reloads: 0, ledger: 'recorded' });
  const foretold = json<WhatIf>(await command('what-if', 'secret/credentials', '-o', 'json'));
  expect(foretold.reloads.map(({ workload: { name }, rule }) => `${name} ${rule}`)).toEqual(['web auto']);
  await client.patch(
    kinds.Secret,
    { namespace: 'shop', name: 'credentials' },
    { type: 'merge', body: { stringData: { key: 'two' } } },
  );
  const reloads = async (): Promise<HistoryLine[]> =>
    json<{ reloads: HistoryLine[] }>(await command('history', '-o', 'json')).reloads;
  await eventually('the reload', async () => (await reloads()).length > 0);
  expect((await reloads())[0]).toMatchObject({ seq: 1, sources: ['Secret shop/credentials'] });
});

test('freeze and unfreeze set the switch', async () => {
  expect((await command('freeze', 'deployment/web')).out).toContain('is frozen');
  const { metadata } = await client.get(kinds.Deployment, { namespace: 'shop', name: 'web' });
  expect(metadata.annotations?.['reloader.stakater.com/freeze']).toBe('true');
  expect((await command('unfreeze', 'deployment/web')).out).toContain('no longer frozen');
});

test('the API server takes everything that manifests prints, field by field', async () => {
  const { out } = await run(['manifests', '-n', 'reloader']);
  for (const document of parseAllDocuments(out)) {
    const object = document.toJS() as KubernetesObject & { kind: keyof typeof kinds };
    if (object.kind === 'Namespace') continue;
    const type = kinds[object.kind] as typeof kinds.Deployment;
    await client.apply(type, object, {
      dryRun: true,
      force: true,
      fieldValidation: 'Strict',
      fieldManager: 'install',
    });
  }
});

test('the API server takes the ReloaderConfigs that migrate prints', async () => {
  const { out } = await command('migrate');
  const [config] = parseAllDocuments(out).map((document) => document.toJS() as object);
  await client.raw({
    method: 'POST',
    path: '/apis/reloader.stakater.com/v1alpha1/namespaces/shop/reloaderconfigs?dryRun=All&fieldValidation=Strict',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(config),
  });
});
