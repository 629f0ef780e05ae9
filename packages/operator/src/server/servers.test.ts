import { request as httpRequest } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import { networkInterfaces } from 'node:os';
import { startMinicluster } from '@reloader/minicluster';
import {
  type Client,
  createClient,
  createRegistry,
  Health,
  HttpServer,
  type KubernetesObject,
  kinds,
  type Runnable,
  silentLogger,
  systemClock,
} from '@reloader/runtime';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Insight } from '../api/insight.ts';
import { createApi } from '../api/routes.ts';
import { parseSettings } from '../settings/parse.ts';
import { nobody, run } from './harness.test.support.ts';
import type { Leadership } from './leadership.ts';
import { SecureServer } from './secure-server.ts';
import { createServers } from './servers.ts';

interface Answer {
  readonly status: number | undefined;
  readonly body: string;
  readonly type: string | undefined;
}

interface Asking {
  readonly method?: string;
  readonly token?: string;
  readonly ca?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function get(url: string, options: Asking = {}): Promise<Answer> {
  const { method = 'GET', token, ca, body: sending } = options;
  const headers = { ...options.headers, ...(token && { authorization: `Bearer ${token}` }) };
  return new Promise((resolve, reject) => {
    const sent = (url.startsWith('https') ? httpsRequest : httpRequest)(
      url,
      { method, headers, agent: false, ...(ca !== undefined && { ca, servername: 'localhost' }) },
      (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          body += chunk;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode, body, type: response.headers['content-type'] }),
        );
      },
    );
    sent.on('error', reject).end(sending);
  });
}

interface SetUp {
  readonly argv?: readonly string[];
  readonly leadership?: Leadership;
  readonly client?: Client;
}

/** All addresses are free ones on loopback. */
async function serve({ argv = [], leadership, client = nobody }: SetUp = {}) {
  const settings = parseSettings(['--http-bind-address=127.0.0.1:0', ...argv], {
    RELOADER_NAMESPACE: 'default',
  });
  const health = new Health();
  const metrics = createRegistry();
  metrics.counter({ name: 'things_total', help: 'Things' }).inc();
  const servers = await createServers({
    settings,
    health,
    metrics,
    client,
    clock: systemClock,
    logger: silentLogger,
    ...(leadership && { leadership }),
  });
  const running = await Promise.all(servers.runnables.map(run));
  const urlOf = (runnable: Runnable | undefined): string =>
    runnable instanceof HttpServer ? `http://127.0.0.1:${runnable.port}` : '';
  return { ...servers, running, health, urls: servers.runnables.map(urlOf) };
}

describe('the main address', () => {
  test('serves metrics, /live, /healthz and /readyz', async () => {
    const { urls } = await serve();
    const [url = ''] = urls;
    expect(await get(`${url}/metrics`)).toMatchObject({
      status: 200,
      type: expect.stringContaining('text/plain'),
    });
    expect((await get(`${url}/metrics`)).body).toContain('things_total 1');
    expect(await get(`${url}/live`)).toMatchObject({ status: 200, body: 'alive' });
    expect(await get(`${url}/healthz`)).toMatchObject({ status: 200, body: 'ok\n' });
    expect(await get(`${url}/readyz`)).toMatchObject({ status: 200, body: 'ok\n' });
    expect((await get(`${url}/live`, { method: 'POST' })).status).toBe(405);
  });

  test('has no profiles, whatever the flags say', async () => {
    const { urls } = await serve({ argv: ['--enable-pprof', '--pprof-addr=127.0.0.1:0'] });
    expect((await get(`${urls[0]}/debug/pprof/`)).status).toBe(404);
    expect((await get(`${urls[0]}/debug/pprof/heap?seconds=1`)).status).toBe(404);
  });

  test('/readyz fails while a check fails, /live does not', async () => {
    const { urls, health } = await serve();
    health.addReadiness('caches', () => {
      throw new Error('not in sync');
    });
    expect((await get(`${urls[0]}/readyz`)).status).toBe(500);
    expect((await get(`${urls[0]}/live`)).status).toBe(200);
  });

  test('/live fails once leadership is lost', async () => {
    let lost = false;
    const check = (): void => {
      if (lost) throw new Error('lost');
    };
    const elector = {
      name: 'x',
      isLeader: true,
      run: async () => {},
      release: async () => {},
      check: () => {},
    };
    const { urls } = await serve({ leadership: { elector, check } });
    expect((await get(`${urls[0]}/live`)).status).toBe(200);
    lost = true;
    expect(await get(`${urls[0]}/live`)).toMatchObject({ status: 500, body: 'not alive' });
  });

  test('takes further routes', async () => {
    const settings = parseSettings(['--http-bind-address=127.0.0.1:0'], {});
    const { main } = await createServers({
      settings,
      health: new Health(),
      metrics: createRegistry(),
      client: nobody,
      clock: systemClock,
      logger: silentLogger,
    });
    main.route('/more', (_request, response) => void response.end('more'));
    await run(main);
    expect((await get(`http://127.0.0.1:${main.port}/more`)).body).toBe('more');
  });
});

