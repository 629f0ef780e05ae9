/**
 * Permissions of the chart, on a real API server: uses every feature that needs one. The server's audit log then shows
 * which requests were refused (must be none), and which permissions were never used.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { COORDINATES } from '../../config/coordinates.mjs';
import { installObjects } from '../../packages/operator/src/cli/install-manifest.ts';
import { FEATURES } from '../../packages/operator/src/cli/install-rules.ts';
import { parseSettings } from '../../packages/operator/src/settings/parse.ts';
import type { AuditEntry } from '../control-plane/audit.ts';
import { poll } from '../control-plane/poll.ts';
import { useControlPlane } from '../control-plane/vitest.ts';
import { type Bundle, bundleOperator } from '../kills/bundle.ts';
import {
  DeploymentConfig,
  definition,
  Rollout,
  SecretProviderClass,
  SecretProviderClassPodStatus,
} from '../reloader/kinds.ts';
import { workload } from '../reloader/objects.ts';
import { asksOf, covers, describeGrant, grantsOf } from './grants.ts';
import { CHART, containerOf, type Manifest, merged, nested, only, template, type Values } from './helm.ts';
import { Kubelet, podAnnotations } from './kubelet.ts';

const cluster = useControlPlane({
  workloads: true,
  auditLevel: 'Request',
  // Some clusters enable this plugin; with it, owner references that block deletion need their own permission.
  apiServerFlags: ['--enable-admission-plugins=OwnerReferencesPermissionEnforcement'],
});
let bundle: Bundle;
let kubelet: Kubelet;

beforeAll(async () => {
  bundle = await bundleOperator();
  kubelet = new Kubelet(cluster(), { image: COORDINATES.image, program: bundle.file });
  await kubelet.start();
  const foreign = [Rollout, DeploymentConfig, SecretProviderClass, SecretProviderClassPodStatus];
  await apply(...foreign.map((type) => definition(type)));
  await apply(
    ...['shop', 'other'].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
  );
});
afterAll(async () => {
  await kubelet?.stop();
  await bundle?.remove();
});

const USER = 'system:serviceaccount:reloader:reloader-reloader';
const ROLLED = 'reloader.stakater.com/rolled';

/** Values that enable every feature that needs a permission. */
const FULL: Values = {
  reloader: {
    controllers: ['reloader', 'podconfig'],
    enableHA: true,
    isArgoRollouts: true,
    isOpenshift: true,
    enableCSIIntegration: true,
    writeSourceHash: true,
    evictions: true,
    alerts: { secretRefs: true },
    settle: '200ms',
    deployment: { pod: { annotations: podAnnotations } },
  },
};

/** Needed in situations that this test cannot cause; the named tests show that they occur. */
const RARE: ReadonlyMap<string, string> = new Map([
  [
    '* get reloaderconfigs.reloader.stakater.com',
    'read again after a conflict: packages/runtime objects/status.test.ts',
  ],
  ['* get podconfigmapconfigs.podconfig.example.com', 'likewise'],
  [
    '* update pods/finalizers',
    'asked by admission, not by a request: without it, no ConfigMap is generated here',
  ],
]);

const CHOICES = [
  { title: 'the reloader alone', values: {}, controllers: ['reloader'], features: [] },
  {
    title: 'both controllers',
    values: { controllers: ['reloader', 'podconfig'] },
    controllers: ['reloader', 'podconfig'],
    features: [],
  },
  {
    title: 'podconfig alone',
    values: { controllers: ['podconfig'] },
    controllers: ['podconfig'],
    features: [],
  },
  {
    title: 'every feature',
    values: {
      controllers: ['reloader', 'podconfig'],
      evictions: true,
      alerts: { secretRefs: true },
      restoreConfigMaps: true,
    },
    controllers: ['reloader', 'podconfig'],
    features: FEATURES,
  },
  {
    title: 'what is put back',
    values: { restoreConfigMaps: true },
    controllers: ['reloader'],
    features: ['restore-config-maps'],
  },
] as const;

test.for(
  CHOICES.flatMap((choice) => [
    { ...choice, where: 'everywhere', watched: [] as string[] },
    { ...choice, where: 'in namespaces', watched: ['a', 'b'] },
  ]),
)('`reloader manifests` grants what the chart does: $title, $where', async (choice) => {
  const { values, controllers, features, watched } = choice;
  const scope = watched.length > 0 ? { watchGlobally: false, namespaces: watched } : {};
  const chart = await template({ reloader: { ...values, ...scope } });
  const { namespace = '' } = only(chart, 'ServiceAccount').metadata;
  const printed = installObjects({
    namespace,
    watched,
    controllers: new Set(controllers),
    features: new Set(features),
    image: 'any',
    version: '1.0.0',
  }) as readonly Manifest[];
  expect(grantedBy(printed)).toEqual(grantedBy(chart));
  const isWide = ({ kind }: Manifest): boolean => kind.startsWith('ClusterRole');
  expect(printed.some(isWide)).toBe(watched.length === 0);
});

