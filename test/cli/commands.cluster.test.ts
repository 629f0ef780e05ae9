/** The commands on a real API server: its port-forward, its validation, its permissions. */
import { createServer } from 'node:net';
import {
  type Client,
  type ClusterConfig,
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
import { type Ran, run } from '../../packages/operator/src/cli/command-io.test.support.ts';
import { openPortForward } from '../../packages/operator/src/cli/port-forward.ts';
import { applyCrds } from '../../packages/operator/src/crds/apply.ts';
import { runOperator } from '../../packages/operator/src/operator.ts';
import { parseSettings } from '../../packages/operator/src/settings/parse.ts';
import { createAuthority } from '../control-plane/certificates.ts';
import { useControlPlane } from '../control-plane/vitest.ts';
import { workload } from '../reloader/objects.ts';
import { readRecord } from '../reloader/records.ts';
import { type ForwardingKubelet, startForwardingKubelet } from './forwarding-kubelet.ts';

const cluster = useControlPlane();
const stop = new AbortController();
let client: Client;
let ended: Promise<void>;
let kubelet: ForwardingKubelet;
let config: ClusterConfig;

const NODES = { ...kinds.Namespace, kind: 'Node', plural: 'nodes' } as unknown as typeof kinds.Pod;

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

const command = (...argv: string[]): Promise<Ran> =>
  run(argv, {
    client,
    namespace: 'shop',
    clock: systemClock,
    forward: (target, signal) => openPortForward(config, target, signal),
  });
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

/** A pod on a node whose kubelet forwards to loopback of this machine. */
async function openDoor(port: number): Promise<void> {
  const namespace = 'reloader';
  kubelet = await startForwardingKubelet(createAuthority('kubelet').issueServer(['127.0.0.1']));
  const post = (path: string, body: object) =>
    client.raw({
      method: 'POST',
      path: `/api/v1/${path}`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const setStatus = (type: typeof kinds.Pod, key: { name: string; namespace?: string }, status: object) =>
    client.patch(type, key, { type: 'merge', body: { status } }, { subresource: 'status' });
  await post('nodes', { metadata: { name: 'door' } });
  await setStatus(
    NODES,
    { name: 'door' },
    {
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: kubelet.port } },
    },
  );
  await post(`namespaces/${namespace}/serviceaccounts`, { metadata: { name: 'door' } }).catch(
    () => undefined,
  );
  await post(`namespaces/${namespace}/pods`, {
    metadata: { name: 'reloader-0', labels: { app: 'reloader' } },
    spec: {
      nodeName: 'door',
      serviceAccountName: 'door',
      automountServiceAccountToken: false,
      containers: [{ name: 'a', image: 'a', ports: [{ name: 'http', containerPort: port }] }],
    },
  });
  await setStatus(kinds.Pod, { namespace, name: 'reloader-0' }, { phase: 'Running' });
}

beforeAll(async () => {
  const { kubeconfig } = cluster();
  config = await loadConfig({ kubeconfig });
  client = createClient({ config, fieldManager: 'user' });
  await applyCrds(client);
  for (const name of ['shop', 'reloader']) await client.create(kinds.Namespace, { metadata: { name } });
  const port = await freePort();
  await client.create(kinds.Service, {
    metadata: { name: 'reloader', namespace: 'reloader', labels: { 'app.kubernetes.io/name': 'reloader' } },
    spec: { selector: { app: 'reloader' }, ports: [{ name: 'http', port: 9090, targetPort: 'http' }] },
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
    const web = { kind: 'Deployment', namespace: 'shop', name: 'web' };
    return (await readRecord(client, 'reloader', web)) !== undefined;
  });
}, 120_000);

afterAll(async () => {
  stop.abort(new Error('the test has ended'));
  await ended;
  await client.close();
  kubelet.close();
});

test('explain and what-if are answered through a port-forward, and come true', {
  timeout: 60_000,
}, async () => {
  const before = json<Explanation>(await command('explain', 'deployment/web', '-o', 'json'));
  expect((before as unknown as { limits: string[] }).limits).toEqual([]);
  expect(before).toMatchObject({ answeredBy: 'Pod reloader/reloader-0', reloads: 0, ledger: 'recorded' });
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
  expect((await reloads())[0]).toMatchObject({
    seq: 1,
    sources: [{ kind: 'Secret', namespace: 'shop', name: 'credentials' }],
  });
});

test('a user without permission to forward ports is told so, and learns nothing', async () => {
  const rules = [{ apiGroups: [''], resources: ['services', 'pods'], verbs: ['get', 'list'] }];
  const seen = kubelet.asked.length;
  const account = async (more: readonly string[]) => {
    const right = { apiGroups: [''], resources: ['pods/portforward'], verbs: [...more] };
    const { kubeconfig } = await cluster().serviceAccount('reloader', 'asker', {
      rules: more.length > 0 ? [...rules, right] : rules,
    });
    const own = await loadConfig({ kubeconfig });
    const asking = createClient({ config: own });
    try {
      return await run(['status', '--operator-namespace', 'reloader'], {
        client: asking,
        namespace: 'shop',
        clock: systemClock,
        forward: (target, signal) => openPortForward(own, target, signal),
      });
    } finally {
      await asking.close();
    }
  };
  const refused = await account([]);
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toMatch(/403 Forbidden.*portforward/);
  expect(kubelet.asked).toHaveLength(seen);
  const allowed = await account(['get', 'create']);
  expect(allowed).toMatchObject({ code: 0, err: '' });
  expect(kubelet.asked.length).toBeGreaterThan(seen);
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
