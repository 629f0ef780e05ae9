/** `make` and kustomize, as the documentation tells readers to use them. */
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { installManifest } from '../../config/install.mjs';
import { controlPlaneBinary } from '../control-plane/build.ts';
import { outputOf } from '../control-plane/command.ts';
import { poll } from '../control-plane/poll.ts';
import { useControlPlane } from '../control-plane/vitest.ts';
import { type Bundle, bundleOperator } from '../kills/bundle.ts';
import { describeGrant, type Grant, grantsOf } from './grants.ts';
import { type Manifest, template } from './helm.ts';
import { Kubelet } from './kubelet.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const IMAGE = 'registry.example.com/team/reloader:v7';
const cluster = useControlPlane({ workloads: true });
let bundle: Bundle;
let kubelet: Kubelet;

beforeAll(async () => {
  bundle = await bundleOperator();
  kubelet = new Kubelet(cluster(), { image: IMAGE, program: bundle.file });
  await kubelet.start();
});
afterAll(async () => {
  await kubelet?.stop();
  await bundle?.remove();
});

async function make(...targets: readonly string[]): Promise<string> {
  const kubectl = await controlPlaneBinary('kubectl');
  const env = { ...process.env, KUBECONFIG: cluster().kubeconfig };
  return await outputOf('make', [...targets, `KUBECTL=${kubectl}`, `IMG=${IMAGE}`], { cwd: ROOT, env });
}

const kubectl = (...args: readonly string[]): Promise<string> => cluster().kubectl(args);
const NAMESPACE = 'reloader-operator-system';

test('manifests/install.yaml is what kustomize makes of config/default', async () => {
  const made = installManifest(await kubectl('kustomize', `${ROOT}/config/default`));
  expect(readFileSync(`${ROOT}/manifests/install.yaml`, 'utf8')).toBe(made);
});

test('it grants what the chart grants, and nothing else', async () => {
  const text = await kubectl('kustomize', `${ROOT}/config/default`);
  const kustomized = parseAllDocuments(text).map((each) => each.toJS() as Manifest);
  const secureMetrics = { enabled: true };
  const values = {
    controllers: ['reloader', 'podconfig'],
    enableHA: true,
    isArgoRollouts: true,
    isOpenshift: true,
    evictions: true,
    alerts: { secretRefs: true },
  };
  const charted = await template({ reloader: { ...values, secureMetrics } });
  const anywhere = (grant: Grant): Grant => ({ ...grant, namespace: grant.namespace && 'own' });
  const texts = (manifests: readonly Manifest[]): string[] =>
    grantsOf(manifests.filter(({ kind }) => kind.endsWith('Role')))
      .map(anywhere)
      .map(describeGrant)
      .sort();
  expect(texts(kustomized)).toEqual(texts(charted));
});

test('make install, deploy, undeploy, uninstall', async () => {
  await make('install');
  await kubectl('wait', '--for=condition=Established', 'crd', '--all', '--timeout=20s');
  await kubectl('apply', '-f', `${ROOT}/config/samples/reloader_v1alpha1_reloaderconfig.yaml`);
  await make('deploy');
  await kubectl(
    '-n',
    NAMESPACE,
    'rollout',
    'status',
    'deployment/reloader-operator-controller-manager',
    '--timeout=30s',
  );
  await poll(async () => (await kubelet.pods[0]?.process.probe('/readyz')) === 200, {
    what: 'the readiness of the operator',
    timeout: 20_000,
  });
  const condition = 'jsonpath={.status.conditions[?(@.type=="Available")].status}';
  await poll(async () => (await kubectl('get', 'rlc', 'reloaderconfig-sample', '-o', condition)) === 'True', {
    what: 'the sample to be Available',
    timeout: 20_000,
  });
  expect(kubelet.pods.flatMap(({ process }) => process.ends)).toEqual([]);
  await metricsAreForReaders();
  await make('undeploy');
  await poll(() => kubelet.pods.length === 0, { what: 'the end of the operator', timeout: 20_000 });
  await expect(kubectl('get', 'namespace', NAMESPACE)).rejects.toThrow('not found');
  await make('uninstall');
  await kubectl('apply', '--server-side', '-f', `${ROOT}/manifests/install.yaml`);
  await kubectl('-n', NAMESPACE, 'rollout', 'status', 'deployment', '--timeout=30s');
  await customResourcesAreServed();
  await kubectl('delete', '-f', `${ROOT}/manifests/install.yaml`);
  expect(await kubectl('get', 'crd', '-o', 'name')).toBe('');
  expect(kubelet.errors).toEqual([]);
}, 110_000);

/**
 * The API server prepares the storage of a custom resource at the first request for it. A definition that is deleted
 * before that sometimes stays for ever, with "could not list instances: storage is (re)initializing".
 */
async function customResourcesAreServed(): Promise<void> {
  const list = (): Promise<boolean> =>
    kubectl('get', 'rlc,pcmc', '--all-namespaces').then(
      () => true,
      () => false,
    );
  await poll(list, { what: 'the custom resources to be served', timeout: 20_000 });
}

/**
 * Over TLS, with the certificate that the ServiceMonitor trusts, and only for accounts with the metrics reader role.
 */
async function metricsAreForReaders(): Promise<void> {
  const url = `https://127.0.0.1:${kubelet.pods[0]?.process.metricsPort}/metrics`;
  await poll(async () => (await kubectl('-n', NAMESPACE, 'get', 'secret', 'reloader-metrics-cert')) !== '', {
    what: 'the certificate of the metrics',
    timeout: 20_000,
  });
  const key = 'jsonpath={.data.ca\\.crt}';
  const ca = await kubectl('-n', NAMESPACE, 'get', 'secret', 'reloader-metrics-cert', '-o', key);
  const authority = Buffer.from(ca, 'base64').toString();
  const { token } = await cluster().serviceAccount('monitoring', 'prometheus');
  const servername = `reloader-operator-controller-manager.${NAMESPACE}.svc`;
  const ask = (bearer?: string) => statusOf(url, { ca: authority, servername, ...(bearer && { bearer }) });
  await poll(async () => (await ask(token)) > 0, { what: 'metrics over TLS', timeout: 20_000 });
  expect(await ask()).toBe(401);
  expect(await ask(token)).toBe(403);
  const role = '--clusterrole=reloader-operator-metrics-reader';
  await kubectl('create', 'clusterrolebinding', 'prometheus', role, '--serviceaccount=monitoring:prometheus');
  // The operator caches a refusal for a moment.
  await poll(async () => (await ask(token)) === 200, { what: 'metrics for a reader', timeout: 30_000 });
}

test('config/prometheus and config/network-policy are complete', async () => {
  for (const folder of ['prometheus', 'network-policy', 'crd', 'rbac', 'manager'])
    expect(await kubectl('kustomize', `${ROOT}/config/${folder}`)).toContain('kind:');
});

function statusOf(
  url: string,
  { bearer, ...tls }: { readonly ca: string; readonly servername: string; readonly bearer?: string },
): Promise<number> {
  const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
  return new Promise((resolve, reject) => {
    request(url, { ...tls, headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}
