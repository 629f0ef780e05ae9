/** A real Prometheus beside the operator on a real control plane: its values must match what happened. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PodProcess } from '../chart/pod-process.ts';
import { poll } from '../control-plane/poll.ts';
import { freePorts } from '../control-plane/ports.ts';
import { useControlPlane } from '../control-plane/vitest.ts';
import { type Bundle, bundleOperator } from '../kills/bundle.ts';
import { workload } from '../reloader/objects.ts';
import { PRODUCT } from '../reloader/rbac.ts';
import { Prometheus } from './prometheus.ts';

const WORKLOADS = 25;
const ROUNDS = 2;
const FRAGILE = 5;
const RELOADS = WORKLOADS * ROUNDS;

const cluster = useControlPlane({ workloads: true, auditLevel: 'Metadata' });
let bundle: Bundle;
let operator: PodProcess;
let prometheus: Prometheus;

beforeAll(async () => {
  bundle = await bundleOperator();
  await apply(
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
    ...sources('begin'),
    ...Array.from({ length: WORKLOADS }, (_, index) => deployment(`web-${index}`, 'settings')),
    ...Array.from({ length: FRAGILE }, (_, index) => deployment(`fragile-${index}`, 'fragile')),
  );
  const account = await cluster().serviceAccount('reloader', 'reloader', {
    rules: PRODUCT.own,
    clusterRules: PRODUCT.cluster,
  });
  const [port = 0] = await freePorts(1);
  operator = new PodProcess({
    program: bundle.file,
    args: ['--settle=100ms', '--enable-ha'],
    env: { POD_NAME: 'reloader-0', POD_NAMESPACE: 'reloader', METRICS_COUNT_BY_NAMESPACE: 'enabled' },
    port,
    server: new URL(cluster().server),
    account: { token: account.token, authority: cluster().authority.certificate, namespace: 'reloader' },
    directory: join(cluster().directory, 'pods', 'reloader'),
    graceSeconds: 10,
  });
  await operator.start();
  await until('readiness', async () => (await operator.probe('/readyz')) === 200);
  prometheus = await Prometheus.start(`127.0.0.1:${port}`);
  await until('the first scrape', async () => (await prometheus.number('up')) === 1);
  await until('all records', async () => (await total('reloader_adoptions_total')) === WORKLOADS + FRAGILE);
}, 90_000);
afterAll(async () => {
  await prometheus?.stop();
  await operator?.stop();
  await bundle?.remove();
});

const total = (selector: string) => prometheus.number(`sum(${selector})`);

/** Stakater's series, and ours, which exist before the first event. */
const AT_ZERO = [
  'reloader_reload_executed_total{success="true"}',
  'reloader_reload_executed_total{success="false"}',
  'reloader_action_total{workload_kind="Deployment",result="success"}',
  'reloader_action_total{workload_kind="Rollout",result="error"}',
  'reloader_action_latency_seconds_count{workload_kind="StatefulSet"}',
  'reloader_skipped_total{reason="no_data_change"}',
  'reloader_skipped_total{reason="strategy_not_updated"}',
  'reloader_errors_total{type="handler_error"}',
  'reloader_retries_total',
  'reloader_events_received_total{event_type="delete",resource_type="secrets"}',
  'reloader_events_processed_total{event_type="delete",resource_type="configmaps",result="success"}',
  'reloader_last_reload_timestamp_seconds',
  'reloader_change_to_patch_seconds_count',
  'reloader_change_to_rollout_seconds_count',
  'reloader_rollouts_total{kind="Deployment",result="succeeded"}',
  'reloader_rollouts_total{kind="StatefulSet",result="failed"}',
  'reloader_would_reload_total',
  'reloader_foreign_slots_total',
  'reloader_deferred{reason="frozen"}',
  'reloader_deferred{reason="paused"}',
];