describe('further addresses', () => {
  test('are opened only when asked for', async () => {
    expect((await serve()).runnables).toHaveLength(1);
  });

  test('probes alone', async () => {
    const { urls } = await serve({ argv: ['--health-probe-bind-address=127.0.0.1:0'] });
    expect((await get(`${urls[1]}/readyz`)).status).toBe(200);
    expect((await get(`${urls[1]}/metrics`)).status).toBe(404);
  });

  test('plain metrics alone', async () => {
    const { urls } = await serve({ argv: ['--metrics-bind-address=127.0.0.1:0', '--metrics-secure=false'] });
    expect((await get(`${urls[1]}/metrics`)).body).toContain('things_total 1');
    expect((await get(`${urls[1]}/readyz`)).status).toBe(404);
  });
});

describe('metrics over TLS', () => {
  async function serveSecurely(argv: readonly string[] = []) {
    const cluster = await startMinicluster({ workloads: false });
    onTestFinished(() => cluster.stop());
    const client = createClient({ transport: cluster.transport() });
    const flags = ['--metrics-bind-address=127.0.0.1:0', ...argv];
    const { runnables, running } = await serve({ client, argv: flags });
    const server = runnables.find((each) => each instanceof SecureServer);
    if (!server) throw new Error('there is no secure server');
    await server.listening;
    const secret = await client.get(kinds.Secret, { namespace: 'default', name: 'reloader-metrics-cert' });
    const ca = Buffer.from(secret.data?.['ca.crt'] ?? '', 'base64').toString();
    const url = `https://localhost:${server.port}`;
    return { url, ca, token: cluster.adminToken, server, running };
  }

  test('answers those whom the API server lets in, with a certificate that its Secret vouches for', async () => {
    const { url, ca, token } = await serveSecurely();
    const answer = await get(`${url}/metrics`, { token, ca });
    expect(answer).toMatchObject({ status: 200, type: expect.stringContaining('version=0.0.4') });
    expect(answer.body).toContain('things_total 1');
    expect((await get(`${url}/metrics`, { token: 'wrong', ca })).status).toBe(401);
    expect((await get(`${url}/metrics`, { ca })).status).toBe(401);
    expect((await get(`${url}/readyz`, { token, ca })).status).toBe(404);
    expect((await get(`${url}/metrics`, { method: 'POST', token, ca })).status).toBe(405);
  });

  test.each([
    [[], 'http/1.1'],
    [['--enable-http2'], 'h2'],
  ])('speaks HTTP/2 only if asked to: %j', async (argv, protocol) => {
    const { url, ca } = await serveSecurely(argv);
    const session = connectHttp2(url, { ca });
    onTestFinished(() => session.destroy());
    session.on('error', () => undefined);
    const agreed = await new Promise<string | undefined>((resolve) => {
      session.once('connect', () => resolve(session.alpnProtocol));
      session.once('error', () => resolve('http/1.1'));
    });
    expect(agreed).toBe(protocol);
  });

  test('HTTP/2 and HTTP/1 callers get the same answer', async () => {
    const { url, ca, token } = await serveSecurely(['--enable-http2']);
    const session = connectHttp2(url, { ca });
    onTestFinished(() => session.destroy());
    const stream = session.request({ ':path': '/metrics', authorization: `Bearer ${token}` });
    let body = '';
    for await (const chunk of stream.setEncoding('utf8')) body += String(chunk);
    expect(body).toContain('things_total 1');
    expect((await get(`${url}/metrics`, { token, ca })).status).toBe(200);
  });

  test('a stop does not wait for idle connections', async () => {
    const { url, ca, running } = await serveSecurely(['--enable-http2']);
    const session = connectHttp2(url, { ca });
    session.on('error', () => undefined);
    await new Promise((resolve) => session.once('connect', resolve));
    await Promise.all(running.map(({ stop }) => stop()));
  });
});

