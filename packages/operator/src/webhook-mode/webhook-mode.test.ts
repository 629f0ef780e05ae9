import { startMinicluster } from '@reloader/minicluster';
import {
  type Client,
  createClient,
  createRegistry,
  kinds,
  Manager,
  type ResourceType,
  resourceName,
} from '@reloader/runtime';
import { createCapturingLogger, metricValue, VirtualClock } from '@reloader/runtime/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PodStatuses } from '../reloader/model/kinds.ts';
import { parseSettings } from '../settings/parse.ts';
import { createWebhookMode } from './create.ts';
import { type Fetch, WEBHOOK_BODY } from './post.ts';

const URL_WITH_TOKEN = 'https://hooks.test/token-123';
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await tick();
}

interface SetUp {
  readonly argv?: readonly string[];
  /** Runs before the operator starts. */
  readonly before?: (client: Client) => Promise<void>;
  readonly answer?: (count: number) => Response | Promise<Response>;
}

async function setUp({ argv = [], before, answer = () => new Response() }: SetUp = {}) {
  const cluster = await startMinicluster({ workloads: false });
  onTestFinished(() => cluster.stop());
  const client = createClient({ transport: cluster.transport() });
  for (const name of ['a', 'b']) {
    const metadata = { name, labels: { team: name } };
    await client.create(kinds.Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata });
  }
  await before?.(client);
  const posts: { url: string; init: RequestInit }[] = [];
  const fetch: Fetch = async (url, init) => {
    posts.push({ url, init });
    const aborted = new Promise<never>((_, reject) => {
      init.signal?.addEventListener('abort', () => reject(init.signal?.reason), { once: true });
    });
    return Promise.race([answer(posts.length), aborted]);
  };
  const log = createCapturingLogger();
  const clock = new VirtualClock();
  const metrics = createRegistry();
  const settings = parseSettings([`--webhook-url=${URL_WITH_TOKEN}`, ...argv], {}).reloader;
  const mode = createWebhookMode({ settings, client, clock, logger: log.logger, metrics, fetch });
  const manager = new Manager({ clock, logger: log.logger });
  manager.add(...mode.runnables);
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  await until(() => log.messages().includes('Controller started'));
  /** The sources that were posted for, in order. */
  const told = (): string[] =>
    log.entries
      .filter(({ message }) => message === 'Told the webhook about a change')
      .map(({ values }) => `${values.kind} ${values.namespace}/${values.name}`);
  const whenTold = (what: string): Promise<void> => until(() => told().includes(what));
  return { client, posts, log, clock, metrics, told, whenTold, mode };
}

type Data = Record<string, string>;
async function write(
  client: Client,
  kind: 'ConfigMap' | 'Secret',
  key: string,
  data: Data,
  labels: Data = {},
) {
  const [namespace = '', name = ''] = key.split('/');
  const type = kinds[kind] as ResourceType;
  const object = { apiVersion: 'v1', kind, metadata: { namespace, name, labels }, data };
  await client.apply(type, object as never, { fieldManager: 'test', force: true });
}
const change = (client: Client, key: string, value: string, labels?: Data) =>
  write(client, 'ConfigMap', key, { key: value }, labels);
const remove = (client: Client, key: string) => {
  const [namespace = '', name = ''] = key.split('/');
  return client.delete(kinds.ConfigMap, { namespace, name });
};

const present = async (client: Client): Promise<void> => {
  await change(client, 'a/one', 'old');
  await change(client, 'a/last', 'old');
  await change(client, 'b/two', 'old');
  await write(client, 'Secret', 'a/pw', { key: 'b2xk' });
};

describe('a POST', () => {
  test('reports changed data, with the body of Stakater Reloader', async () => {
    const { client, posts, whenTold, metrics } = await setUp({ before: present });
    await change(client, 'a/one', 'new');
    await write(client, 'Secret', 'a/pw', { key: 'bmV3' });
    await whenTold('ConfigMap a/one');
    await whenTold('Secret a/pw');
    expect(posts.map(({ url, init: { method, body } }) => ({ url, method, body }))).toEqual([
      { url: URL_WITH_TOKEN, method: 'POST', body: WEBHOOK_BODY },
      { url: URL_WITH_TOKEN, method: 'POST', body: WEBHOOK_BODY },
    ]);
    expect(posts[0]?.init.headers).toEqual({ 'content-type': 'application/json' });
    expect(metricValue(metrics, 'reloader_webhook_posts_total', { result: 'success' })).toBe(2);
  });

  test('is not sent for objects that exist at the start, nor for labels, creations and deletions', async () => {
    const { client, told, whenTold } = await setUp({ before: present });
    await change(client, 'a/one', 'old', { touched: 'yes' });
    await change(client, 'a/new', 'x');
    await remove(client, 'b/two');
    await change(client, 'a/last', 'new');
    await whenTold('ConfigMap a/last');
    expect(told()).toEqual(['ConfigMap a/last']);
  });

  test('is sent for creations and deletions with their flags', async () => {
    const argv = ['--reload-on-create=true', '--reload-on-delete=true'];
    const { client, told, whenTold } = await setUp({ argv, before: present });
    await change(client, 'a/new', 'x');
    await whenTold('ConfigMap a/new');
    await remove(client, 'b/two');
    await whenTold('ConfigMap b/two');
    expect(told()).toEqual(['ConfigMap a/new', 'ConfigMap b/two']);
  });
});

