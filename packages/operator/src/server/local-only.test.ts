import { request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { HttpServer, respond, silentLogger } from '@reloader/runtime';
import { describe, expect, test } from 'vitest';
import { LOCAL_READER } from '../api/reader.ts';
import type { Api } from '../api/routes.ts';
import { isLoopback } from '../settings/loopback.ts';
import { run } from './harness.test.support.ts';
import { serveLocalApi, serveLocalPage } from './local-api.ts';
import { localOnly } from './local-only.ts';

async function serve(allowedHosts: readonly string[] = []) {
  const server = new HttpServer({ address: ':0', logger: silentLogger });
  server.route(
    '/here',
    localOnly((_request, response) => respond(response, 200, 'secret'), { allowedHosts }),
  );
  await run(server);
  return (host: string, headers: Record<string, string> = {}) => ask(server.port, host, headers, '/here');
}

/** `fetch` would not send all of these headers. */
function ask(port: number | undefined, host: string, headers: Record<string, string>, path: string) {
  return new Promise<{ status: number | undefined; body: string; policy: unknown }>((resolve, reject) => {
    request({ host, port, path, headers, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk;
      });
      const policy = response.headers['content-security-policy'];
      response.on('end', () => resolve({ status: response.statusCode, body, policy }));
    })
      .on('error', reject)
      .end();
  });
}

/** An address of this machine other than loopback, as another machine would use. */
const outside = Object.values(networkInterfaces())
  .flat()
  .find((each) => each && !each.internal && each.family === 'IPv4')?.address;

describe('routes for loopback only', () => {
  test.each(['localhost', 'LOCALHOST:9090', '127.0.0.1:1', '[::1]:80', '127.0.0.1'])(
    'is answered to Host %s',
    async (host) => {
      const get = await serve();
      expect(await get('127.0.0.1', { host })).toMatchObject({ status: 200, body: 'secret' });
    },
  );

  test.each([
    'evil.example',
    'evil.example:9090',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '[::2]',
  ])(
    'is not answered to Host %s: a page whose name was rebound to loopback reaches the port, too',
    async (host) => {
      const get = await serve();
      const { status, body, policy } = await get('127.0.0.1', { host });
      expect(status).toBe(421);
      expect(policy).toContain("default-src 'none'");
      expect(body).not.toContain('secret');
    },
  );

  test('names that are allowed are answered', async () => {
    const get = await serve(['reloader.example.com']);
    expect((await get('127.0.0.1', { host: 'reloader.example.com' })).status).toBe(200);
    expect((await get('127.0.0.1', { host: 'other.example.com' })).status).toBe(421);
  });

  test.each([
    ['cross-site', 403],
    ['same-site', 403],
    ['same-origin', 200],
    ['none', 200],
  ])('a request that the browser calls %s gets %d', async (site, status) => {
    const get = await serve();
    expect((await get('127.0.0.1', { 'sec-fetch-site': site })).status).toBe(status);
  });

  test('a link on another site opens the page, and nothing else', async () => {
    const server = new HttpServer({ address: ':0', logger: silentLogger });
    serveLocalApi(server, async () => ({ status: 200, body: {} }));
    serveLocalPage(server);
    await run(server);
    const status = async (path: string, mode: string, dest: string) => {
      const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': mode, 'sec-fetch-dest': dest };
      return (await ask(server.port, '127.0.0.1', headers, path)).status;
    };
    // 404 is the answer of the page in a repository that is not built.
    expect([200, 404]).toContain(await status('/ui/', 'navigate', 'document'));
    expect(await status('/ui/', 'navigate', 'iframe')).toBe(403);
    expect(await status('/ui/', 'no-cors', 'script')).toBe(403);
    expect(await status('/api/v1/status', 'navigate', 'document')).toBe(403);
  });

  test('is not answered at another address of the same port, whatever Host says', async () => {
    if (outside === undefined) throw new Error('This machine has no address but loopback');
    const get = await serve();
    const { status, body } = await get(outside, { host: 'localhost' });
    expect(status).toBe(403);
    expect(body).toContain('on loopback only');
    expect(body).not.toContain('secret');
  });

  test('so is the API', async () => {
    const server = new HttpServer({ address: ':0', logger: silentLogger });
    const readers: unknown[] = [];
    const api: Api = async ({ reader, path }) => {
      readers.push(reader);
      return { status: 200, body: { path } };
    };
    serveLocalApi(server, api);
    await run(server);
    const here = await fetch(`http://127.0.0.1:${server.port}/api/v1/status`);
    expect(await here.json()).toEqual({ path: '/api/v1/status' });
    expect(here.headers.get('access-control-allow-origin')).toBeNull();
    expect(readers).toEqual([LOCAL_READER]);
    expect((await fetch(`http://${outside}:${server.port}/api/v1/status`)).status).toBe(403);
    expect(readers).toHaveLength(1);
  });
});

test.each([
  ['127.0.0.1', true],
  ['127.8.9.1', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['::ffff:10.0.0.1', false],
  ['10.0.0.1', false],
  ['::', false],
  ['0.0.0.0', false],
  ['fe80::1', false],
  ['nonsense', false],
  [undefined, false],
])('%s is loopback: %s', (address, expected) => {
  expect(isLoopback(address)).toBe(expected);
});
