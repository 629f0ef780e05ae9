/** `make` and kustomize, as the documentation tells readers to use them. */
import { readFileSync } from 'node:fs';
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
  await make('undeploy');
  await poll(() => kubelet.pods.length === 0, { what: 'the end of the operator', timeout: 20_000 });
  await expect(kubectl('get', 'namespace', NAMESPACE)).rejects.toThrow('not found');
  await make('uninstall');
  expect(await kubectl('get', 'crd', '-o', 'name')).toBe('');
  expect(kubelet.errors).toEqual([]);
}, 110_000);

test('config/prometheus and config/network-policy are complete', async () => {
  for (const folder of ['prometheus', 'network-policy', 'crd', 'rbac', 'manager'])
    expect(await kubectl('kustomize', `${ROOT}/config/${folder}`)).toContain('kind:');
});