test('each right that only a feature needs is there with the feature, and not without', async () => {
  const ofFeature: readonly [Values, RegExp][] = [
    [{ evictions: true }, /^\* create pods\/eviction$/],
    [{ rolloutStrategy: 'restart' }, /^\* create pods\/eviction$/],
    [{ alerts: { secretRefs: true } }, /^\* get secrets$/],
    [{ controllers: ['reloader', 'podconfig'] }, /^\* (create|delete) configmaps$/],
    [{ writeSourceHash: true }, /^\* patch (secrets|configmaps)$/],
    [{ restoreConfigMaps: true }, /^\* (create|patch|delete) configmaps$/],
  ];
  const byDefault = grantedBy(await template());
  for (const [values, right] of ofFeature) {
    expect(byDefault.filter((text) => right.test(text))).toEqual([]);
    expect(grantedBy(await template({ reloader: values })).some((text) => right.test(text))).toBe(true);
  }
  const withoutJobs = grantedBy(await template({ reloader: { ignoreJobs: true, ignoreCronJobs: true } }));
  expect(byDefault).toEqual(expect.arrayContaining(['* create jobs.batch', '* delete jobs.batch']));
  expect(withoutJobs.filter((text) => text.endsWith('jobs.batch'))).toEqual([]);
});

test('the production profile has fewer permissions and limits, leaves kube-system alone, and allows no ingress', async () => {
  const values = parse(await readFile(join(CHART, 'values-production.yaml'), 'utf8')) as Values;
  const manifests = await template(values);
  const rights = grantedBy(manifests);
  expect(
    rights.filter((text) =>
      /jobs\.batch|eviction|^\* get secrets$|^\* (create|patch|delete) configmaps$/.test(text),
    ),
  ).toEqual([]);
  const { args = [] } = containerOf(manifests);
  expect(args).toContain('--namespaces-to-ignore=kube-system');
  const { reloader } = parseSettings(args, { POD_NAMESPACE: 'reloader', POD_NAME: 'reloader-0' });
  expect(reloader).toMatchObject({
    maxUnfinishedRollouts: 20,
    reloadRate: { perHour: 6, burst: 20 },
    warnFanOut: 50,
    verify: true,
  });
  expect(only(manifests, 'NetworkPolicy').spec).toMatchObject({ ingress: [] });
  const scraped = [{ namespaceSelector: { matchLabels: { a: 'b' } } }];
  const open = await template(merged(values, nested('reloader.netpol.from', scraped)));
  expect(only(open, 'NetworkPolicy').spec).toMatchObject({ ingress: [{ from: scraped }] });
});

/** Permissions of the roles that are bound. */
function grantedBy(manifests: readonly Manifest[]): string[] {
  const bound = new Set(manifests.map((one) => (one as { roleRef?: { name: string } }).roleRef?.name));
  const roles = manifests.filter(({ kind, metadata }) => kind.endsWith('Role') && bound.has(metadata.name));
  return [...new Set(grantsOf(roles).map(describeGrant))].sort();
}