test('every series is there at zero before anything happens', async () => {
  const values = await Promise.all(AT_ZERO.map(async (name) => [name, await prometheus.number(name)]));
  expect(Object.fromEntries(values)).toEqual(Object.fromEntries(AT_ZERO.map((name) => [name, 0])));
  for (const name of [
    'reloader_reconcile_total',
    'reloader_workqueue_adds_total',
    'rest_client_requests_total',
  ])
    expect(await total(name), name).toBeGreaterThan(0);
  expect(await prometheus.number('reloader_workloads{kind="Deployment"}')).toBe(WORKLOADS + FRAGILE);
});

test(`after ${RELOADS} reloads and ${FRAGILE} failures the numbers are what happened`, async () => {
  await apply(...forbidChanges());
  // The server enforces the policy after a moment; only the policy can refuse this request.
  await until('the policy to hold', async () => await isRefused());
  const mark = await cluster().audit.mark();
  for (let round = 1; round <= ROUNDS; round += 1) {
    await apply(configMap('settings', `round ${round}`));
    await until(`round ${round}`, async () => (await reloads('web')) === WORKLOADS * round);
    // A rollout that is replaced by the next one does not finish by itself.
    await until('its rollouts', async () => (await total(finished)) === WORKLOADS * round);
  }
  await apply(configMap('fragile', 'new'));
  await until('five failures', async () => ((await total(failed)) ?? 0) >= FRAGILE);
  expect(await total(succeeded)).toBe(RELOADS);
  const pending = 'ALERTS{alertname="ReloaderReloadsFail",alertstate="pending"}';
  await until('the alert to be pending', async () => (await total(pending)) === 1);

  await cluster().kubectl([
    'delete',
    'validatingadmissionpolicybinding/fragile',
    'validatingadmissionpolicy/fragile',
  ]);
  await until('the policy to be gone', async () => !(await isRefused()));
  await apply(configMap('fragile', 'newer'));
  await until('the fragile ones', async () => (await reloads('fragile')) === FRAGILE);
  const happened = RELOADS + FRAGILE;
  await until('the last scrape', async () => (await total(finished)) === happened);
  const account = 'system:serviceaccount:reloader:reloader';
  const refused = { user: account, verb: 'patch', resource: 'deployments', code: 403 };
  const failures = await cluster().audit.count(refused, mark);
  expect(failures).toBe(FRAGILE);
  expect({
    succeeded: await total(succeeded),
    failed: await total(failed),
    byKind: await total('reloader_action_total{workload_kind="Deployment",result="success"}'),
    byNamespace: await total('reloader_reload_executed_total_by_namespace{namespace="shop",success="true"}'),
    patched: await total('reloader_change_to_patch_seconds_count'),
    finished: await total('reloader_change_to_rollout_seconds_count'),
    rolloutsFailed: await total('reloader_rollouts_total{result="failed"}'),
    updates: await total('reloader_events_processed_total{event_type="update",result="success"}'),
  }).toEqual({
    succeeded: happened,
    failed: failures,
    byKind: happened,
    byNamespace: happened,
    patched: happened,
    finished: happened,
    rolloutsFailed: 0,
    updates: ROUNDS + 2,
  });
  const ago = (await prometheus.number('time() - reloader_last_reload_timestamp_seconds')) ?? Number.NaN;
  expect(ago).toBeGreaterThanOrEqual(0);
  expect(ago).toBeLessThan(60);
}, 110_000);

test('a held reload is counted by its reason, until it is released', async () => {
  const freeze = (value: string) =>
    cluster().kubectl([
      'annotate',
      '--overwrite',
      'namespace',
      'shop',
      `reloader.stakater.com/freeze=${value}`,
    ]);
  const frozen = () => total('reloader_deferred{reason="frozen"}');
  await freeze('true');
  await apply(configMap('settings', 'while frozen'));
  await until('25 frozen', async () => (await frozen()) === WORKLOADS);
  await freeze('false');
  await until('none frozen', async () => (await frozen()) === 0);
  await until('their reloads', async () => (await total(succeeded)) === RELOADS + FRAGILE + WORKLOADS);
}, 60_000);

