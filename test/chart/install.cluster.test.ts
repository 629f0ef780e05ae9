/** The chart as a user installs it: by Helm, on a real control plane, with a process for each of its pods. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COORDINATES } from '../../config/coordinates.mjs';
import { poll } from '../control-plane/poll.ts';
import { useControlPlane } from '../control-plane/vitest.ts';
import { type Bundle, bundleOperator } from '../kills/bundle.ts';
import { CHART } from './helm.ts';
import { Kubelet, podAnnotations } from './kubelet.ts';

const cluster = useControlPlane({ workloads: true, auditLevel: 'Request' });
let bundle: Bundle;
let kubelet: Kubelet;

beforeAll(async () => {
  bundle = await bundleOperator();
  kubelet = new Kubelet(cluster(), { image: COORDINATES.image, program: bundle.file });
  await kubelet.start();
});
afterAll(async () => {
  await kubelet?.stop();
  await bundle?.remove();
});

const RELEASE = ['-n', 'reloader', '--wait', '--timeout', '60s'];
const VALUES = ['--set', 'fullnameOverride=reloader', '--set-json'];

const values = (more: object = {}): string[] => [
  ...VALUES,
  `reloader=${JSON.stringify({ settle: '100ms', deployment: { pod: { annotations: podAnnotations }, ...more } })}`,
];

test('install, reload, upgrade, reload, uninstall: nothing else restarts, and exactly what is documented stays', async () => {
  const { kubectl, helm } = tools();
  await kubectl(['create', 'namespace', 'shop']);
  await kubectl(['apply', '-f', '-'], [config('one'), deployment('web'), deployment('bystander', {})]);
  await kubectl(['-n', 'shop', 'wait', '--for=condition=Available', 'deployment', '--all', '--timeout=30s']);

  await helm(['install', 'reloader', CHART, '--create-namespace', ...RELEASE, ...values()]);
  expect(kubelet.errors).toEqual([]);
  expect(kubelet.pods.map(({ namespace, account }) => ({ namespace, account }))).toEqual([
    { namespace: 'reloader', account: 'reloader' },
  ]);
  const [first] = kubelet.pods;
  expect(await first?.process.probe('/live')).toBe(200);
  await noteOf('web');
  expect(await generationsOf()).toEqual({ web: 1, bystander: 1 });
  for (const kind of ['deployment', 'service', 'serviceaccount', 'role', 'rolebinding'])
    await kubectl(['-n', 'reloader', 'get', kind, 'reloader']);
  expect(await canI('patch', 'deployments')).toBe('yes');
  expect(await canI('delete', 'deployments')).toBe('no');

  await kubectl(['apply', '-f', '-'], [config('two')]);
  await rolledOut('web', 2);

  await helm(['upgrade', 'reloader', CHART, ...RELEASE, ...values({ replicas: 2 })]);
  await poll(() => kubelet.pods.length === 2, { what: 'two pods of the operator', timeout: 20_000 });
  expect(await generationsOf()).toEqual({ web: 2, bystander: 1 });
  await kubectl(['apply', '-f', '-'], [config('three')]);
  await rolledOut('web', 3);
  // On a busy machine the first probe comes before the caches are in sync, and the operator logs that.
  const isTrouble = (line: string): boolean => /WARN|ERROR/.test(line) && !line.includes('check=readyz');
  const lines = kubelet.pods.map(({ process }) => process.lines.filter(isTrouble));
  expect(lines.flat()).toEqual([]);
  expect(kubelet.pods.flatMap(({ process }) => process.ends)).toEqual([]);

  await helm(['uninstall', 'reloader', '-n', 'reloader', '--wait', '--timeout', '60s']);
  await poll(() => kubelet.pods.length === 0, {
    what: 'the end of all pods of the operator',
    timeout: 30_000,
  });
  // Within the pod's grace period, although its permissions were deleted before it.
  expect(Math.max(...kubelet.stops)).toBeLessThan(25_000);
  expect(await generationsOf()).toEqual({ web: 3, bystander: 1 });
  expect(await leftovers()).toEqual([
    'configmap/reloader-history',
    'configmap/reloader-meta-info',
    'configmap/reloader-notes-shop.0',
    'customresourcedefinition.apiextensions.k8s.io/reloaderconfigs.reloader.stakater.com',
    'lease.coordination.k8s.io/stakater-reloader-lock',
    'secret/reloader-digest-key',
  ]);
  expect(kubelet.errors).toEqual([]);
}, 110_000);

test('installed again, it finds what changed in between and reloads it once', async () => {
  const { kubectl, helm } = tools();
  await kubectl(['apply', '-f', '-'], [config('four')]);
  await helm(['install', 'reloader', CHART, ...RELEASE, ...values()]);
  await rolledOut('web', 4);
  expect(await generationsOf()).toEqual({ web: 4, bystander: 1 });
}, 60_000);

test('with the production profile it runs twice, reloads as by default, and follows what it reloads', async () => {
  const { kubectl, helm } = tools();
  const own = { settle: '100ms', 'deployment.pod.annotations': podAnnotations };
  const set = Object.entries(own).flatMap(([name, value]) => [
    '--set-json',
    `reloader.${name}=${JSON.stringify(value)}`,
  ]);
  const profile = ['-f', join(CHART, 'values-production.yaml'), '--set', 'fullnameOverride=reloader', ...set];
  await helm(['upgrade', 'reloader', CHART, ...RELEASE, ...profile]);
  await poll(() => kubelet.pods.length === 2, { what: 'two pods of the operator', timeout: 20_000 });
  expect(await generationsOf()).toEqual({ web: 4, bystander: 1 });
  await kubectl(['-n', 'reloader', 'get', 'networkpolicy,poddisruptionbudget', 'reloader', '-o', 'name']);
  await kubectl(['apply', '-f', '-'], [config('five')]);
  await rolledOut('web', 5);
  await poll(async () => (await eventsOf('web')).includes('ReloadVerified'), {
    what: 'the outcome of the reload',
    timeout: 90_000,
  });
  expect(await generationsOf()).toEqual({ web: 5, bystander: 1 });
  expect(kubelet.errors).toEqual([]);
  expect(kubelet.pods.flatMap(({ process }) => process.ends)).toEqual([]);
}, 240_000);

function tools() {
  const { kubectl, helm } = {
    kubectl: cluster().kubectl.bind(cluster()),
    helm: cluster().helm.bind(cluster()),
  };
  const apply = (args: readonly string[], objects?: readonly object[]): Promise<string> =>
    kubectl(args, objects ? { input: { apiVersion: 'v1', kind: 'List', items: objects } } : {});
  return { kubectl: apply, helm };
}

function config(value: string): object {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'shop', name: 'settings' },
    data: { value },
  };
}

function deployment(name: string, annotations: object = { 'reloader.stakater.com/auto': 'true' }): object {
  const labels = { app: name };
  const container = { name: 'app', image: 'app', envFrom: [{ configMapRef: { name: 'settings' } }] };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: 'shop', name, annotations },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  };
}

interface Listed {
  readonly metadata: { readonly name: string; readonly annotations?: Record<string, string> };
  readonly spec: { readonly template: object };
}

/** The number of ReplicaSets of each Deployment: one more for each rollout. */
async function generationsOf(): Promise<Record<string, number>> {
  const { kubectl } = tools();
  const { items } = JSON.parse(await kubectl(['-n', 'shop', 'get', 'deployments', '-o', 'json'])) as {
    items: Listed[];
  };
  return Object.fromEntries(
    items.map(({ metadata }) => [
      metadata.name,
      Number(metadata.annotations?.['deployment.kubernetes.io/revision']),
    ]),
  );
}

