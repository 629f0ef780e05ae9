/** The page on a real control plane: its tokens, its access reviews, its Events. */
import { type Client, createClient, kinds, loadConfig, silentLogger } from '@reloader/runtime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../packages/demo/src/operator-service.ts';
import { applyCrds } from '../../packages/operator/src/crds/apply.ts';
import { runOperator } from '../../packages/operator/src/operator.ts';
import { parseSettings } from '../../packages/operator/src/settings/parse.ts';
import type { PolicyRule } from '../control-plane/service-account.ts';
import { useControlPlane } from '../control-plane/vitest.ts';
import { PRODUCT } from '../reloader/rbac.ts';
import { useBrowser } from './browser.ts';

const cluster = useControlPlane({ workloads: true });
const open = useBrowser();
const stop = new AbortController();
const web = { namespace: 'shop', name: 'web' };
let client: Client;
let ended: Promise<void>;
let port: number;

const ASKS: readonly PolicyRule[] = [
  { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
  { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
];
const READS: PolicyRule = {
  apiGroups: ['reloader.stakater.com'],
  resources: ['reloaderconfigs'],
  verbs: ['list'],
};
const PATCHES: PolicyRule = {
  apiGroups: ['apps'],
  resources: ['deployments'],
  resourceNames: ['web'],
  verbs: ['patch'],
};

const change = (value: string) =>
  client.apply(
    kinds.Secret,
    {
      metadata: { namespace: 'shop', name: 'key' },
      data: { key: Buffer.from(value).toString('base64') },
    } as kinds.SecretObject,
    { fieldManager: 'test', force: true },
  );

beforeAll(async () => {
  client = createClient({ config: await loadConfig({ kubeconfig: cluster().kubeconfig }) });
  await applyCrds(client);
  for (const name of ['shop', 'reloader']) await client.create(kinds.Namespace, { metadata: { name } });
  await change('one');
  const labels = { app: 'web' };
  const annotations = {
    'reloader.stakater.com/auto': 'true',
    'reloader.stakater.com/approval': 'required',
  };
  const env = [{ name: 'KEY', valueFrom: { secretKeyRef: { name: 'key', key: 'key' } } }];
  await client.create(kinds.Deployment, {
    metadata: { ...web, annotations },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'app', image: 'example.com/app:1', env }] },
      },
    },
  });
  await cluster().kubectl(['rollout', 'status', 'deployment/web', '-n', 'shop', '--timeout=60s']);
  const account = await cluster().serviceAccount('reloader', 'reloader', {
    clusterRules: [...PRODUCT.cluster, ...ASKS],
    rules: PRODUCT.own,
  });
  port = await freePort();
  const settings = parseSettings(
    [
      '--kubeconfig',
      account.kubeconfig,
      '--http-bind-address=127.0.0.1:0',
      `--ui-bind-address=127.0.0.1:${port}`,
    ],
    { POD_NAMESPACE: 'reloader', POD_NAME: 'reloader-0' },
  );
  ended = runOperator(settings, { logger: silentLogger, signal: stop.signal });
}, 180_000);

afterAll(async () => {
  stop.abort();
  await ended;
  await client.close();
});

async function show(token: string) {
  const { page } = await open({ ignoreHTTPSErrors: true });
  await expect
    .poll(() => page.goto(`https://localhost:${port}/ui/#/w/Deployment/shop/web`).catch(() => null), {
      timeout: 20_000,
    })
    .not.toBeNull();
  await page.getByLabel('Token').fill(token);
  await page.getByLabel('Namespace').fill('shop');
  await page.getByRole('button').filter({ hasText: 'Sign in' }).click();
  await page.waitForSelector('.link-live');
  return page;
}

test('a change shows live, is approved by a user who may patch the workload, and rolls out once', async () => {
  const keeper = await cluster().serviceAccount('shop', 'keeper', { rules: [READS, PATCHES] });
  const viewer = await cluster().serviceAccount('shop', 'viewer', { rules: [READS] });
  const page = await show(keeper.token);
  await page.locator('.user', { hasText: 'system:serviceaccount:shop:keeper' }).waitFor();
  const before = (await client.get(kinds.Deployment, web)).metadata.generation ?? 0;
  await change('two');
  await page.getByRole('button', { name: 'Approve…' }).waitFor();

  const other = await show(viewer.token);
  await other.getByRole('button', { name: 'Approve…' }).click();
  await other.getByRole('button', { name: 'Approve', exact: true }).click();
  await other.getByText('This takes the right to patch deployments web').waitFor();
  expect((await client.get(kinds.Deployment, web)).metadata.generation).toBe(before);

  await page.getByRole('button', { name: 'Approve…' }).click();
  await page.getByRole('button', { name: 'Approve', exact: true }).click();
  await page.locator('.mark-current').first().waitFor();
  await cluster().kubectl(['rollout', 'status', 'deployment/web', '-n', 'shop', '--timeout=60s']);
  const revisions = await cluster().kubectl(['get', 'replicasets', '-n', 'shop', '-o', 'name']);
  expect(revisions.trim().split('\n')).toHaveLength(2);
  const events = await cluster().kubectl([
    'get',
    'events',
    '-n',
    'shop',
    '-o',
    'jsonpath={.items[*].message}',
  ]);
  expect(events).toContain('system:serviceaccount:shop:keeper approved the change that waits on the page');
});
