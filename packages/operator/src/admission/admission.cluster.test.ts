/**
 * The API server calls the webhook as configured in `manifests/admission.yaml`, but by URL: there are no Services here.
 */
import { readFile } from 'node:fs/promises';
import {
  type Client,
  createClient,
  createRegistry,
  kinds,
  loadConfig,
  silentLogger,
  systemClock,
} from '@reloader/runtime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { poll } from '../../../../test/control-plane/poll.ts';
import { freePorts } from '../../../../test/control-plane/ports.ts';
import { useControlPlane } from '../../../../test/control-plane/vitest.ts';
import { DEFAULT_ANNOTATIONS } from '../reloader/model/annotations.ts';
import { inlineChecker } from '../validate/checker.ts';
import { contentRule } from '../validate/rule.ts';
import { createAdmission } from './admission.ts';

const cluster = useControlPlane();
const RULE = contentRule({ from: 'test', requiredKeys: [], key: 'a', format: 'json' });
const [stopping, abort] = [new AbortController(), new AbortController()];
let client: Client;
let running: Promise<void> = Promise.resolve();
let port = 0;

interface Manifest {
  readonly kind: string;
  readonly rules?: object[];
  readonly webhooks?: { clientConfig: { service?: { path: string }; url?: string } }[];
}

const template = (text: string) => ({
  apiVersion: 'podconfig.example.com/v1alpha1',
  kind: 'PodConfigMapConfig',
  metadata: { name: 'it', namespace: 'default' },
  spec: { configMapDataTemplate: { line: text } },
});

async function apply(object: object): Promise<string> {
  return cluster()
    .kubectl(['apply', '-f', '-'], { input: object })
    .catch(({ stderr }: { stderr: string }) => stderr);
}

beforeAll(async () => {
  for (const name of ['reloaderconfig', 'podconfigmapconfig']) {
    const definition = ['-f', `crd/${name}_crd.yaml`];
    await cluster().kubectl(['apply', '--server-side', ...definition]);
    await cluster().kubectl(['wait', '--for=condition=Established', ...definition]);
  }
  const texts = (await readFile('manifests/admission.yaml', 'utf8')).split(/^---$/m);
  const manifests = texts.map((text) => parse(text) as Manifest);
  const rulesOf = (kind: string) => manifests.find((each) => each.kind === kind)?.rules ?? [];
  const { kubeconfig } = await cluster().serviceAccount('reloader', 'reloader', {
    rules: rulesOf('Role') as never,
    clusterRules: rulesOf('ClusterRole') as never,
  });
  const configuration = manifests.find(({ kind }) => kind === 'ValidatingWebhookConfiguration');
  [port = 0] = await freePorts(1);
  for (const { clientConfig } of configuration?.webhooks ?? []) {
    clientConfig.url = `https://127.0.0.1:${port}${clientConfig.service?.path}`;
    delete clientConfig.service;
  }
  await apply(configuration ?? {});
  client = createClient({ config: await loadConfig({ kubeconfig }) });
});

afterAll(async () => {
  stopping.abort();
  abort.abort();
  await running;
  await client.close();
});

test('while the webhook does not answer, everything passes', async () => {
  expect(await apply(template('{{ if }}'))).toContain('created');
  await cluster().kubectl(['delete', 'pcmc', 'it']);
});

test('mistakes are refused when they are applied, with their place', async () => {
  const admission = createAdmission({
    settings: { address: `127.0.0.1:${port}`, name: 'reloader-admission' },
    names: DEFAULT_ANNOTATIONS,
    sources: { checker: inlineChecker, rulesFor: () => [RULE], now: () => 0 },
    namespace: 'reloader',
    ...{ client, clock: systemClock, logger: silentLogger, metrics: createRegistry() },
  });
  running = admission.start({ stopping: stopping.signal, abort: abort.signal }) as Promise<void>;
  await poll(
    async () => {
      const answer = await apply(template('one\n{{ if }}'));
      if (/spec\.configMapDataTemplate\["line"\]: line:2:\d+: /.test(answer)) return true;
      await cluster().kubectl(['delete', 'pcmc', 'it', '--ignore-not-found']);
      return false;
    },
    { what: 'a refusal', timeout: 60_000, every: 200 },
  );
  expect(await apply(template('{{ .metadata.name }}'))).toContain('created');
  const selector = { matchExpressions: [{ key: 'app', operator: 'Like' }] };
  expect(await apply({ ...template(''), spec: { podSelector: selector } })).toContain('spec.podSelector');
});

test('a ReloaderConfig is checked as well', async () => {
  const config = (pausePeriod: string) => ({
    apiVersion: 'reloader.stakater.com/v1alpha1',
    kind: 'ReloaderConfig',
    metadata: { name: 'it', namespace: 'default' },
    spec: { pausePeriod, targets: [{ kind: 'Deployment', name: 'web' }] },
  });
  const refused = await apply(config('5 minutes'));
  expect(refused).toContain('spec.pausePeriod');
  expect(await apply(config('5m'))).toContain('created');
});

test('content that breaks a rule is refused in a Namespace that opts in, and nowhere else', async () => {
  const map = (namespace: string, text: string) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'settings', namespace },
    data: { a: text },
  });
  await apply({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'strict', labels: { 'reloader.stakater.com/validate': 'true' } },
  });
  expect(await apply(map('default', '{'))).toContain('created');
  // The API server sees the label shortly after it was written.
  await poll(
    async () => {
      const answer = await apply(map('strict', '{hunter2'));
      if (!answer.includes('created') && !answer.includes('configured')) {
        expect(answer).toContain('is not JSON (test)');
        return true;
      }
      await cluster().kubectl(['delete', 'configmap', 'settings', '-n', 'strict']);
      return false;
    },
    { what: 'a refusal', timeout: 60_000, every: 200 },
  );
  expect(await apply(map('strict', '{}'))).toContain('created');
});

test('the service account may not list Secrets', async () => {
  await expect(client.list(kinds.Secret, { namespace: 'reloader' })).rejects.toThrow('forbidden');
});
