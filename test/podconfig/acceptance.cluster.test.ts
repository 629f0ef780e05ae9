/** A reader of the document about PodConfigMapConfigs runs its commands and gets the promised results. */
import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { spawnGuarded } from '../control-plane/lifeline.ts';
import { poll } from '../control-plane/poll.ts';
import { freePorts } from '../control-plane/ports.ts';
import { useControlPlane } from '../control-plane/vitest.ts';
import { type Bundle, bundleOperator } from '../kills/bundle.ts';

const ACCOUNT = 'podconfigmap-controller';
const MADE = 'pod-my-sample-pod-from-app-specific-config-cfg';

// With the admission plugin that requires access to pods/finalizers, which some distributions enable.
const cluster = useControlPlane({
  workloads: true,
  apiServerFlags: ['--enable-admission-plugins=OwnerReferencesPermissionEnforcement'],
});
let program: Bundle;
const processes: ChildProcess[] = [];
let port = 0;

const until = (what: string, ask: () => Promise<boolean>) => poll(ask, { what, timeout: 60_000, every: 200 });
const kubectl = (...args: string[]) => cluster().kubectl(args);
const json = async (...args: string[]) => JSON.parse(await kubectl(...args, '-o', 'json'));

beforeAll(async () => {
  program = await bundleOperator();
});

afterAll(async () => {
  for (const process of processes) process.kill('SIGKILL');
  await program.remove();
});

interface DeploymentManifest {
  readonly spec: {
    readonly template: { readonly spec: { readonly containers: { readonly args: string[] }[] } };
  };
}

/** No kubelet pulls images here: the Deployment's command runs under its account, in two processes. */
async function startReplicas(): Promise<void> {
  const manifest = parse(await readFile('manifests/deployment.yaml', 'utf8')) as DeploymentManifest;
  const args = manifest.spec.template.spec.containers[0]?.args ?? [];
  const token = (await kubectl('create', 'token', ACCOUNT, '--namespace', 'default')).trim();
  const kubeconfig = await cluster().kubeconfigFor({ token });
  const ports = await freePorts(2);
  port = ports[0] ?? 0;
  for (const [index, own] of ports.entries()) {
    const flags = [...args, `--http-bind-address=127.0.0.1:${own}`, '--kubeconfig', kubeconfig];
    processes.push(
      spawnGuarded(process.execPath, [program.file, ...flags], {
        output: 'ignore',
        env: { PATH: process.env.PATH, POD_NAME: `controller-${index}`, POD_NAMESPACE: 'default' },
      }),
    );
  }
}

test('the definition, the account and the Deployment are installed', async () => {
  expect(await kubectl('apply', '-f', 'crd/podconfigmapconfig_crd.yaml')).toContain('created');
  expect(await kubectl('apply', '-f', 'manifests/rbac.yaml')).toContain(`serviceaccount/${ACCOUNT} created`);
  expect(await kubectl('apply', '-f', 'manifests/deployment.yaml')).toContain(
    `deployment.apps/${ACCOUNT} created`,
  );
  await kubectl('rollout', 'status', `deployment/${ACCOUNT}`, '--timeout=60s');
  await startReplicas();
});

test('the sample gives the ConfigMap that the document shows', async () => {
  await kubectl('create', 'namespace', 'my-namespace');
  await until('the account of the namespace', () =>
    kubectl('get', 'serviceaccount', 'default', '-n', 'my-namespace').then(
      () => true,
      () => false,
    ),
  );
  await kubectl('apply', '-f', 'config/samples/podconfig_v1alpha1_podconfigmapconfig.yaml');
  await kubectl('apply', '-f', 'config/samples/podconfig_pod.yaml');
  await until('the pod runs and its ConfigMap says so', async () => {
    const found = await json('get', 'configmap', MADE, '-n', 'my-namespace').catch(() => undefined);
    return found?.data?.phase === 'Running';
  });
  const pod = await json('get', 'pod', 'my-sample-pod', '-n', 'my-namespace');
  const made = await json('get', 'configmap', MADE, '-n', 'my-namespace');
  expect(made.data).toEqual({
    podName: 'my-sample-pod',
    namespace: 'my-namespace',
    nodeName: pod.spec.nodeName,
    phase: 'Running',
    pcmcName: 'app-specific-config',
    label_app: 'my-production-app',
    label_version: '1.2.3',
    label_region: 'us-west-1',
    annotation_buildID: 'build-12345',
    annotation_commitSHA: 'abcdef123456',
    summary: `my-sample-pod (1.2.3) on ${pod.spec.nodeName}`,
  });
  expect(made.metadata.labels).toEqual({
    'podconfig.example.com/generated-by-pcmc': 'app-specific-config',
    'podconfig.example.com/pod-uid': pod.metadata.uid,
  });
  expect(made.metadata.ownerReferences).toEqual([
    {
      apiVersion: 'v1',
      kind: 'Pod',
      name: 'my-sample-pod',
      uid: pod.metadata.uid,
      controller: true,
      blockOwnerDeletion: true,
    },
  ]);
});

test('the status says what was carried out, also in columns, and an Event tells of it', async () => {
  const carriedOut = async (generation: number) => {
    await until('observedGeneration equals the generation', async () => {
      const { metadata, status } = await json(
        'get',
        'podconfigmapconfig',
        'app-specific-config',
        '-n',
        'my-namespace',
      );
      return metadata.generation === generation && status?.observedGeneration === generation;
    });
  };
  await carriedOut(1);
  const patch = JSON.stringify({ spec: { labelsToInclude: ['app'] } });
  await kubectl('patch', 'pcmc', 'app-specific-config', '-n', 'my-namespace', '--type=merge', '-p', patch);
  await carriedOut(2);
  const table = await kubectl('get', 'pcmc', '-n', 'my-namespace');
  expect(table).toMatch(/NAME +PODS +CONFIGMAPS +READY +REASON +AGE/);
  expect(table).toMatch(/app-specific-config +1 +1 +True +Synced/);
  await until('the Event', async () =>
    (await kubectl('describe', 'pcmc', 'app-specific-config', '-n', 'my-namespace')).includes('Synced'),
  );
});

test('an edited ConfigMap is right again, and its metrics say so', async () => {
  const patch = JSON.stringify({ data: { podName: 'mine' } });
  await kubectl('patch', 'configmap', MADE, '-n', 'my-namespace', '--type=merge', '-p', patch);
  await until('the repair', async () => {
    const { data } = await json('get', 'configmap', MADE, '-n', 'my-namespace');
    return data.podName === 'my-sample-pod';
  });
  const pages = await Promise.all(
    [port].map(async (each) => (await fetch(`http://127.0.0.1:${each}/metrics`)).text()),
  );
  expect(pages.join('')).toContain('podconfigmap_controller_queue_depth{queue_name="pods"}');
});

test('the ConfigMap goes with its pod, and the config without a trace', async () => {
  await kubectl('delete', 'pod', 'my-sample-pod', '-n', 'my-namespace');
  await until('the ConfigMap is gone', async () =>
    kubectl('get', 'configmap', MADE, '-n', 'my-namespace').then(
      () => false,
      () => true,
    ),
  );
  await kubectl('delete', 'pcmc', 'app-specific-config', '-n', 'my-namespace');
  // No finalizer of the operator blocks the deletion of a namespace.
  await kubectl('delete', 'namespace', 'my-namespace', '--timeout=30s');
});
