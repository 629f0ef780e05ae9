import { afterAll, beforeAll, expect, test } from 'vitest';
import { useControlPlane } from '../../../../test/control-plane/vitest.ts';
import { type Client, createClient, kinds, loadConfig } from '../client/index.ts';
import { sleep, systemClock } from '../clock/clock.ts';
import { createRegistry } from '../metrics/registry.ts';
import { createCapturingLogger } from '../testing/capturing-logger.ts';
import { allow, createWebhookServer, defaulter, deny, managedCertificates, validator } from './index.ts';

const cluster = useControlPlane();
const log = createCapturingLogger();
const [stopping, abort] = [new AbortController(), new AbortController()];
let admin: Client;
let client: Client;
let running: Promise<void>;

const checkConfigMaps = validator<kinds.ConfigMapObject>({
  create: ({ data }) => {
    if (data?.crash) throw new Error('the handler is broken');
    if (data?.bad) return deny('bad data is not welcome here');
    return allow(data?.old ? ['old is deprecated, use new'] : []);
  },
  update: (after, before) =>
    after.data?.size === before.data?.size ? undefined : deny('size cannot be changed'),
  delete: ({ data }) => (data?.keep ? deny('this one stays') : undefined),
});
const fillConfigMaps = defaulter<kinds.ConfigMapObject>((draft) => {
  draft.data = { size: 'small', ...draft.data };
});

/** A webhook for ConfigMaps in namespace `hooked`. */
const webhook = (name: string, port: number | undefined, path: string, failurePolicy: string) => ({
  name: `${name}.example.com`,
  clientConfig: { url: `https://127.0.0.1:${port}${path}` },
  rules: [
    {
      apiGroups: [''],
      apiVersions: ['v1'],
      resources: ['configmaps'],
      operations: ['CREATE', 'UPDATE', 'DELETE'],
    },
  ],
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'hooked' } },
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  failurePolicy,
  timeoutSeconds: 5,
});

beforeAll(async () => {
  const account = await cluster().serviceAccount('hooks', 'server', {
    rules: [
      { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
      { apiGroups: [''], resources: ['secrets'], resourceNames: ['cert'], verbs: ['get', 'update'] },
    ],
    clusterRules: [
      {
        apiGroups: ['admissionregistration.k8s.io'],
        resources: ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'],
        resourceNames: ['test'],
        verbs: ['get', 'patch'],
      },
    ],
  });
  client = createClient({ config: await loadConfig({ kubeconfig: account.kubeconfig }) });
  admin = createClient({ config: await loadConfig({ kubeconfig: cluster().kubeconfig }) });
  const server = createWebhookServer({
    certificates: managedCertificates({
      client,
      secret: { namespace: 'hooks', name: 'cert' },
      names: ['127.0.0.1'],
      configurations: [
        { kind: 'ValidatingWebhookConfiguration', name: 'test' },
        { kind: 'MutatingWebhookConfiguration', name: 'test' },
      ],
      checkIntervalMs: 500,
      logger: log.logger,
    }),
    handlers: { '/validate': checkConfigMaps, '/mutate': fillConfigMaps },
    port: 0,
    host: '127.0.0.1',
    logger: log.logger,
    metrics: createRegistry(),
  });
  running = server.start({ stopping: stopping.signal, abort: abort.signal });
  await server.ready(stopping.signal);
  await admin.create(kinds.Namespace, { metadata: { name: 'hooked' } });
  const configuration = (webhooks: object[]) => ({ metadata: { name: 'test' }, webhooks });
  await admin.create(
    kinds.ValidatingWebhookConfiguration,
    configuration([webhook('check', server.port, '/validate', 'Fail')]),
  );
  await admin.create(
    kinds.MutatingWebhookConfiguration,
    configuration([webhook('fill', server.port, '/mutate', 'Fail')]),
  );
  await eventually(
    async () => (await create('probe', {})) === 'created',
    'the API server trusts the webhook',
  );
});

afterAll(async () => {
  stopping.abort();
  abort.abort();
  await running;
  await Promise.all([admin.close(), client.close()]);
});

async function create(name: string, data: Record<string, string>): Promise<string> {
  return admin.create(kinds.ConfigMap, { metadata: { namespace: 'hooked', name }, data }).then(
    () => 'created',
    (error: Error) => error.message,
  );
}

async function eventually(check: () => Promise<boolean>, what: string): Promise<void> {
  const end = systemClock.monotonic() + 60_000;
  while (!(await check())) {
    if (systemClock.monotonic() > end) throw new Error(`Not within a minute: ${what}`);
    await sleep(systemClock, 100);
  }
}

test('a defaulter fills in what is missing', async () => {
  await create('filled', { mine: 'yes' });
  const { data } = await admin.get(kinds.ConfigMap, { namespace: 'hooked', name: 'filled' });
  expect(data).toEqual({ size: 'small', mine: 'yes' });
});

test('a validator refuses creation, change and deletion in its own words', async () => {
  expect(await create('refused', { bad: 'yes' })).toContain(
    'denied the request: bad data is not welcome here',
  );
  await create('fixed', { keep: 'yes' });
  const kubectl = (...args: string[]) =>
    cluster()
      .kubectl(['-n', 'hooked', ...args])
      .catch(({ stderr }: { stderr: string }) => stderr);
  expect(await kubectl('patch', 'configmap', 'fixed', '-p', '{"data":{"size":"big"}}')).toContain(
    'size cannot be changed',
  );
  expect(await kubectl('delete', 'configmap', 'fixed')).toContain('this one stays');
});

test('kubectl prints our warnings', async () => {
  const input = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'hooked', name: 'warned' },
    data: { old: 'x' },
  };
  const { warnings } = await warningsOf(input);
  expect(warnings).toContain('old is deprecated, use new');
});

async function warningsOf(object: object): Promise<{ warnings: string }> {
  const response = await admin.raw({
    method: 'POST',
    path: '/api/v1/namespaces/hooked/configmaps',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(object),
  });
  return { warnings: response.headers.warning ?? '' };
}

test('when a handler fails, failurePolicy decides', async () => {
  const setPolicy = async (failurePolicy: string) => {
    const operations = [{ op: 'replace', path: '/webhooks/0/failurePolicy', value: failurePolicy }] as const;
    await admin.patch(kinds.ValidatingWebhookConfiguration, { name: 'test' }, { type: 'json', operations });
  };
  expect(await create('broken', { crash: 'yes' })).toContain('failed calling webhook');
  await setPolicy('Ignore');
  await eventually(
    async () => (await create('ignored', { crash: 'yes' })) === 'created',
    'the failure is ignored',
  );
  await setPolicy('Fail');
});

test('a whole new CA is taken into use without a refused request', async () => {
  const before = await admin.get(kinds.Secret, { namespace: 'hooks', name: 'cert' });
  await admin.delete(kinds.Secret, { namespace: 'hooks', name: 'cert' });
  const renewed = () =>
    log.messages('info').filter((message) => message === 'Serving with a new certificate').length;
  const start = renewed();
  const answers: string[] = [];
  for (let i = 0; renewed() === start || i % 10 !== 0; i++) answers.push(await create(`during-${i}`, {}));
  for (let i = 0; i < 20; i++) answers.push(await create(`after-${i}`, {}));
  const after = await admin.get(kinds.Secret, { namespace: 'hooks', name: 'cert' });
  expect(after.data?.['ca.crt']).not.toBe(before.data?.['ca.crt']);
  expect(answers.filter((answer) => answer !== 'created')).toEqual([]);
});
