/** The size of the page, and the headers with which it is served. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Page } from '../../packages/operator/src/server/page.ts';

const MOST_BYTES = 30 * 1024;
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reloader-assets-'));
  const { buildDashboard } = (await import('../../packages/dashboard/build.mjs' as string)) as {
    buildDashboard: (folder: string) => Promise<void>;
  };
  await buildDashboard(folder);
});
afterAll(() => rm(folder, { recursive: true }));

interface Served {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

function get(path: string, method = 'GET', page = new Page(folder)): Promise<Served> {
  return new Promise((resolve) => {
    let [status, headers]: [number, Served['headers']] = [0, {}];
    const response = {
      writeHead(given: number, named: Served['headers']) {
        [status, headers] = [given, named];
        return response;
      },
      end: (body: Buffer | string = '') => resolve({ status, headers, body: Buffer.from(body) }),
    };
    const message = { method, headers: { 'accept-encoding': 'gzip' } } as unknown as IncomingMessage;
    void page.serve(path, message, response as never);
  });
}

test('all of it is at most 30 KB, compressed', async () => {
  const names = await readdir(folder);
  const sizes = await Promise.all(
    names.map(async (name) => gzipSync(await readFile(join(folder, name)), { level: 9 }).length),
  );
  expect(names.length).toBe(4);
  expect(sizes.reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(MOST_BYTES);
});

test('the document loads files of ours and nothing else, and holds no script of its own', async () => {
  const { status, headers, body } = await get('/ui/');
  const html = gunzipSync(body).toString();
  expect(status).toBe(200);
  expect(html).not.toMatch(/https?:|<script[^>]*>[^<]|style=|\son\w+=/);
  expect(headers['cache-control']).toBe('no-store');
  expect(headers['content-security-policy']).toContain("default-src 'none'");
  expect(headers['content-security-policy']).toContain("trusted-types 'none'");
  const loaded = [...html.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)].map(([, name]) => name);
  expect(loaded).toHaveLength(2);
  for (const name of loaded) {
    const file = await get(`/ui/${name}`);
    expect(file.status, name).toBe(200);
    expect(file.headers['cache-control'], name).toContain('immutable');
  }
});

test.each(['/ui/../../package.json', '/ui/%2e%2e/package.json', '/ui//etc/passwd', '/ui/main.js'])(
  '%s leads nowhere',
  async (path) => {
    const answer = await get(path);
    expect(answer.status).toBe(404);
    expect(answer.headers['content-security-policy']).toBeDefined();
  },
);

test('nothing can be sent to it, and without a build it says what to do', async () => {
  const posted = await get('/ui/', 'POST');
  expect([posted.status, posted.headers.allow]).toEqual([405, 'GET, HEAD']);
  expect((await get('/ui')).headers.location).toBe('ui/');
  const missing = await get('/ui/', 'GET', new Page(join(folder, 'missing')));
  expect(missing.body.toString()).toContain('npm run build');
});
