import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { connect } from 'node:net';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { createRegistry } from '../metrics/registry.ts';
import { createCapturingLogger } from '../testing/capturing-logger.ts';
import { parseAddress } from './address.ts';
import { serveHealth, serveInspection, serveMetrics } from './endpoints.ts';
import { Health } from './health.ts';
import { HttpServer, respond } from './http-server.ts';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function listen(prepare: (server: HttpServer) => void) {
  const log = createCapturingLogger();
  const server = new HttpServer({ address: '127.0.0.1:0', name: 'test', logger: log.logger });
  prepare(server);
  const stopping = new AbortController();
  const abort = new AbortController();
  const ended = server.start({ stopping: stopping.signal, abort: abort.signal });
  await server.ready();
  open.push(async () => {
    stopping.abort();
    abort.abort();
    await ended;
  });
  const get = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, init);
    return { status: response.status, body: await response.text(), headers: response.headers };
  };
  return { server, log, get, stopping, abort, ended };
}

describe('routes', () => {
  test('are found exactly, or below a path that ends with a slash; the longest wins', async () => {
    const { get } = await listen((server) => {
      const say = (text: string) => server.route(text, (_request, response) => respond(response, 200, text));
      say('/exact');
      say('/below/');
      say('/below/deeper/');
    });
    expect((await get('/exact')).body).toBe('/exact');
    expect((await get('/exact?x=1')).body).toBe('/exact');
    expect((await get('/below/a/b')).body).toBe('/below/');
    expect((await get('/below/deeper/b')).body).toBe('/below/deeper/');
    expect((await get('/exact/more')).status).toBe(404);
    expect((await get('/')).status).toBe(404);
  });

  test('that are taken are refused', () => {
    const server = new HttpServer({ address: ':0' });
    server.route('/a', () => undefined);
    expect(() => server.route('/a', () => undefined)).toThrow(/"\/a".*is taken/);
  });

  test('a handler that fails answers 500 without its reason, and is logged', async () => {
    const { get, log } = await listen((server) => {
      server.route('/bad', async () => {
        throw new Error('password is hunter2');
      });
    });
    const { status, body } = await get('/bad');
    expect([status, body]).toEqual([500, 'internal error\n']);
    expect(log.entries.find(({ level }) => level === 'error')?.values).toMatchObject({ path: '/bad' });
    expect((await get('/bad')).status).toBe(500);
  });

  test('a handler that fails in the middle of its answer cuts the connection', async () => {
    const { get } = await listen((server) => {
      server.route('/half', (_request, response) => {
        response.writeHead(200, { 'content-length': 100 });
        response.write('half');
        throw new Error('oops');
      });
    });
    await expect(get('/half')).rejects.toThrow();
  });
});

describe('life', () => {
  test('an address that is taken is an error that says which', async () => {
    const { server } = await listen(() => undefined);
    const second = new HttpServer({ address: `127.0.0.1:${server.port}` });
    const { signal } = new AbortController();
    await expect(second.start({ stopping: signal, abort: signal })).rejects.toThrow(
      `Cannot listen on 127.0.0.1:${server.port}`,
    );
  });

  test('a stop lets an answer finish, and idle connections do not hold it up', async () => {
    let finish: () => void = () => undefined;
    const { get, stopping, ended, server } = await listen((each) => {
      each.route('/slow', async (_request, response) => {
        await new Promise<void>((resolve) => {
          finish = resolve;
          stopping.abort();
        });
        respond(response, 200, 'done');
      });
    });
    const idle = connect(server.port, '127.0.0.1');
    await new Promise((resolve) => idle.once('connect', resolve));
    const closed = new Promise((resolve) => idle.once('close', resolve));
    const answer = get('/slow', { headers: { connection: 'close' } });
    await closed;
    finish();
    expect((await answer).body).toBe('done');
    await ended;
  });

  test('abort cuts what still runs', async () => {
    let began: () => void = () => undefined;
    const beginning = new Promise<void>((resolve) => {
      began = resolve;
    });
    const { get, stopping, abort, ended } = await listen((server) => {
      server.route('/never', () => {
        began();
      });
    });
    const answer = get('/never');
    answer.catch(() => undefined);
    await beginning;
    stopping.abort();
    abort.abort();
    await ended;
    await expect(answer).rejects.toThrow();
  });
});

