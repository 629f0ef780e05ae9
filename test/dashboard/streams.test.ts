/**
 * Streams over real connections: compressed lists, answers that are not sent again if unchanged, and a shutdown without
 * delay.
 */
import { type IncomingHttpHeaders, request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { useStage } from './stage.ts';

const stage = useStage(async (it) => {
  await it.secret('key', 'one');
  for (let at = 0; at < 40; at++) await it.app(`app-${String(at).padStart(2, '0')}`, { secrets: ['key'] });
});

interface Got {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: number;
}

function get(path: string, headers: Readonly<Record<string, string>>): Promise<Got> {
  return new Promise((resolve, reject) => {
    request({ port: stage().port, host: '127.0.0.1', path, headers, agent: false }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, bytes }));
    })
      .on('error', reject)
      .end();
  });
}

/** Resolves when the first bytes have arrived. */
interface Stream {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly ended: Promise<void>;
}

function openStream(): Promise<Stream> {
  return new Promise((resolve, reject) => {
    request({ port: stage().port, host: '127.0.0.1', path: '/api/v1/stream', agent: false }, (response) => {
      const ended = new Promise<void>((done) => response.once('close', () => done()));
      response.once('data', () => resolve({ status: response.statusCode, headers: response.headers, ended }));
      response.resume();
      response.on('error', () => undefined);
    })
      .on('error', reject)
      .end();
  });
}

describe('lists', () => {
  test('are compressed for those who can read that', async () => {
    const plain = await get('/api/v1/workloads', {});
    const zipped = await get('/api/v1/workloads', { 'accept-encoding': 'gzip' });
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(zipped.bytes).toBeLessThan(plain.bytes / 5);
    const refused = await get('/api/v1/workloads', { 'accept-encoding': 'identity, gzip;q=0' });
    expect(refused.headers['content-encoding']).toBeUndefined();
  });

  test('are not sent again to those who have them', async () => {
    const first = await get('/api/v1/workloads?limit=3', {});
    const again = { 'if-none-match': String(first.headers.etag) };
    expect(await get('/api/v1/workloads?limit=3', again)).toMatchObject({ status: 304, bytes: 0 });
    await stage().app('one-more', { secrets: ['key'] });
    await expect.poll(async () => (await get('/api/v1/workloads?limit=3', again)).status).toBe(200);
  });

  test('come in pages that are complete together', async () => {
    const names: string[] = [];
    for (let next: string | undefined = ''; next !== undefined; ) {
      const page = (await stage().answers(`workloads?limit=7${next && `&continue=${next}`}`)) as {
        items: { workload: { name: string } }[];
        continue?: string;
      };
      names.push(...page.items.map(({ workload }) => workload.name));
      next = page.continue;
    }
    expect(names).toHaveLength(41);
    expect(new Set(names).size).toBe(41);
  });
});

test('32 streams, not one more; and the end of the operator waits for none of them', {
  timeout: 60_000,
}, async () => {
  const streams = await Promise.all(Array.from({ length: 32 }, openStream));
  expect(streams.map(({ status }) => status)).toEqual(Array(32).fill(200));
  // Neither proxies nor browsers keep what is sent.
  expect(streams[0]?.headers).toMatchObject({ 'x-accel-buffering': 'no', 'cache-control': 'no-store' });
  expect(streams[0]?.headers['content-security-policy']).toContain("default-src 'none'");
  expect((await get('/api/v1/stream', {})).status).toBe(503);
  const began = performance.now();
  await stage().stopOperator();
  await Promise.all(streams.map(({ ended }) => ended));
  // Its timeout for open connections is 30 s.
  expect(performance.now() - began).toBeLessThan(2_000);
});
