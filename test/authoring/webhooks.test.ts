/**
 * The runtime's admission webhooks, called by minicluster as by an API server: the same cases that
 * `packages/runtime/src/webhook/webhook.cluster.test.ts` runs on a real one.
 */
import { type Minicluster, startMinicluster } from '@reloader/minicluster';
import {
  allow,
  type Client,
  createClient,
  createWebhookServer,
  defaulter,
  deny,
  kinds,
  managedCertificates,
  systemClock,
  validator,
} from '@reloader/runtime';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 });

const check = validator<kinds.ConfigMapObject>({
  create: ({ data }) => {
    if (data?.crash) throw new Error('the handler is broken');
    if (data?.bad) return deny('bad data is not welcome here');
    return allow(data?.old ? ['old is deprecated, use new'] : []);
  },
  update: (after, before) =>
    after.data?.size === before.data?.size ? undefined : deny('size cannot be changed'),
  delete: ({ data }) => (data?.keep ? deny('this one stays') : undefined),
});
const fill = defaulter<kinds.ConfigMapObject>((draft) => {
  draft.data = { size: 'small', ...draft.data };
});

const [stopping, abort] = [new AbortController(), new AbortController()];
let cluster: Minicluster;
let admin: Client;
let running: Promise<void>;
let port: number | undefined;

const webhook = (name: string, clientConfig: object, extra: object = {}) => ({
  name: `${name}.example.com`,
  clientConfig,
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
  timeoutSeconds: 5,
  ...extra,
});

beforeAll(async () => {
  cluster = await startMinicluster({
    serviceAddress: ({ name }) => (name === 'hooks' ? `https://127.0.0.1:${port}` : undefined),
  });
  admin = createClient({ transport: cluster.transport() });
  for (const name of ['hooks', 'hooked']) await admin.create(kinds.Namespace, { metadata: { name } });
  const server = createWebhookServer({
    certificates: managedCertificates({
      client: admin,
      secret: { namespace: 'hooks', name: 'cert' },
      names: ['127.0.0.1', 'hooks.hooks.svc'],
      configurations: [
        { kind: 'ValidatingWebhookConfiguration', name: 'test' },
        { kind: 'MutatingWebhookConfiguration', name: 'test' },
      ],
      checkIntervalMs: 100,
    }),
    handlers: { '/validate': check, '/mutate': fill },
    port: 0,
    host: '127.0.0.1',
  });
  running = server.start({ stopping: stopping.signal, abort: abort.signal });
  await server.ready(stopping.signal);
  port = server.port;
  const configuration = (webhooks: object[]) => ({ metadata: { name: 'test' }, webhooks });
  // One by its URL, one behind a Service.
  const url = `https://127.0.0.1:${port}/validate`;
  await admin.create(kinds.ValidatingWebhookConfiguration, configuration([webhook('check', { url })]));
  const service = { namespace: 'hooks', name: 'hooks', path: '/mutate' };
  await admin.create(kinds.MutatingWebhookConfiguration, configuration([webhook('fill', { service })]));
  await until(async () => (await create('probe', {})) === 'created');
});

afterAll(async () => {
  stopping.abort();
  abort.abort();
  await running;
  await admin.close();
  await cluster.stop();
});