test('each permission is asked for, and none is missing', async () => {
  const mark = await cluster().audit.mark();
  await apply(...sources('one'), ...fleet());
  await install(FULL);
  await apply(...CONFIGS);
  await adopted();
  const job = await uidOf('job', 'batch');
  const cron = await jobsOf('nightly');
  // As if an earlier attempt had kept the Job's manifest: it is replaced.
  await apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'reloader', name: `reloader-job-${job}` },
  });
  const evicted = await podsOf('evicted');

  await apply(...sources('two'));
  for (const kind of ['deployment', 'statefulset', 'daemonset', 'rollout', 'deploymentconfig'])
    await until(`the mark of ${kind}`, async () => (await markOf(kind, `a-${kind}`)) !== '');
  await until(
    'the mark of the borrowed Deployment',
    async () => (await markOf('deployment', 'lender')) !== '',
  );
  await until('a new Job', async () => (await uidOf('job', 'batch')) !== job);
  await until('a Job of the CronJob', async () => (await jobsOf('nightly')) > cron);
  await until('other pods of the evicted', async () => (await podsOf('evicted')) !== evicted);
  await until('a generated ConfigMap', async () => (await generated()).length > 0);

  const first = await markOf('deployment', 'a-deployment');
  await apply(...sources('three'));
  await until('a second reload', async () => (await markOf('deployment', 'a-deployment')) !== first);
  await kubectl('-n', 'shop', 'label', 'pod', 'lonely', 'version=2', '--overwrite');
  await until('a change of the ConfigMap', async () => (await generatedText()).includes('"2"'));
  await kubectl('-n', 'shop', 'delete', 'podconfigmapconfig', 'labels');
  await until('no generated ConfigMap', async () => (await generated()).length === 0);

  // Another process reads the meta info of the first one and writes a different one.
  await upgrade(FULL, { 'reloader.keyLevel': true });
  await until('the meta info of the new process', async () =>
    (await kubectl('-n', 'reloader', 'get', 'cm', 'reloader-meta-info', '-o', 'yaml')).includes(
      '"keyLevel":true',
    ),
  );
  await apply(...sources('four'));
  await until('the event of a reload', async () => (await requests(mark, 'events', 'patch')).length > 0);
  await until(
    'the history',
    async () => (await requests(mark, 'configmaps', 'patch', 'reloader')).length > 0,
  );

  const entries = await cluster().audit.since(mark, { user: USER });
  expect(entries.filter(({ code }) => code === 403).map(summary)).toEqual([]);
  const asks = asksOf(entries);
  const roles = (await template(FULL)).filter(
    ({ kind, metadata }) => kind.endsWith('Role') && isOurs(metadata.name),
  );
  const grants = grantsOf(roles);
  const own = grants.filter(({ namespace }) => namespace !== undefined);
  // A request that its own Role allows does not justify a grant in all namespaces.
  const asksElsewhere = asks.filter((ask) => !own.some((grant) => covers(grant, ask)));
  const unused = grants.filter(
    (grant) => !(own.includes(grant) ? asks : asksElsewhere).some((ask) => covers(grant, ask)),
  );
  expect(unused.map(describeGrant).filter((text) => !RARE.has(text))).toEqual([]);
  expect(kubelet.errors).toEqual([]);
  expect(kubelet.pods.flatMap(({ process }) => process.ends)).toEqual([]);
}, 120_000);

test('in chosen namespaces, Roles suffice', async () => {
  await cluster().helm(['uninstall', 'reloader', '-n', 'reloader', '--wait']);
  await until('the end of the process', async () => kubelet.pods.length === 0);
  const mark = await cluster().audit.mark();
  const values = {
    reloader: {
      watchGlobally: false,
      namespaces: ['shop'],
      evictions: true,
      alerts: { secretRefs: true },
      settle: '200ms',
      deployment: { pod: { annotations: podAnnotations } },
    },
  };
  await install(values);
  const first = await markOf('deployment', 'a-deployment');
  await apply(...sources('five'));
  await until('a reload', async () => (await markOf('deployment', 'a-deployment')) !== first);
  const entries = await cluster().audit.since(mark, { user: USER });
  expect(entries.filter(({ code }) => code === 403).map(summary)).toEqual([]);
}, 60_000);

const isOurs = (name: string): boolean => /^reloader-reloader(-role)?$/.test(name);
const summary = ({ verb, namespace, resource, subresource, name }: AuditEntry): string =>
  `${verb} ${namespace}/${resource}/${name}${subresource && `/${subresource}`}`;

function kubectl(...args: readonly string[]): Promise<string> {
  return cluster().kubectl(args);
}

async function apply(...items: readonly object[]): Promise<void> {
  const input = { apiVersion: 'v1', kind: 'List', items };
  await cluster().kubectl(['apply', '--server-side', '--force-conflicts', '-f', '-'], { input });
}

const release = (values: Values): string[] => [
  ...['-n', 'reloader', '--create-namespace', '--wait', '--timeout', '60s'],
  ...Object.entries(values).flatMap(([key, value]) => ['--set-json', `${key}=${JSON.stringify(value)}`]),
];
const install = (values: Values) => cluster().helm(['install', 'reloader', CHART, ...release(values)]);
const upgrade = (values: Values, more: Values) =>
  cluster().helm(['upgrade', 'reloader', CHART, ...release(values), ...release(more)]);

function until(what: string, ask: () => Promise<boolean>): Promise<void> {
  return poll(ask, { what, timeout: 25_000, every: 200 });
}

const sources = (value: string): object[] => [
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'shop', name: 'settings' }, data: { value } },
  { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'shop', name: 'login' }, stringData: { value } },
];

