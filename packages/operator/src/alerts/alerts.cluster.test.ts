/** Alerts of the operator as a process of its own: from the change of a Secret to the receiver. */
import { type Client, createClient, getIfExists, kinds, loadConfig } from '@reloader/runtime';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { poll } from '../../../../test/control-plane/poll.ts';
import { freePorts } from '../../../../test/control-plane/ports.ts';
import { useControlPlane } from '../../../../test/control-plane/vitest.ts';
import { type Bundle, bundleOperator } from '../../../../test/kills/bundle.ts';
import { RealOperator } from '../../../../test/reloader/real-operator.ts';
import { applyCrds } from '../crds/apply.ts';
import { ReloaderConfigs } from '../crds/reloader-config.ts';
import { FIXED_ANNOTATIONS } from '../reloader/model/annotations.ts';
import { type Receiver, startReceiver } from './delivery/receiver.test.support.ts';

const cluster = useControlPlane();
let client: Client;
let bundle: Bundle | undefined;
beforeAll(async () => {
  client = createClient({ config: await loadConfig({ kubeconfig: cluster().kubeconfig }) });
  bundle = await bundleOperator();
  await applyCrds(client);
  for (const name of ['shop', 'reloader']) await client.create(kinds.Namespace, { metadata: { name } });
  await client.create(kinds.Secret, { metadata: inShop('credentials'), data: { password: base64('one') } });
  const containers = [{ name: 'app', image: 'app', envFrom: [{ secretRef: { name: 'credentials' } }] }];
  const labels = { app: 'web' };
  await client.create(kinds.Deployment, {
    metadata: inShop('web'),
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  });
});
afterAll(async () => {
  await bundle?.remove();
  await client.close();
});

const inShop = (name: string) => ({ namespace: 'shop', name });
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const at = ({ url }: Receiver, path: string): string => new URL(path, url).href;

async function startOperator(
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<RealOperator> {
  const [port = 0] = await freePorts(1);
  const operator = new RealOperator({
    program: bundle?.file ?? '',
    namespace: 'reloader',
    user: 'admin',
    port,
    args: ['--kubeconfig', cluster().kubeconfig, '--settle=100ms', '--alert-allow-internal', ...flags],
    env: { POD_NAMESPACE: 'reloader', ...env },
  });
  onTestFinished(() => operator.kill());
  await poll(() => operator.ready(), { what: 'the operator to be ready', timeout: 15_000 });
  await poll(async () => (await note()) !== undefined, { what: 'the first note', timeout: 10_000 });
  return operator;
}

async function note(): Promise<string | undefined> {
  const key = { namespace: 'reloader', name: 'reloader-notes-shop.0' };
  return (await getIfExists(client, kinds.ConfigMap, key))?.data?.['Deployment.web'];
}

async function ledger(): Promise<string | undefined> {
  const { metadata } = await client.get(kinds.Deployment, inShop('web'));
  return metadata.annotations?.[FIXED_ANNOTATIONS.ledger];
}

/** Resolves when the Deployment has been reloaded for the change. */
async function changeSecret(password: string): Promise<void> {
  const before = await ledger();
  const body = { data: { password: base64(password) } };
  await client.patch(kinds.Secret, inShop('credentials'), { type: 'merge', body });
  await poll(async () => (await ledger()) !== before, { what: 'a reload', timeout: 10_000 });
}

test('all four channels get the alert at once, a failing one delays nothing, and no URL is shown', async () => {
  const receiver = await startReceiver();
  const broken = await startReceiver([{ status: 500 }]);
  const secret = (name: string, data: Record<string, string>) =>
    client.create(kinds.Secret, {
      metadata: inShop(name),
      data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, base64(value)])),
    });
  await secret('slack', { 'slack-webhook': at(receiver, '/slack/T0K3N') });
  await secret('chat', { url: at(receiver, '/chat/T0K3N') });
  await client.create(ReloaderConfigs, {
    metadata: inShop('rules'),
    spec: {
      watchedResources: { secrets: ['credentials'] },
      targets: [{ kind: 'Deployment', name: 'web' }],
      alerts: {
        slack: { secretRef: { name: 'slack', key: 'slack-webhook' } },
        teams: { url: at(receiver, '/teams/T0K3N') },
        googleChat: { secretRef: { name: 'chat' } },
        customWebhook: { url: at(broken, '/custom/T0K3N') },
      },
    },
  });
  const operator = await startOperator(['--alert-group-window=100ms', '--alert-additional-info=prod']);
  await changeSecret('two');
  await Promise.all([receiver.got(3), broken.got(2)]);
  const bodies = new Map(receiver.received.map(({ path, body }) => [path.split('/')[1], body]));
  expect([...bodies.keys()].sort()).toEqual(['chat', 'slack', 'teams']);
  expect(bodies.get('slack')).toContain('"attachments":[{"fallback":"🔄 Workload Reloaded');
  expect(bodies.get('teams')).toContain('"type":"AdaptiveCard"');
  expect(bodies.get('chat')).toContain('"cardsV2":[');
  for (const body of bodies.values())
    for (const part of ['Deployment/web', 'shop', 'Secret/credentials', 'env-vars', 'shop/rules', 'prod'])
      expect(body).toContain(part);
  expect(await operator.metrics()).toContain('reloader_alerts_total{channel="slack",result="sent"} 1');
  await operator.stop();
  expect(operator.logText()).not.toMatch(/T0K3N|two/);
  const { items } = await client.list(kinds.Event, { namespace: 'shop' });
  expect(JSON.stringify(items)).not.toMatch(/T0K3N|127\.0\.0\.1/);
  expect(JSON.stringify(items)).toContain('"AlertFailed"');
});

test("Stakater's variables send its text, and SIGTERM sends what waits", async () => {
  const [global, own] = [await startReceiver(), await startReceiver()];
  const body = {
    spec: { alerts: { slack: null, teams: null, googleChat: null, customWebhook: { url: own.url.href } } },
  };
  await client.patch(ReloaderConfigs, inShop('rules'), { type: 'merge', body });
  const operator = await startOperator(['--log-level=debug'], {
    ALERT_ON_RELOAD: 'true',
    ALERT_WEBHOOK_URL: global.url.href,
  });
  await changeSecret('three');
  await global.got(1);
  expect(global.received[0]?.body).toBe(
    'Reloader detected changes in credentials of type SECRET in namespace shop. Hence reloaded web of type Deployment in namespace shop',
  );
  await operator.stop();
  expect(own.received).toHaveLength(1);
  expect(operator.logText()).not.toMatch(/T0K3N|three/);
});
