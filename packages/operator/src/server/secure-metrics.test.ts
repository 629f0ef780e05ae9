import { connect as connectHttp2 } from 'node:http2';
import { networkInterfaces } from 'node:os';
import { startMinicluster } from '@reloader/minicluster';
import { createClient, kinds } from '@reloader/runtime';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SecureServer } from './secure-server.ts';
import { get, serve } from './serving.test.support.ts';

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

  test('answers callers that the API server authorizes, with the certificate of its Secret', async () => {
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
