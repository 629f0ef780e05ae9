import { HttpServer } from '@reloader/runtime';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { WorkloadRef } from '../reloader/model/workload.ts';
import type { Insight } from './insight.ts';
import { answer, serveApi } from './routes.ts';

const never = new AbortController().signal;
const asked: string[] = [];
const insight = {
  status: () => ({ version: '1' }),
  workloads: (namespace?: string) => [namespace ?? 'all'],
  history: (namespace?: string) => [namespace ?? 'all'],
  explain: async ({ kind, namespace, name }: WorkloadRef) => {
    asked.push(`${kind} ${namespace}/${name}`);
    return name === 'web' ? { summary: 'known' } : undefined;
  },
  whatIf: async (ref: unknown, options: unknown) => ({ ref, options }),
} as unknown as Insight;

const get = (path: string) => {
  const [route = '', query = ''] = path.split('?');
  return answer(insight, route, new URLSearchParams(query), never);
};

describe('/api/v1', () => {
  test.each([
    ['/api/v1/status', { version: '1' }],
    ['/api/v1/workloads', { workloads: ['all'] }],
    ['/api/v1/workloads?namespace=shop', { workloads: ['shop'] }],
    ['/api/v1/history?namespace=shop', { reloads: ['shop'] }],
    ['/api/v1/workloads/deployment/shop/web', { summary: 'known' }],
    [
      '/api/v1/what-if?kind=secret&ns=shop&name=a&key=x&key=y&deleted=true',
      { ref: { kind: 'Secret', namespace: 'shop', name: 'a' }, options: { deleted: true, keys: ['x', 'y'] } },
    ],
  ])('%s', async (path, body) => {
    expect(await get(path)).toEqual({ status: 200, body });
  });

  test.each([
    ['/api/v1/', 404],
    ['/api/v1/secrets', 404],
    ['/api/v1/status/more', 404],
    ['/api/v1/workloads/deployment/shop', 404],
    ['/api/v1/workloads/deployment/shop/web/more', 404],
    ['/api/v1/workloads/service/shop/web', 404],
    ['/api/v1/workloads/deployment/shop/other', 404],
    ['/api/v1/workloads/%zz', 400],
    ['/api/v1/what-if', 400],
    ['/api/v1/what-if?kind=pod&ns=a&name=b', 400],
  ])('%s is refused with %d and a reason', async (path, status) => {
    const answered = await get(path);
    expect(answered.status).toBe(status);
    expect(answered.body).toHaveProperty('error');
  });

  test('names are decoded', async () => {
    await get('/api/v1/workloads/Deployment/shop/a%2Eb');
    expect(asked.at(-1)).toBe('Deployment shop/a.b');
  });

  async function serving(given: Insight): Promise<string> {
    const server = new HttpServer({ address: '127.0.0.1:0' });
    serveApi(server, given);
    const stop = new AbortController();
    const ended = server.start({ stopping: stop.signal, abort: stop.signal });
    onTestFinished(async () => {
      stop.abort();
      await ended;
    });
    await server.ready();
    return `http://127.0.0.1:${server.port}/api/v1`;
  }

  test('is read-only, JSON, and for no other site', async () => {
    const url = `${await serving(insight)}/status`;
    const read = await fetch(url);
    expect(read.status).toBe(200);
    expect(read.headers.get('content-type')).toBe('application/json');
    expect(read.headers.get('access-control-allow-origin')).toBeNull();
    expect(await read.json()).toEqual({ version: '1' });
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(405);
  });

  test('refuses more questions than it can answer at once, and answers again afterwards', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let waiting = 0;
    const slow = {
      ...insight,
      whatIf: async () => {
        waiting += 1;
        await held;
        return {};
      },
    } as unknown as Insight;
    const base = await serving(slow);
    const url = `${base}/what-if?kind=secret&ns=a&name=b`;
    const asking = Array.from({ length: 8 }, () => fetch(url));
    await expect.poll(() => waiting).toBe(8);
    expect((await fetch(`${base}/status`)).status).toBe(429);
    release();
    const answers = await Promise.all(asking);
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect((await fetch(`${base}/status`)).status).toBe(200);
  });
});