describe('out of scope are', () => {
  const cases: [string, readonly string[]][] = [
    ['ignored namespaces', ['--namespaces-to-ignore=b']],
    ['namespaces that the selector leaves out', ['--namespace-selector=team=a']],
    ['namespaces that are not listed', ['--namespaces=a']],
  ];
  test.each(cases)('%s', async (_what, argv) => {
    const { client, told, whenTold } = await setUp({ argv, before: present });
    await change(client, 'b/two', 'new');
    await change(client, 'a/last', 'new');
    await whenTold('ConfigMap a/last');
    expect(told()).toEqual(['ConfigMap a/last']);
  });

  test('sources without the label', async () => {
    const argv = ['--resource-label-selector=use=yes', '--reload-on-create'];
    const { client, told, whenTold } = await setUp({ argv, before: present });
    await change(client, 'a/one', 'new');
    await change(client, 'a/labelled', 'new', { use: 'yes' });
    await whenTold('ConfigMap a/labelled');
    expect(told()).toEqual(['ConfigMap a/labelled']);
  });

  test('ignored kinds: they are not even watched', async () => {
    const { mode, client, told, whenTold } = await setUp({
      argv: ['--resources-to-ignore=secrets'],
      before: present,
    });
    expect([...mode.health().keys()]).toEqual(['configmaps']);
    await write(client, 'Secret', 'a/pw', { key: 'bmV3' });
    await change(client, 'a/last', 'new');
    await whenTold('ConfigMap a/last');
    expect(told()).toEqual(['ConfigMap a/last']);
  });
});

describe('an endpoint', () => {
  test('that fails is retried with exponential backoff; its URL is in no log', async () => {
    const answer = (count: number): Response => {
      if (count === 1) throw new TypeError('fetch failed');
      return new Response(null, { status: count === 2 ? 503 : 204 });
    };
    const { client, posts, clock, whenTold, log, metrics } = await setUp({ before: present, answer });
    await change(client, 'a/one', 'new');
    await until(() => posts.length === 1);
    await tick();
    await clock.advance(999);
    expect(posts).toHaveLength(1);
    await clock.advance(1);
    expect(posts).toHaveLength(2);
    await clock.advance(2000);
    await whenTold('ConfigMap a/one');
    expect(posts).toHaveLength(3);
    expect(metricValue(metrics, 'reloader_webhook_posts_total', { result: 'error' })).toBe(2);
    expect(
      JSON.stringify(log.entries.map(({ message, values }) => [message, String(values.error)])),
    ).not.toContain('token-123');
  });

  test('that refuses gets no retry for the same change', async () => {
    const answer = (count: number): Response => new Response(null, { status: count === 1 ? 404 : 200 });
    const { client, posts, clock, log, whenTold } = await setUp({ before: present, answer });
    await change(client, 'a/one', 'new');
    await until(() => log.entries.some(({ values }) => String(values.error).includes('answered 404')));
    await clock.advance(600_000);
    expect(posts).toHaveLength(1);
    await change(client, 'a/one', 'newer');
    await whenTold('ConfigMap a/one');
  });

  test('that hangs is aborted after ten seconds, and other changes do not wait for it', async () => {
    const hung = new Promise<Response>(() => undefined);
    const answer = (count: number): Response | Promise<Response> => (count === 1 ? hung : new Response());
    const { client, posts, clock, whenTold } = await setUp({ before: present, answer });
    await change(client, 'a/one', 'new');
    await until(() => posts.length === 1);
    await change(client, 'b/two', 'new');
    await whenTold('ConfigMap b/two');
    await clock.advance(10_000);
    expect(posts[0]?.init.signal?.aborted).toBe(true);
  });
});

describe('SecretProviderClasses', () => {
  const csi = { argv: ['--enable-csi-integration', '--resource-label-selector=use=yes'] };
  const write = (client: Client, pod: string, version: string): Promise<unknown> =>
    client.apply(
      PodStatuses,
      {
        apiVersion: 'secrets-store.csi.x-k8s.io/v1',
        kind: 'SecretProviderClassPodStatus',
        metadata: { namespace: 'a', name: pod },
        status: { secretProviderClassName: 'vault', objects: [{ id: 'secret/x', version }] },
      },
      { fieldManager: 'test', force: true },
    );

  test('are reported once for a rotation, however many pods report it', async () => {
    const before = async (client: Client): Promise<void> => {
      await createCrd(client, PodStatuses);
      for (const pod of ['pod-1', 'pod-2']) await write(client, pod, '1');
    };
    const { client, told, whenTold, metrics } = await setUp({ ...csi, before });
    // The operator itself does not wait for this cache.
    await until(() => metrics.render().includes(`informer_synced{type="${resourceName(PodStatuses)}"} 1`));
    await write(client, 'pod-1', '2');
    await whenTold('SecretProviderClass a/vault');
    await write(client, 'pod-2', '2');
    await write(client, 'pod-1', '3');
    await until(() => told().length > 1);
    expect(told()).toEqual(['SecretProviderClass a/vault', 'SecretProviderClass a/vault']);
  });

  test('do not block the start if their API does not exist', async () => {
    const { client, whenTold } = await setUp({ argv: ['--enable-csi-integration'], before: present });
    await change(client, 'a/one', 'new');
    await whenTold('ConfigMap a/one');
  });
});

async function createCrd(client: Client, { group, version, kind, plural }: ResourceType): Promise<void> {
  const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  await client.create(kinds.CustomResourceDefinition, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  } as never);
}