function fleet(): object[] {
  const options = { annotations: { auto: 'true' }, uses: [{ configMap: 'settings' }, { secret: 'login' }] };
  const named = (kind: string): Manifest => workload(kind, `a-${kind.toLowerCase()}`, 'shop', options);
  const kinds = ['Deployment', 'StatefulSet', 'DaemonSet', 'Rollout', 'DeploymentConfig'];
  const borrowing = workload('Rollout', 'borrower', 'shop', {
    annotations: { 'configmap/reload': 'settings' },
  });
  const { template: _, ...spec } = borrowing.spec;
  const workloadRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'lender' };
  return [
    ...kinds.map(named),
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'shop', name: 'hook' },
      stringData: { url: 'http://127.0.0.1:9/' },
    },
    workload('CronJob', 'nightly', 'shop', options),
    workload('Job', 'batch', 'shop', options),
    workload('Deployment', 'evicted', 'shop', { uses: [{ configMap: 'settings' }] }),
    workload('Deployment', 'lender', 'shop', { uses: [{ configMap: 'settings' }] }),
    { ...borrowing, spec: { ...spec, workloadRef } },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: 'shop', name: 'lonely', labels: { app: 'lonely', version: '1' } },
      spec: { containers: [{ name: 'main', image: 'registry.test/app:1' }] },
    },
    // Has the name that the generated ConfigMap would have.
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'shop', name: 'pod-lonely-from-labels-cfg' },
    },
  ];
}

const CONFIGS = [
  {
    apiVersion: 'reloader.stakater.com/v1alpha1',
    kind: 'ReloaderConfig',
    metadata: { namespace: 'shop', name: 'evicting' },
    spec: {
      watchedResources: { configMaps: ['settings'] },
      targets: [{ kind: 'Deployment', name: 'evicted', rolloutStrategy: 'restart' }],
      // Nothing listens there: only reading the address needs a permission.
      alerts: { slack: { secretRef: { name: 'hook' } } },
    },
  },
  {
    apiVersion: 'podconfig.example.com/v1alpha1',
    kind: 'PodConfigMapConfig',
    metadata: { namespace: 'shop', name: 'labels' },
    spec: { podSelector: { matchLabels: { app: 'lonely' } }, labelsToInclude: ['version'] },
  },
];

async function adopted(): Promise<void> {
  const kinds = ['deployment', 'statefulset', 'daemonset', 'rollout', 'deploymentconfig'];
  const names = [...kinds.map((kind) => [kind, `a-${kind}`]), ['cronjob', 'nightly'], ['job', 'batch']];
  for (const [kind = '', name = ''] of [...names, ['deployment', 'evicted'], ['rollout', 'borrower']])
    await until(`the note of ${name}`, async () => (await notes()).includes(`"${kind}.${name}"`));
}

/** The workloads with notes, in lower case: `"deployment.web"`. */
async function notes(): Promise<string> {
  const name = 'reloader-notes-shop.0';
  const data = ['-o', 'jsonpath={.data}', '--ignore-not-found'];
  return (await kubectl('-n', 'reloader', 'get', 'configmap', name, ...data)).toLowerCase();
}

async function annotation(kind: string, name: string, path: string, key: string): Promise<string> {
  const query = `jsonpath={${path}.metadata.annotations.${key.replaceAll('.', '\\.')}}`;
  return await kubectl('-n', 'shop', 'get', kind, name, '-o', query);
}

const markOf = (kind: string, name: string) => annotation(kind, name, '.spec.template', ROLLED);

function uidOf(kind: string, name: string): Promise<string> {
  return kubectl('-n', 'shop', 'get', kind, name, '-o', 'jsonpath={.metadata.uid}').catch(() => '');
}

async function jobsOf(cronJob: string): Promise<number> {
  const names = await kubectl('-n', 'shop', 'get', 'jobs', '-o', 'name');
  return names.split('\n').filter((name) => name.includes(cronJob)).length;
}

const podsOf = (app: string) => kubectl('-n', 'shop', 'get', 'pods', '-l', `app=${app}`, '-o', 'name');

async function generated(): Promise<string[]> {
  const label = 'podconfig.example.com/generated-by-pcmc';
  return (await kubectl('-n', 'shop', 'get', 'cm', '-l', label, '-o', 'name')).split('\n').filter(Boolean);
}

async function generatedText(): Promise<string> {
  const names = await generated();
  return names.length === 0 ? '' : kubectl('-n', 'shop', 'get', ...names, '-o', 'json');
}

async function requests(
  mark: number,
  resource: string,
  verb: string,
  namespace?: string,
): Promise<AuditEntry[]> {
  const filter = { user: USER, resource, verb, ...(namespace && { namespace }) };
  return await cluster().audit.since(mark, filter);
}