test('Prometheus evaluates every rule without an error', async () => {
  const rules = await prometheus.rules();
  expect(rules.length).toBeGreaterThan(10);
  expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
});

test('every panel of the dashboard shows something, or could', async () => {
  const path = fileURLToPath(new URL('../../dashboards/reloader.json', import.meta.url));
  const { panels } = JSON.parse(readFileSync(path, 'utf8')) as {
    panels: { title: string; targets?: { expr: string }[] }[];
  };
  const names = new Set(
    (await prometheus.query('group by (__name__) ({job="reloader"})')).map(({ metric }) => metric.__name__),
  );
  // Labelled by type and reason, with many values: such a series begins with its first event.
  const rare = new Set(['informer_watch_errors_total', 'informer_relists_total']);
  for (const { title, targets = [] } of panels) {
    for (const { expr } of targets) {
      const asked = expr
        .replaceAll('$__range', '10m')
        .replaceAll('$__rate_interval', '1m')
        .replaceAll('"$job"', '".*"');
      await prometheus.query(asked);
      const used = expr.match(/[a-z_]+(?=\{)/g) ?? [];
      expect(used.length, title).toBeGreaterThan(0);
      for (const name of used) expect(names.has(name) || rare.has(name), `${title}: ${name}`).toBe(true);
    }
  }
});

const finished = 'reloader_rollouts_total{result="succeeded"}';
const succeeded = 'reloader_reload_executed_total{success="true"}';
const failed = 'reloader_reload_executed_total{success="false"}';

function until(what: string, ask: () => Promise<boolean>): Promise<void> {
  return poll(ask, { what, timeout: 40_000, every: 200 });
}

async function apply(...items: readonly object[]): Promise<void> {
  const input = { apiVersion: 'v1', kind: 'List', items };
  await cluster().kubectl(['apply', '--server-side', '--force-conflicts', '-f', '-'], { input });
}

const configMap = (name: string, value: string): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'shop', name },
  data: { value },
});
const sources = (value: string): object[] => [configMap('settings', value), configMap('fragile', value)];
const deployment = (name: string, uses: string): object =>
  workload('Deployment', name, 'shop', { annotations: { auto: 'true' }, uses: [{ configMap: uses }] });

/** Rollouts of the Deployments with this prefix, as Kubernetes counts them. */
async function reloads(prefix: string): Promise<number> {
  const { items } = JSON.parse(
    await cluster().kubectl(['-n', 'shop', 'get', 'deployments', '-o', 'json']),
  ) as {
    items: { metadata: { name: string; annotations: Record<string, string> } }[];
  };
  return items
    .filter(({ metadata }) => metadata.name.startsWith(prefix))
    .map(({ metadata }) => Number(metadata.annotations['deployment.kubernetes.io/revision'] ?? 0) - 1)
    .reduce((sum, count) => sum + count, 0);
}

/** A policy that forbids changes of the templates of the fragile workloads. */
function forbidChanges(): object[] {
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const rule = {
    apiGroups: ['apps'],
    apiVersions: ['v1'],
    operations: ['UPDATE'],
    resources: ['deployments'],
  };
  return [
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: 'fragile' },
      spec: {
        matchConstraints: { resourceRules: [rule] },
        validations: [
          {
            expression:
              '!object.metadata.name.startsWith("fragile") || object.spec.template == oldObject.spec.template',
            reason: 'Forbidden',
          },
        ],
      },
    },
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: 'fragile' },
      spec: { policyName: 'fragile', validationActions: ['Deny'] },
    },
  ];
}

async function isRefused(): Promise<boolean> {
  const patch = '{"spec":{"template":{"metadata":{"labels":{"try":"me"}}}}}';
  return await cluster()
    .kubectl(['-n', 'shop', 'patch', 'deployment', 'fragile-0', '--dry-run=server', '-p', patch])
    .then(
      () => false,
      () => true,
    );
}
