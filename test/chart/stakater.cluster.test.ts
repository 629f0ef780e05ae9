/** Our program in place of Stakater's image: with the args, env and permissions that its chart sets for some values. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { poll } from '../control-plane/poll.ts';
import { freePorts } from '../control-plane/ports.ts';
import type { PolicyRule } from '../control-plane/service-account.ts';
import { useControlPlane } from '../control-plane/vitest.ts';
import { type Bundle, bundleOperator } from '../kills/bundle.ts';
import { fullNames, workload } from '../reloader/objects.ts';
import { STAKATER } from '../reloader/rbac.ts';
import { PodProcess } from './pod-process.ts';

const cluster = useControlPlane({ workloads: true });
let bundle: Bundle;
beforeAll(async () => {
  bundle = await bundleOperator();
});
afterAll(() => bundle?.remove());

interface Case {
  readonly values: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cluster?: readonly PolicyRule[];
  readonly own?: readonly PolicyRule[];
  readonly annotations?: Readonly<Record<string, string>>;
  /** Labels of the workload's Namespace. */
  readonly labels?: Readonly<Record<string, string>>;
}

const rule = (group: string, resources: readonly string[], verbs: readonly string[]): PolicyRule => ({
  apiGroups: [group],
  resources,
  verbs,
});
const LEASES = rule('coordination.k8s.io', ['leases'], ['create', 'get', 'update']);
const NAMESPACES = rule('', ['namespaces'], ['get', 'list', 'watch']);

const CASES: readonly Case[] = [
  { values: 'none' },
  {
    values:
      'ignoreSecrets, ignoreJobs, ignoreCronJobs, logFormat: json, namespaceSelector, resourceLabelSelector',
    args: [
      '--log-format=json',
      '--log-level=info',
      '--resources-to-ignore=secrets',
      '--ignored-workload-types=jobs,cronjobs',
      '--namespace-selector="team=shop"',
      '--resource-label-selector="reload=yes"',
    ],
    cluster: [
      rule('', ['configmaps'], ['list', 'get', 'watch']),
      NAMESPACES,
      rule('apps', ['deployments', 'daemonsets', 'statefulsets'], ['list', 'get', 'update', 'patch']),
      rule('', ['events'], ['create', 'patch']),
    ],
    labels: { team: 'shop' },
  },
  {
    values: 'enableHA, enablePProf',
    args: ['--log-level=info', '--enable-ha=true', '--enable-pprof', '--pprof-addr=127.0.0.1:0'],
    env: { POD_NAME: 'reloader-abc' },
    cluster: [...STAKATER.cluster, LEASES],
  },
  {
    values: 'watchGlobally: false',
    env: { KUBERNETES_NAMESPACE: '' },
    cluster: [],
    own: [...STAKATER.cluster, ...STAKATER.own],
  },
  {
    values:
      'custom_annotations, reloadStrategy: annotations, reloadOnCreate, reloadOnDelete, syncAfterRestart',
    args: [
      ...[
        '--configmap-annotation',
        'mine.example.com/configmap',
        '--auto-annotation',
        'mine.example.com/auto',
      ],
      ...[
        '--log-level=info',
        '--reload-on-create=true',
        '--reload-on-delete=true',
        '--sync-after-restart=true',
      ],
      '--reload-strategy=annotations',
    ],
    annotations: { 'mine.example.com/configmap': 'settings' },
  },
  {
    values: 'isArgoRollouts, enableCSIIntegration, isOpenshift, autoReloadAll, ignoreNamespaces',
    args: [
      ...['--auto-reload-all=true', '--is-Argo-Rollouts=true', '--enable-csi-integration=true'],
      ...['--log-level=info', '--namespaces-to-ignore=kube-system'],
    ],
    env: { METRICS_COUNT_BY_NAMESPACE: 'enabled' },
    cluster: [
      ...STAKATER.cluster,
      rule('argoproj.io', ['rollouts'], ['list', 'get', 'update', 'patch']),
      rule('apps.openshift.io', ['deploymentconfigs'], ['list', 'get', 'update', 'patch']),
      rule(
        'secrets-store.csi.x-k8s.io',
        ['secretproviderclasses', 'secretproviderclasspodstatuses'],
        ['list', 'get', 'watch'],
      ),
    ],
    annotations: {},
  },
];

test.for(CASES.map((each, index) => ({ ...each, namespace: `swap-${index}` })))(
  'starts and reloads with the values: $values',
  { timeout: 60_000 },
  async ({ namespace, annotations = fullNames({ auto: 'true' }), labels = {}, ...each }) => {
    const account = await cluster().serviceAccount(namespace, 'reloader', {
      clusterRules: each.cluster ?? STAKATER.cluster,
      rules: each.own ?? STAKATER.own,
    });
    const [port = 0] = await freePorts(1);
    const operator = new PodProcess({
      program: bundle.file,
      args: each.args ?? ['--log-level=info'],
      env: {
        GOMAXPROCS: '1',
        GOMEMLIMIT: '536870912',
        RELOADER_NAMESPACE: namespace,
        RELOADER_DEPLOYMENT_NAME: 'reloader-reloader',
        POD_NAMESPACE: namespace,
        ...each.env,
        ...(each.env && 'KUBERNETES_NAMESPACE' in each.env && { KUBERNETES_NAMESPACE: namespace }),
      },
      port,
      server: new URL(cluster().server),
      account: { token: account.token, authority: cluster().authority.certificate, namespace },
      directory: join(cluster().directory, 'pods', namespace),
      graceSeconds: 10,
    });
    await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } });
    await apply(settings(namespace, 'one'), deployment(namespace, annotations));
    try {
      await operator.start();
      await poll(async () => (await operator.probe('/readyz')) === 200, {
        what: 'readiness',
        timeout: 20_000,
      });
      // Its chart uses /metrics as the readiness probe.
      expect(await operator.probe('/metrics')).toBe(200);
      const before = await templateOf(namespace);
      await poll(async () => (await notesOf(namespace)).includes('Deployment.web'), {
        what: 'the note of what was there',
        timeout: 20_000,
      });
      expect(await templateOf(namespace)).toBe(before);
      await apply(settings(namespace, 'two'));
      await poll(async () => (await templateOf(namespace)) !== before, { what: 'a reload', timeout: 20_000 });
      expect(operator.ends).toEqual([]);
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${operator.lines.join('\n')}`, { cause: error });
    } finally {
      await operator.stop();
    }
  },
);

async function apply(...items: readonly object[]): Promise<void> {
  const input = { apiVersion: 'v1', kind: 'List', items };
  await cluster().kubectl(['apply', '--server-side', '--force-conflicts', '-f', '-'], { input });
}

const settings = (namespace: string, value: string): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace, name: 'settings', labels: { reload: 'yes' } },
  data: { value },
});

const deployment = (namespace: string, annotations: Readonly<Record<string, string>>): object => {
  const manifest = workload('Deployment', 'web', namespace, { uses: [{ configMap: 'settings' }] });
  return { ...manifest, metadata: { ...manifest.metadata, annotations } };
};

const get = (namespace: string, path: string): Promise<string> =>
  cluster().kubectl(['-n', namespace, 'get', 'deployment', 'web', '-o', `jsonpath={${path}}`]);
const templateOf = (namespace: string): Promise<string> => get(namespace, '.spec.template');
/** The operator's own namespace is that of the workload. */
const notesOf = (namespace: string): Promise<string> =>
  cluster().kubectl([
    ...['-n', namespace, 'get', 'configmap', `reloader-notes-${namespace}.0`],
    ...['-o', 'jsonpath={.data}', '--ignore-not-found'],
  ]);
