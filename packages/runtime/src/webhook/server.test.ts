import { once } from 'node:events';
import { request as httpsRequest } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, connect as tcpConnect } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import { afterEach, expect, test, vi } from 'vitest';
import { createRegistry } from '../metrics/registry.ts';
import { createCapturingLogger } from '../testing/capturing-logger.ts';
import { metricValue } from '../testing/metric-value.ts';
import { type AdmissionHandler, allow, defaulter, deny } from './admission.ts';
import { type CertificateBundle, newBundle } from './certificate-bundle.ts';
import type { CertificateSource, ServingPair } from './certificate-source.ts';
import { createWebhookServer, type WebhookServerOptions } from './server.ts';

const policy = { names: ['web.team.svc'], authorityDays: 10, servingDays: 10 };
const [one, two] = [newBundle(policy, Date.now()), newBundle(policy, Date.now())];

const REVIEW = {
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: {
    uid: 'u-1',
    operation: 'CREATE',
    kind: { group: '', version: 'v1', kind: 'ConfigMap' },
    resource: { group: '', version: 'v1', resource: 'configmaps' },
    userInfo: {},
    object: { metadata: { name: 'x' } },
  },
};

interface Reply {
  readonly code: number;
  readonly body: string;
}

function ask(
  port: number,
  options: { path?: string; method?: string; body?: string; type?: string; trust?: CertificateBundle } = {},
) {
  const {
    path = '/validate',
    method = 'POST',
    body = JSON.stringify(REVIEW),
    type = 'application/json',
    trust = one,
  } = options;
  return new Promise<Reply>((resolve, reject) => {
    const headers = { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) };
    const sent = httpsRequest(
      {
        host: '127.0.0.1',
        port,
        servername: 'web.team.svc',
        ca: trust.caBundle,
        path,
        method,
        headers,
        agent: false,
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve({ code: response.statusCode ?? 0, body: text }));
        response.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function start(
  handlers: Record<string, AdmissionHandler>,
  options: Partial<WebhookServerOptions> = {},
) {
  const log = createCapturingLogger();
  const metrics = createRegistry();
  let change: (pair: ServingPair) => void = () => {};
  const certificates: CertificateSource = {
    name: 'test',
    first: async () => one,
    watch: (onChange, signal) => {
      change = onChange;
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
    },
  };
  const server = createWebhookServer({
    certificates,
    handlers,
    port: 0,
    host: '127.0.0.1',
    logger: log.logger,
    metrics,
    ...options,
  });
  const [stopping, abort] = [new AbortController(), new AbortController()];
  const running = server.start({ stopping: stopping.signal, abort: abort.signal });
  await Promise.race([server.ready(stopping.signal), running]);
  const stop = async (): Promise<void> => {
    stopping.abort();
    await running;
  };
  stops.push(async () => {
    abort.abort();
    await stop();
  });
  return {
    port: server.port ?? 0,
    server,
    log,
    metrics,
    change: (pair: ServingPair) => change(pair),
    stop,
    stopping,
    abort,
    running,
  };
}

const yes: AdmissionHandler = async () => allow();

test('a review is answered with the verdict of its handler', async () => {
  const { port } = await start({ '/validate': async ({ object }) => deny(`not ${object?.metadata?.name}`) });
  const { code, body } = await ask(port);
  expect(code).toBe(200);
  expect(JSON.parse(body)).toEqual({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: {
      uid: 'u-1',
      allowed: false,
      status: { status: 'Failure', message: 'not x', code: 403, reason: 'Forbidden' },
    },
  });
});

test('each path has its handler', async () => {
  const fill = defaulter((draft) => {
    draft.metadata = { ...draft.metadata, labels: { filled: 'yes' } };
  });
  const { port } = await start({ '/validate': yes, '/mutate': fill });
  const { body } = await ask(port, { path: '/mutate?timeout=5s' });
  const { patch } = JSON.parse(body).response;
  expect(JSON.parse(Buffer.from(patch, 'base64').toString())).toEqual([
    { op: 'add', path: '/metadata/labels', value: { filled: 'yes' } },
  ]);
});

test.each<[string, Parameters<typeof ask>[1], number]>([
  ['no JSON', { body: '{' }, 400],
  ['JSON of another kind', { body: '{"kind":"Pod"}' }, 400],
  ['an empty body', { body: '' }, 400],
  ['an unknown path', { path: '/other' }, 404],
  ['a path that is no URL', { path: '//' }, 404],
  ['another method', { method: 'PUT' }, 405],
  ['another type', { type: 'text/plain' }, 415],
  ['a body beyond the limit', { body: JSON.stringify({ ...REVIEW, padding: 'x'.repeat(2_000) }) }, 413],
  ['a health check', { path: '/healthz', method: 'GET', body: '' }, 200],
])('%s is answered and the next request is served', async (_, options, code) => {
  const { port } = await start({ '/validate': yes }, { bodyLimitBytes: 2_000 });
  expect((await ask(port, options)).code).toBe(code);
  expect((await ask(port)).code).toBe(200);
});

test('headers beyond 8 KiB are refused and the next request is served', async () => {
  const { port } = await start({ '/validate': yes });
  const options = { host: '127.0.0.1', port, servername: 'web.team.svc', ca: one.caBundle, agent: false };
  const outcome = await new Promise<string>((resolve) => {
    const headers = { 'X-Padding': 'x'.repeat(9_000) };
    const sent = httpsRequest({ ...options, path: '/validate', method: 'POST', headers }, (response) => {
      response.resume();
      resolve(String(response.statusCode));
    });
    // The server stops reading, so the connection may end before the answer arrives.
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    sent.end();
  });
  expect(['431', 'ECONNRESET', 'EPIPE']).toContain(outcome);
  expect((await ask(port)).code).toBe(200);
});

test('connections beyond the cap cost those who hold most of them, and the API server is answered', async () => {
  const { port } = await start({ '/validate': yes });
  const held = Array.from({ length: 300 }, () => tcpConnect(port, '127.0.0.1').on('error', () => undefined));
  let closed = 0;
  for (const socket of held) socket.once('close', () => (closed += 1));
  await Promise.all(held.map((socket) => once(socket, 'connect')));
  expect((await ask(port)).code).toBe(200);
  await vi.waitFor(() => expect(closed).toBeGreaterThanOrEqual(300 + 1 - 256));
  for (const socket of held) socket.destroy();
});

test('requests that do not wait for their answers are cut off', async () => {
  let asked = 0;
  let answer: () => void = () => undefined;
  const { port } = await start({
    '/validate': async () => {
      asked += 1;
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return allow();
    },
  });
  const body = JSON.stringify(REVIEW);
  const request = `POST /validate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const socket = tlsConnect({ host: '127.0.0.1', port, servername: 'web.team.svc', ca: one.caBundle });
  socket.on('error', () => undefined);
  socket.write(request.repeat(50));
  await new Promise((resolve) => socket.resume().once('close', resolve));
  expect(asked).toBe(1);
  const next = ask(port);
  await vi.waitFor(() => expect(asked).toBe(2));
  answer();
  expect((await next).code).toBe(200);
});

test('bodies that take too much together are refused, and room is made when one ends', async () => {
  const { port } = await start({ '/validate': yes }, { bodyLimitBytes: 2_000 });
  const headers = { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' };
  const to = { host: '127.0.0.1', port, servername: 'web.team.svc', ca: one.caBundle, agent: false };
  const open = () => {
    const sent = httpsRequest({ ...to, path: '/validate', method: 'POST', headers });
    const code = new Promise<number>((resolve, reject) => {
      sent.once('response', (response) => resolve(response.resume().statusCode ?? 0));
      sent.once('error', reject);
    });
    sent.write(' '.repeat(1_900));
    // The server closes the connection of the one that it refuses; on a busy machine that overtakes its answer.
    return { sent, code: code.catch(() => 503) };
  };
  const waiting = Array.from({ length: 5 }, open);
  // Which one exceeds the limit is not determined.
  expect(await Promise.race(waiting.map(({ code }) => code))).toBe(503);
  const left = waiting.map(({ sent, code }) => {
    sent.end(' ');
    return code;
  });
  expect((await Promise.all(left)).sort()).toEqual([400, 400, 400, 400, 503]);
  expect((await ask(port)).code).toBe(200);
});

test('a body without an announced length is cut off at the limit', async () => {
  const { port } = await start({ '/validate': yes }, { bodyLimitBytes: 1_000 });
  const code = await new Promise<number>((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' };
    const options = {
      host: '127.0.0.1',
      port,
      servername: 'web.team.svc',
      ca: one.caBundle,
      path: '/validate',
      agent: false,
    };
    const sent = httpsRequest({ ...options, method: 'POST', headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.write('x'.repeat(600));
    sent.write('x'.repeat(600));
  });
  expect(code).toBe(413);
});

test.each<[string, AdmissionHandler]>([
  [
    'throws',
    () => {
      throw new Error('secret detail');
    },
  ],
  ['rejects', async () => Promise.reject(new Error('secret detail'))],
])(
  'a handler that %s is answered 500 without its reason, which is logged and counted',
  async (_, handler) => {
    const { port, log, metrics } = await start({ '/validate': handler });
    const { code, body } = await ask(port);
    expect([code, body]).toEqual([500, 'The webhook failed\n']);
    expect(log.messages('error')).toEqual(['Could not answer an admission request']);
    const labels = { webhook: '/validate', code: '500' };
    await vi.waitFor(() =>
      expect(metricValue(metrics, 'controller_runtime_webhook_requests_total', labels)).toBe(1),
    );
    expect(
      metricValue(metrics, 'controller_runtime_webhook_requests_in_flight', { webhook: '/validate' }),
    ).toBe(0);
  },
);

test('a handler that takes longer than the API server waits is given up and told so', async () => {
  let reason: unknown;
  const { port } = await start({
    '/validate': (_, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          reason = signal.reason;
          resolve(allow());
        });
      }),
  });
  expect((await ask(port, { path: '/validate?timeout=20ms' })).code).toBe(500);
  expect(String(reason)).toContain('did not answer within 20 ms');
});

test('a new certificate serves the next connection', async () => {
  const { port, change } = await start({ '/validate': yes });
  expect((await ask(port)).code).toBe(200);
  change(two);
  expect((await ask(port, { trust: two })).code).toBe(200);
  await expect(ask(port, { trust: one })).rejects.toThrow();
});

test('a certificate that cannot be used is refused and the old one stays', async () => {
  const { port, change, log } = await start({ '/validate': yes });
  change({ cert: one.cert, key: two.key });
  expect(log.messages('error')).toEqual(['Cannot serve with the new certificate; keeping the old one']);
  expect((await ask(port)).code).toBe(200);
});

test('garbage instead of a handshake affects no other connection', async () => {
  const { port } = await start({ '/validate': yes });
  await new Promise<void>((resolve) => {
    const socket = tcpConnect(port, '127.0.0.1', () => socket.end('GET / HTTP/1.1\r\n\r\n'));
    socket.on('close', () => resolve());
    socket.on('error', () => {});
    socket.resume();
  });
  expect((await ask(port)).code).toBe(200);
});

/** A handler that reports its call and answers on demand. */
function slowHandler() {
  let asked: () => void = () => {};
  let answer: () => void = () => {};
  const inHand = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const handler: AdmissionHandler = () => {
    asked();
    return new Promise((resolve) => {
      answer = () => resolve(allow());
    });
  };
  return { handler, inHand, answer: () => answer() };
}

test('stopping lets a running request finish', async () => {
  const { handler, inHand, answer } = slowHandler();
  const { port, stop, server } = await start({ '/validate': handler });
  const reply = ask(port);
  await inHand;
  const stopped = stop();
  answer();
  expect((await reply).code).toBe(200);
  await stopped;
  expect(server.port).toBeUndefined();
});

test('an abort cuts a request that does not finish', async () => {
  const { handler, inHand } = slowHandler();
  const { port, stop, abort } = await start({ '/validate': handler });
  const reply = ask(port);
  reply.catch(() => {});
  await inHand;
  const stopped = stop();
  abort.abort();
  await stopped;
  await expect(reply).rejects.toThrow();
});

test('an abort also cuts a connection whose handshake does not end', async () => {
  const { port, stop, abort } = await start({ '/validate': yes });
  const socket = tcpConnect(port, '127.0.0.1');
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  await new Promise<void>((resolve) => socket.on('connect', () => resolve()));
  expect((await ask(port)).code).toBe(200);
  const stopped = stop();
  abort.abort();
  await stopped;
  await closed;
});

test('a port that is taken is an error', async () => {
  const taken = createTcpServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as AddressInfo;
  await expect(start({ '/validate': yes }, { port })).rejects.toThrow('EADDRINUSE');
  taken.close();
});

test('stopped before its first certificate, it ends without an error', async () => {
  const certificates: CertificateSource = {
    name: 'never',
    first: (signal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    watch: async () => {},
  };
  const server = createWebhookServer({ certificates, handlers: {} });
  const stopping = new AbortController();
  const running = server.start({ stopping: stopping.signal, abort: new AbortController().signal });
  stopping.abort();
  await expect(running).resolves.toBeUndefined();
});