describe('endpoints', () => {
  test('of health answer with and without verbose', async () => {
    const health = new Health();
    health.addReadiness('caches', () => {
      throw new Error('not in sync');
    });
    const { get } = await listen((server) => serveHealth(server, health));
    expect((await get('/healthz')).body).toBe('ok\n');
    expect((await get('/livez?verbose')).body).toContain('[+]ping ok');
    expect((await get('/readyz')).status).toBe(500);
    expect((await get('/readyz/ping')).status).toBe(200);
    expect((await get('/readyz?exclude=caches')).status).toBe(200);
    const posted = await get('/readyz', { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect((await get('/healthz')).headers.get('cache-control')).toBe('no-store');
  });

  test('of metrics are in the text format', async () => {
    const metrics = createRegistry();
    metrics.counter({ name: 'reloads_total', help: 'Reloads' }).inc();
    const { get } = await listen((server) => serveMetrics(server, metrics));
    const { status, body, headers } = await get('/metrics');
    expect(status).toBe(200);
    expect(body).toContain('reloads_total 1\n');
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const deleted = await get('/metrics', { method: 'DELETE' });
    expect([deleted.status, deleted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  test('of metrics are rendered once for concurrent requests, and again for later ones', async () => {
    const metrics = createRegistry();
    let rendered = 0;
    const counting = { ...metrics, render: () => `rendered_total ${++rendered}\n` };
    const { get } = await listen((server) => serveMetrics(server, counting));
    const crowd = await Promise.all(Array.from({ length: 30 }, () => get('/metrics')));
    expect(crowd.map(({ status }) => status)).toEqual(crowd.map(() => 200));
    expect(rendered).toBeLessThan(30);
    const before = rendered;
    expect((await get('/metrics')).body).toBe(`rendered_total ${before + 1}\n`);
    expect((await get('/metrics')).body).toBe(`rendered_total ${before + 2}\n`);
  });

  test('of inspection report the queues of each controller to authorized callers', async () => {
    const controller = { name: 'widget', inspect: () => [{ key: 'ns/a', state: 'waiting' }] };
    const { get } = await listen((server) => {
      serveInspection(server, [controller]);
      serveInspection(server, [controller], { path: '/private', authorize: async () => 'forbidden' });
    });
    const { body, headers } = await get('/debug/queues');
    expect(JSON.parse(body)).toEqual({ widget: [{ key: 'ns/a', state: 'waiting' }] });
    expect(headers.get('content-type')).toBe('application/json');
    expect((await get('/private')).status).toBe(403);
  });

  test('of metrics authorize their callers', async () => {
    const seen: unknown[] = [];
    const { get } = await listen((server) =>
      serveMetrics(server, createRegistry(), {
        path: '/protected',
        authorize: async (request) => {
          seen.push(request);
          return request.token === 'good' ? 'allowed' : request.token ? 'forbidden' : 'unauthenticated';
        },
      }),
    );
    const withToken = (authorization: string) => get('/protected', { headers: { authorization } });
    expect((await get('/protected')).status).toBe(401);
    expect((await withToken('Basic abc')).status).toBe(401);
    expect((await withToken('Bearer bad')).status).toBe(403);
    expect((await withToken('bearer good')).status).toBe(200);
    expect(seen.at(-1)).toEqual({ token: 'good', path: '/protected', verb: 'get' });
  });
});

describe('addresses', () => {
  test.each([
    [':9090', undefined, 9090],
    ['9090', undefined, 9090],
    ['127.0.0.1:0', '127.0.0.1', 0],
    ['localhost:65535', 'localhost', 65_535],
    ['[::1]:8081', '::1', 8081],
  ])('%s is host %s and port %i', (text, host, port) => {
    expect(parseAddress(text)).toEqual({ host, port });
  });

  test.each(['', ':', 'localhost', 'a:b', ':65536', '::1:80', ':-1'])('%j is refused', (text) => {
    expect(() => parseAddress(text)).toThrow(/Cannot listen on/);
  });
});

test('a client that pipelines requests is disconnected', async () => {
  let answers = 0;
  const { server, get } = await listen((each) => {
    each.route('/slow', (_request, response) => {
      answers += 1;
      respond(response, 200, 'x');
    });
  });
  const socket = connect(server.port, '127.0.0.1');
  socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(100));
  await new Promise((resolve) => socket.resume().once('close', resolve));
  expect(answers).toBeLessThanOrEqual(1);
  expect((await get('/slow')).status).toBe(200);
});

test('of thousands of requests in one packet only the first few are parsed', async () => {
  const { server } = await listen((each) => each.route('/', () => undefined));
  let met = 0;
  const onRequest = (): void => {
    met += 1;
  };
  subscribe('http.server.request.start', onRequest);
  onTestFinished(() => void unsubscribe('http.server.request.start', onRequest));
  const socket = connect(server.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2_300));
  await new Promise((resolve) => socket.resume().once('close', resolve));
  expect(met).toBeGreaterThan(0);
  expect(met).toBeLessThan(10);
});

test('headers of more than 8 KiB are refused', async () => {
  const { get } = await listen((each) =>
    each.route('/a', (_request, response) => respond(response, 200, 'x')),
  );
  expect((await get('/a', { headers: { long: 'x'.repeat(7_000) } })).status).toBe(200);
  expect((await get('/a', { headers: { long: 'x'.repeat(9_000) } })).status).toBe(431);
});