async function rolledOut(name: string, revision: number): Promise<void> {
  await poll(async () => (await generationsOf())[name] === revision, {
    what: `revision ${revision} of ${name}`,
    timeout: 20_000,
  });
  await tools().kubectl(['-n', 'shop', 'rollout', 'status', `deployment/${name}`, '--timeout=20s']);
}

async function eventsOf(name: string): Promise<string> {
  const about = ['--field-selector', `involvedObject.name=${name}`, '-o', 'jsonpath={.items[*].reason}'];
  return tools().kubectl(['-n', 'shop', 'get', 'events', ...about]);
}

async function noteOf(name: string): Promise<void> {
  const path = ['-o', `jsonpath={.data.Deployment\\.${name}}`, '--ignore-not-found'];
  const read = () =>
    tools().kubectl(['-n', 'reloader', 'get', 'configmap', 'reloader-notes-shop.0', ...path]);
  await poll(async () => (await read()) !== '', { what: `the note of ${name}`, timeout: 20_000 });
}

async function canI(verb: string, resource: string): Promise<string> {
  const account = '--as=system:serviceaccount:reloader:reloader';
  const answer = await tools()
    .kubectl(['auth', 'can-i', account, verb, resource])
    .catch((error: { stdout: string }) => error.stdout);
  return answer.trim();
}

/**
 * All objects in the operator's namespace that Kubernetes does not create in every namespace, and our cluster-scoped
 * objects.
 */
async function leftovers(): Promise<string[]> {
  const { kubectl } = tools();
  const own = 'deploy,rs,pods,svc,sa,cm,secrets,leases,roles,rolebindings,pdb,netpol';
  const global = 'clusterroles,clusterrolebindings,crds';
  const found = [
    await kubectl(['-n', 'reloader', 'get', own, '-o', 'name']),
    await kubectl(['get', global, '-o', 'name']),
  ];
  const names = found.join('\n').split('\n').filter(Boolean);
  return names
    .filter(
      (name) =>
        /reloader/.test(name) ||
        (!/system:|kube|\/(admin|edit|view|cluster-admin)$/.test(name) &&
          !/serviceaccount\/default|configmap\/kube-root/.test(name)),
    )
    .sort();
}