/** The certificate source writes its CA into the configurations in real time. */
async function until(check: () => Promise<boolean>): Promise<void> {
  const end = systemClock.monotonic() + 20_000;
  while (!(await check())) {
    if (systemClock.monotonic() > end) throw new Error('Not within 20 s');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const answer = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'created',
    (error: Error) => error.message,
  );
const create = (name: string, data: Record<string, string>, namespace = 'hooked') =>
  answer(admin.create(kinds.ConfigMap, { metadata: { namespace, name }, data }));

describe('minicluster and webhooks', () => {
  test('a defaulter fills in what is missing', async () => {
    await create('filled', { mine: 'yes' });
    const { data } = await admin.get(kinds.ConfigMap, { namespace: 'hooked', name: 'filled' });
    expect(data).toEqual({ size: 'small', mine: 'yes' });
  });

  test('a validator refuses creation, change and deletion in its own words', async () => {
    const refused = await create('refused', { bad: 'yes' });
    expect(refused).toContain(
      'admission webhook "check.example.com" denied the request: bad data is not welcome here',
    );
    // No RBAC rule helps against a webhook.
    expect(refused).not.toContain('ClusterRole');
    await create('fixed', { keep: 'yes' });
    const key = { namespace: 'hooked', name: 'fixed' };
    const patch = { type: 'merge', body: { data: { size: 'big' } } } as const;
    expect(await answer(admin.patch(kinds.ConfigMap, key, patch))).toContain('size cannot be changed');
    expect(await answer(admin.delete(kinds.ConfigMap, key))).toContain('this one stays');
    expect((await admin.get(kinds.ConfigMap, key)).data).toEqual({ size: 'small', keep: 'yes' });
  });

  test('warnings reach the client', async () => {
    const { headers } = await admin.raw({
      method: 'POST',
      path: '/api/v1/namespaces/hooked/configmaps',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ metadata: { name: 'warned' }, data: { old: 'x' } }),
    });
    expect(headers.warning).toContain('old is deprecated, use new');
  });

  test('other namespaces are not reviewed', async () => {
    expect(await create('free', { bad: 'yes' }, 'default')).toBe('created');
  });

  test('a dry run is put before webhooks without side effects, and writes nothing', async () => {
    const object = { metadata: { namespace: 'hooked', name: 'dry' }, data: {} };
    const made = await admin.create(kinds.ConfigMap, object, { dryRun: true });
    expect(made.data).toEqual({ size: 'small' });
    expect(await answer(admin.get(kinds.ConfigMap, object.metadata))).toContain('not found');
  });

  test('when a handler fails, failurePolicy decides', async () => {
    const setPolicy = async (value: string) => {
      const operations = [{ op: 'replace', path: '/webhooks/0/failurePolicy', value }] as const;
      await admin.patch(kinds.ValidatingWebhookConfiguration, { name: 'test' }, { type: 'json', operations });
    };
    expect(await create('broken', { crash: 'yes' })).toContain('failed calling webhook "check.example.com"');
    await setPolicy('Ignore');
    expect(await create('ignored', { crash: 'yes' })).toBe('created');
    await setPolicy('Fail');
  });

  test('a Service that nobody told it about is named, with what to do', async () => {
    const service = { namespace: 'hooks', name: 'elsewhere' };
    const rules = [{ apiGroups: [''], apiVersions: ['v1'], resources: ['secrets'], operations: ['CREATE'] }];
    const lost = webhook('lost', { service }, { rules });
    const configuration = { metadata: { name: 'lost' }, webhooks: [lost] };
    await admin.create(kinds.ValidatingWebhookConfiguration, configuration);
    const secret = { metadata: { namespace: 'hooked', name: 's' } };
    expect(await answer(admin.create(kinds.Secret, secret))).toContain(
      'minicluster does not know where Service "hooks/elsewhere" is: give startMinicluster a serviceAddress',
    );
    await admin.delete(kinds.ValidatingWebhookConfiguration, { name: 'lost' });
  });
});

describe('minicluster reports unsupported features', () => {
  test('port-forward, with the reason', async () => {
    await admin.create(kinds.Pod, {
      metadata: { namespace: 'default', name: 'p' },
      spec: { containers: [{ name: 'c', image: 'x' }] },
    });
    const path = '/api/v1/namespaces/default/pods/p/portforward?ports=80';
    expect(await answer(admin.raw({ method: 'POST', path, headers: {} }))).toContain(
      'no process runs behind a simulated pod',
    );
  });

  test.each([
    ['no JSON', '{crash', 'must be JSON'],
    ['another shape', '{"behaviour":{"fault":"crash"}}', 'there is no field behaviour'],
    ['an unknown fault', '{"fault":"explode"}', 'fault must be one of crash'],
    [
      'half a condition',
      '{"fault":"crash","when":{"kind":"Secret"}}',
      'when must have kind, name, key, value',
    ],
  ])('a behaviour annotation that is %s, with its field', async (_, text, problem) => {
    const labels = { app: 'x' };
    const annotations = { 'minicluster.dev/behaviour': text };
    const template = { metadata: { labels, annotations }, spec: { containers: [{ name: 'c', image: 'x' }] } };
    const spec = { selector: { matchLabels: labels }, template };
    const object = { metadata: { namespace: 'default', name: 'wrong' }, spec };
    const said = await answer(admin.create(kinds.Deployment, object));
    expect(said).toContain('spec.template.metadata.annotations[minicluster.dev/behaviour]');
    expect(said).toContain(problem);
  });
});