describe('plain metrics beside those over TLS', () => {
  test('are for loopback only', async () => {
    const outside = Object.values(networkInterfaces())
      .flat()
      .find((each) => each && !each.internal && each.family === 'IPv4')?.address;
    if (outside === undefined) throw new Error('This machine has no address but loopback');
    const cluster = await startMinicluster({ workloads: false });
    onTestFinished(() => cluster.stop());
    const client = createClient({ transport: cluster.transport() });
    for (const [argv, status] of [
      [['--http-bind-address=:0', '--metrics-bind-address=127.0.0.1:0'], 403],
      [['--http-bind-address=:0'], 200],
    ] as const) {
      const { main } = await serve({ client, argv });
      expect((await get(`http://${outside}:${main.port}/metrics`)).status).toBe(status);
      expect((await get(`http://127.0.0.1:${main.port}/metrics`)).body).toContain('things_total 1');
      expect((await get(`http://${outside}:${main.port}/live`)).status).toBe(200);
    }
  });
});

describe('the API for tokens', () => {
  async function serveApi(flag = '--api-bind-address') {
    const cluster = await startMinicluster({ workloads: false });
    onTestFinished(() => cluster.stop());
    const client = createClient({ transport: cluster.transport() });
    cluster.addToken('shopkeeper', { name: 'shopkeeper', groups: ['system:authenticated'] });
    cluster.addToken('stranger', { name: 'stranger', groups: ['system:authenticated'] });
    const labels = { apiVersion: 'rbac.authorization.k8s.io/v1' };
    const type = (kind: string, plural: string) => ({
      group: 'rbac.authorization.k8s.io',
      version: 'v1',
      kind,
      plural,
      namespaced: true,
    });
    await client.create(kinds.Namespace, { metadata: { name: 'shop' } });
    await client.create(type('Role', 'roles'), {
      ...labels,
      kind: 'Role',
      metadata: { name: 'reads', namespace: 'shop' },
      rules: [{ apiGroups: ['', 'apps'], resources: ['secrets', 'deployments'], verbs: ['list'] }],
    } as KubernetesObject);
    await client.create(type('RoleBinding', 'rolebindings'), {
      ...labels,
      kind: 'RoleBinding',
      metadata: { name: 'reads', namespace: 'shop' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reads' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'shopkeeper' }],
    } as KubernetesObject);
    const { runnables, addApi } = await serve({ client, argv: [`${flag}=127.0.0.1:0`] });
    const server = runnables.find((each) => each instanceof SecureServer);
    if (!server) throw new Error('there is no secure server');
    await server.listening;
    const secret = await client.get(kinds.Secret, { namespace: 'default', name: 'reloader-api-cert' });
    const ca = Buffer.from(secret.data?.['ca.crt'] ?? '', 'base64').toString();
    const ask = (path: string, token?: string, headers: Readonly<Record<string, string>> = {}) =>
      get(`https://localhost:${server.port}${path}`, { ca, headers, ...(token !== undefined && { token }) });
    const post = (path: string, token: string | undefined, body: unknown, more: Asking = {}) =>
      get(`https://localhost:${server.port}${path}`, {
        ca,
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
        ...(token !== undefined && { token }),
        ...more,
      });
    return { ask, post, client, addApi, admin: cluster.adminToken };
  }

  test('asks the API server who the caller is, and what of each namespace it may read', async () => {
    const { ask, addApi, admin } = await serveApi();
    expect((await ask('/api/v1/history', admin)).status).toBe(503);
    const insight = { history: (namespace?: string) => [namespace ?? 'all'] } as unknown as Insight;
    addApi(createApi({ insight, logger: silentLogger }));
    expect(await ask('/api/v1/history', admin)).toMatchObject({ status: 200, body: '{"reloads":["all"]}\n' });
    expect(await ask('/api/v1/history?namespace=shop', 'shopkeeper')).toMatchObject({
      status: 200,
      body: '{"reloads":["shop"]}\n',
    });
    expect((await ask('/api/v1/history', 'shopkeeper')).status).toBe(403);
    expect((await ask('/api/v1/history?namespace=default', 'shopkeeper')).status).toBe(403);
    expect((await ask('/api/v1/history?namespace=shop', 'stranger')).status).toBe(403);
    expect((await ask('/api/v1/history?namespace=shop', 'nonsense')).status).toBe(401);
    expect((await ask('/api/v1/history?namespace=shop')).status).toBe(401);
    expect((await ask('/metrics', admin)).status).toBe(404);
  });

  test('serves the page to everybody, and what it shows to those who may read it', async () => {
    const { ask, addApi, admin } = await serveApi('--ui-bind-address');
    expect((await ask('/api/v1/history', admin)).status).toBe(503);
    const insight = { history: (namespace?: string) => [namespace ?? 'all'] } as unknown as Insight;
    addApi(createApi({ insight, logger: silentLogger }));
    expect(await ask('/ui/')).toMatchObject({ status: 200, type: 'text/html; charset=utf-8' });
    expect(await ask('/api/v1/history', admin)).toMatchObject({ status: 200, body: '{"reloads":["all"]}\n' });
    expect((await ask('/api/v1/history?namespace=shop', 'shopkeeper')).status).toBe(200);
    expect((await ask('/api/v1/history', 'shopkeeper')).status).toBe(403);
    expect((await ask('/api/v1/history?namespace=shop', 'nonsense')).status).toBe(401);
    expect((await ask('/api/v1/history')).status).toBe(401);
    for (const path of ['/ui/', '/api/v1/history']) {
      expect((await ask(path, admin, { host: 'evil.example' })).status, path).toBe(421);
      expect((await ask(path, admin, { 'sec-fetch-site': 'cross-site' })).status, path).toBe(403);
    }
  });

  describe('actions of people with a token', () => {
    const web = { kind: 'Deployment', namespace: 'shop', name: 'web' };
    const FREEZE = '/api/v1/actions/freeze';
    const Role = {
      group: 'rbac.authorization.k8s.io',
      version: 'v1',
      kind: 'Role',
      plural: 'roles',
    } as const;

    async function serveActions(waits: readonly object[] = []) {
      const served = await serveApi('--ui-bind-address');
      const { client, addApi } = served;
      const labels = { app: 'web' };
      await client.create(kinds.Deployment, {
        metadata: { namespace: 'shop', name: 'web' },
        spec: {
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'app' }] } },
        },
      } as KubernetesObject);
      const insight = { explain: async () => ({ outlook: { waits } }) } as unknown as Insight;
      addApi(createApi({ insight, logger: silentLogger }));
      const grant = async (verbs: readonly string[]): Promise<void> => {
        const rules = [
          { apiGroups: ['', 'apps'], resources: ['secrets', 'deployments'], verbs: ['list'] },
          { apiGroups: ['apps'], resources: ['deployments'], resourceNames: ['web'], verbs },
        ];
        const type = { ...Role, namespaced: true };
        await client.patch(type, { namespace: 'shop', name: 'reads' }, { type: 'merge', body: { rules } });
      };
      const deployment = () => client.get(kinds.Deployment, { namespace: 'shop', name: 'web' });
      return { ...served, grant, deployment };
    }

    test('are made by the operator for those who may patch that very object, each time anew', async () => {
      const { post, grant, deployment, client, ask } = await serveActions();
      expect(JSON.parse((await ask('/api/v1/me')).body)).toEqual({
        may: ['freeze', 'unfreeze', 'approve', 'now'],
      });
      expect((await post(FREEZE, undefined, { target: web })).status).toBe(401);
      expect((await post(FREEZE, 'nonsense', { target: web })).status).toBe(401);
      expect((await post(FREEZE, 'stranger', { target: web })).status).toBe(403);
      const reads = await post(FREEZE, 'shopkeeper', { target: web });
      expect(reads).toMatchObject({
        status: 403,
        body: expect.stringContaining('right to patch deployments web'),
      });
      expect((await deployment()).metadata.annotations).toBeUndefined();

      await grant(['patch']);
      expect((await post(FREEZE, 'shopkeeper', { target: web })).status).toBe(200);
      const frozen = await deployment();
      expect(frozen.metadata.annotations).toEqual({ 'reloader.stakater.com/freeze': 'true' });
      expect(JSON.stringify(frozen.metadata.managedFields)).toContain('"manager":"reloader-ui/shopkeeper"');
      await expect
        .poll(async () => JSON.stringify(await client.list(kinds.Event, { namespace: 'shop' })))
        .toContain('shopkeeper froze it on the page');
      const other = { ...web, name: 'other' };
      expect((await post(FREEZE, 'shopkeeper', { target: other })).status).toBe(403);
      expect((await post(FREEZE, 'shopkeeper', { target: { namespace: 'shop' } })).status).toBe(403);

      await grant(['get']);
      expect((await post('/api/v1/actions/unfreeze', 'shopkeeper', { target: web })).status).toBe(403);
      expect((await deployment()).metadata.annotations).toEqual({ 'reloader.stakater.com/freeze': 'true' });
    });

    test('approve the change that was seen', async () => {
      const { post, grant, deployment } = await serveActions([{ why: 'approval', change: 'k3v9x2mqpa' }]);
      await grant(['patch']);
      const approve = (change: string) =>
        post('/api/v1/actions/approve', 'shopkeeper', { target: web, change });
      expect((await approve('another')).status).toBe(409);
      expect((await approve('k3v9x2mqpa')).status).toBe(200);
      expect((await deployment()).metadata.annotations).toEqual({
        'reloader.stakater.com/approve': 'k3v9x2mqpa',
      });
    });

    test('are small, JSON, posted by our own page, and not many', async () => {
      const { post, admin, ask } = await serveActions();
      const json = { 'content-type': 'application/json' };
      const freeze = (more: Asking) => post(FREEZE, admin, { target: web }, more);
      expect((await ask(FREEZE, admin)).status).toBe(405);
      expect((await freeze({ headers: { 'content-type': 'text/plain' } })).status).toBe(415);
      expect((await freeze({ body: `"${'x'.repeat(5_000)}"` })).status).toBe(400);
      expect((await freeze({ body: 'no JSON' })).status).toBe(400);
      expect((await freeze({ headers: { ...json, origin: 'https://evil.example' } })).status).toBe(403);
      expect((await freeze({ headers: { ...json, 'sec-fetch-site': 'same-site' } })).status).toBe(403);
      const many = await Promise.all(Array.from({ length: 40 }, () => freeze({ body: '{}' })));
      expect(new Set(many.map(({ status }) => status))).toEqual(new Set([400, 429]));
      expect((await post(FREEZE, 'shopkeeper', {})).status).toBe(400);
    });
  });
});
