import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { createRegistry } from '../metrics/index.ts';
import { createCapturingLogger, metricValue } from '../testing/index.ts';
import type { Credentials } from './auth/credentials.ts';
import { createClient, DEFAULT_USER_AGENT } from './create-client.ts';
import {
  ConflictError,
  ConnectionError,
  RequestTimeoutError,
  TooManyRequestsError,
  UnauthorizedError,
} from './errors.ts';
import { ConfigMap, Secret } from './kinds.ts';
import { type Handler, memoryTransport, never } from './memory-transport.test.support.ts';
import type { Transport } from './transport.ts';

const key = { namespace: 'a', name: 'x' };
const configMap = {
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { ...key, uid: 'u', resourceVersion: '1' },
};
const ok = { body: configMap };
const status = (code: number, reason: string, more: object = {}): { status: number; body: object } => ({
  status: code,
  body: { kind: 'Status', code, reason, message: reason, ...more },
});
const busy = { ...status(429, 'TooManyRequests'), headers: { 'retry-after': '5' } };

describe('a 401', () => {
  function rotating(tokens: string[]): Credentials & { renewals: number } {
    return {
      renewals: 0,
      current: async () => ({ authorization: `Bearer ${tokens[0]}` }),
      async renew() {
        this.renewals++;
        tokens.shift();
        return tokens[0] === undefined ? undefined : { authorization: `Bearer ${tokens[0]}` };
      },
    };
  }
  const accepting =
    (token: string): Handler =>
    (request) =>
      request.headers.authorization === `Bearer ${token}` ? ok : status(401, 'Unauthorized');

  it('renews the credentials once and sends the request again', async () => {
    const transport = memoryTransport(accepting('new'));
    const credentials = rotating(['old', 'new']);
    await createClient({ transport, credentials }).get(ConfigMap, key);
    expect(transport.requests.map((request) => request.headers.authorization)).toEqual([
      'Bearer old',
      'Bearer new',
    ]);
  });

  it('is read to its end before the second attempt, so that the connection can be used again', async () => {
    const order: string[] = [];
    const transport = memoryTransport((_, index) => {
      order.push(`request ${index}`);
      return index > 0
        ? ok
        : {
            status: 401,
            body: (async function* () {
              yield Buffer.from('{}');
              order.push('read');
            })(),
          };
    });
    await createClient({ transport, credentials: rotating(['old', 'new']) }).get(ConfigMap, key);
    expect(order).toEqual(['request 0', 'read', 'request 1']);
  });

  it('is the outcome when the renewed credentials are not accepted either', async () => {
    const transport = memoryTransport(accepting('other'));
    const credentials = rotating(['old', 'new', 'newer']);
    const request = createClient({ transport, credentials }).get(ConfigMap, key);
    await expect(request).rejects.toThrow(UnauthorizedError);
    expect(credentials.renewals).toBe(1);
    expect(transport.requests).toHaveLength(2);
  });

  it('is the outcome at once when there is nothing else to offer', async () => {
    const transport = memoryTransport(accepting('other'));
    const request = createClient({ transport, credentials: rotating(['old']) }).get(ConfigMap, key);
    await expect(request).rejects.toThrow(UnauthorizedError);
    expect(transport.requests).toHaveLength(1);
  });

  it('sends values of repeated headers apart from the others', async () => {
    const transport = memoryTransport([ok]);
    const credentials: Credentials = {
      current: async () => ({ authorization: 'x', 'impersonate-group': ['a', 'b'] }),
      renew: async () => undefined,
    };
    await createClient({ transport, credentials }).get(ConfigMap, key);
    expect(transport.last.headers.authorization).toBe('x');
    expect(transport.last.repeatedHeaders).toEqual({ 'impersonate-group': ['a', 'b'] });
  });
});

describe('a request that is refused for now', () => {
  it('is sent again no earlier than Retry-After asks', async () => {
    const clock = new VirtualClock();
    const transport = memoryTransport([busy, ok]);
    const request = createClient({ transport, clock, random: () => 0 }).create(ConfigMap, { metadata: key });
    await clock.advance(4_999);
    expect(transport.requests).toHaveLength(1);
    await clock.advance(1);
    expect(transport.requests).toHaveLength(2);
    await request;
  });

  it('is given up with the last error when the wait would outlast the timeout', async () => {
    const clock = new VirtualClock();
    const transport = memoryTransport([busy]);
    const request = createClient({ transport, clock, random: () => 0 }).get(ConfigMap, key, {
      timeoutMs: 8_000,
    });
    const failed = expect(request).rejects.toThrow(TooManyRequestsError);
    await clock.advance(5_000);
    await failed;
    expect(transport.requests).toHaveLength(2);
    expect(clock.pendingTimers).toBe(0);
  });

  it('stops waiting when its signal aborts', async () => {
    const clock = new VirtualClock();
    const controller = new AbortController();
    const client = createClient({ transport: memoryTransport([busy]), clock });
    const request = expect(client.get(ConfigMap, key, { signal: controller.signal })).rejects.toThrow(
      'enough',
    );
    await clock.settle();
    controller.abort(new Error('enough'));
    await request;
    expect(clock.pendingTimers).toBe(0);
  });

  it('is sent once with retry false, and as often as the policy says otherwise', async () => {
    const clock = new VirtualClock();
    const lost = memoryTransport([new ConnectionError('lost')]);
    await expect(createClient({ transport: lost, clock, retry: false }).get(ConfigMap, key)).rejects.toThrow(
      'lost',
    );
    expect(lost.requests).toHaveLength(1);
    const request = createClient({ transport: lost, clock, retry: { maxAttempts: 3 } }).get(ConfigMap, key);
    const failed = expect(request).rejects.toThrow('lost');
    await clock.advance(10_000);
    await failed;
    expect(lost.requests).toHaveLength(4);
  });

  it('is not sent again after the client was closed', async () => {
    const clock = new VirtualClock();
    const transport = memoryTransport([new ConnectionError('closed')]);
    const client = createClient({ transport, clock });
    await client.close();
    await expect(client.get(ConfigMap, key)).rejects.toThrow('closed');
    expect(transport.requests).toHaveLength(1);
    expect(transport.closed).toBe(true);
  });

  it('tells the log at debug level', async () => {
    const clock = new VirtualClock();
    const { logger, messages } = createCapturingLogger();
    const client = createClient({ transport: memoryTransport([busy, ok]), clock, logger });
    const request = client.get(ConfigMap, key);
    await clock.advance(10_000);
    await request;
    expect(messages('debug')).toEqual(['Request failed, trying again']);
  });
});

describe('the timeout', () => {
  it('ends a request that gets no answer after 30 s', async () => {
    const clock = new VirtualClock();
    const request = createClient({ transport: memoryTransport(never), clock }).get(ConfigMap, key);
    const failed = expect(request).rejects.toThrow(RequestTimeoutError);
    await clock.advance(29_999);
    expect(clock.pendingTimers).toBe(1);
    await clock.advance(1);
    await failed;
    await expect(request).rejects.toThrow(/^get configmaps "a\/x": no complete answer within 30 s/);
  });

  it('covers the body too', async () => {
    const clock = new VirtualClock();
    const transport = memoryTransport(({ signal }) => ({
      body: (async function* () {
        yield Buffer.from('{"items":[');
        await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('cut'))));
      })(),
    }));
    const request = createClient({ transport, clock, timeoutMs: 5_000 }).list(ConfigMap);
    const failed = expect(request).rejects.toThrow(RequestTimeoutError);
    await clock.advance(5_000);
    await failed;
  });

  it('can be set per call, and leaves no timer behind', async () => {
    const clock = new VirtualClock();
    const client = createClient({ transport: memoryTransport(never), clock });
    const failed = expect(client.delete(ConfigMap, key, { timeoutMs: 1_000 })).rejects.toThrow(/within 1 s/);
    await clock.advance(1_000);
    await failed;
    expect(clock.pendingTimers).toBe(0);
  });

  it('does not exist for watches', async () => {
    const clock = new VirtualClock();
    const controller = new AbortController();
    const client = createClient({ transport: memoryTransport(never), clock });
    const watch = expect(client.watch(ConfigMap, { signal: controller.signal })).rejects.toThrow('enough');
    await clock.advance(3_600_000);
    expect(clock.pendingTimers).toBe(0);
    controller.abort(new Error('enough'));
    await watch;
  });

  it('of a raw request ends with the head, the signal with the body', async () => {
    const clock = new VirtualClock();
    const controller = new AbortController();
    const transport = memoryTransport(({ signal }) => ({
      body: (async function* () {
        yield Buffer.from('line');
        await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
      })(),
    }));
    const client = createClient({ transport, clock });
    const response = await client.raw({
      method: 'GET',
      path: '/logs',
      headers: {},
      signal: controller.signal,
    });
    const reader = response.body[Symbol.asyncIterator]();
    await reader.next();
    const waiting = expect(reader.next()).rejects.toThrow('enough');
    await clock.advance(60_000);
    controller.abort(new Error('enough'));
    await waiting;
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('an aborted watch', () => {
  it('rejects with the reason of the abort, whatever the transport made of it', async () => {
    const controller = new AbortController();
    const transport: Transport = {
      request: ({ signal }) =>
        new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('cut')))),
      close: async () => {},
    };
    const watch = createClient({ transport }).watch(ConfigMap, { signal: controller.signal });
    const failed = expect(watch).rejects.toThrow('enough');
    await new VirtualClock().settle();
    controller.abort(new Error('enough'));
    await failed;
  });
});

describe('interceptors', () => {
  it('see every attempt, the first one outermost, with credentials on it', async () => {
    const clock = new VirtualClock();
    const order: string[] = [];
    const credentials: Credentials = {
      current: async () => ({ authorization: 'x' }),
      renew: async () => undefined,
    };
    const client = createClient({
      transport: memoryTransport([new ConnectionError('lost', { notSent: true }), ok]),
      clock,
      credentials,
      interceptors: [
        (request, next) => {
          order.push(`outer ${request.verb} ${request.headers.authorization}`);
          return next(request);
        },
        (request, next) => {
          order.push(`inner ${request.type?.kind}`);
          return next(request);
        },
      ],
    });
    const request = client.create(ConfigMap, { metadata: key });
    await clock.advance(1_000);
    await request;
    expect(order).toEqual(['outer create x', 'inner ConfigMap', 'outer create x', 'inner ConfigMap']);
  });

  it('may refuse, and nothing is sent', async () => {
    const transport = memoryTransport([ok]);
    const client = createClient({
      transport,
      interceptors: [() => Promise.reject(new Error('not the leader'))],
    });
    await expect(client.create(ConfigMap, { metadata: key })).rejects.toThrow('not the leader');
    expect(transport.requests).toHaveLength(0);
  });

  it('may answer by themselves', async () => {
    const client = createClient({
      transport: memoryTransport([new Error('never asked')]),
      interceptors: [
        async () => ({
          status: 409,
          headers: {},
          body: (async function* () {
            yield Buffer.from('{"kind":"Status","reason":"Conflict","code":409}');
          })(),
        }),
      ],
    });
    await expect(client.get(ConfigMap, key)).rejects.toThrow(ConflictError);
  });
});

describe('metrics', () => {
  it('count attempts by code, method and host, and time them', async () => {
    const clock = new VirtualClock();
    const metrics = createRegistry();
    const transport = memoryTransport([busy, new ConnectionError('lost'), ok]);
    const request = createClient({ transport, clock, metrics }).get(ConfigMap, key);
    await clock.advance(20_000);
    await request;
    const host = 'in-process';
    for (const code of ['429', '<error>', '200']) {
      expect(metricValue(metrics, 'rest_client_requests_total', { code, method: 'GET', host })).toBe(1);
    }
    expect(metricValue(metrics, 'rest_client_request_duration_seconds_count', { verb: 'GET', host })).toBe(3);
  });
});

describe('warnings of the server', () => {
  it('are logged once each', async () => {
    const { logger, messages } = createCapturingLogger();
    const warning = '299 - "unknown field \\"spec.x\\"", 299 kube "v1beta1 is deprecated, use v1"';
    const transport = memoryTransport([{ ...ok, headers: { warning } }]);
    const client = createClient({ transport, logger });
    await client.get(ConfigMap, key);
    await client.get(ConfigMap, key);
    expect(messages('warn')).toEqual([
      'The API server warns: unknown field "spec.x"',
      'The API server warns: v1beta1 is deprecated, use v1',
    ]);
  });

  it('of other codes are passed over', async () => {
    const { logger, messages } = createCapturingLogger();
    const transport = memoryTransport([{ ...ok, headers: { warning: '199 - "miscellaneous"' } }]);
    await createClient({ transport, logger }).get(ConfigMap, key);
    expect(messages('warn')).toEqual([]);
  });
});

describe('a watch', () => {
  it('logs event types that it does not know and goes on', async () => {
    const { logger, messages } = createCapturingLogger();
    const body =
      '{"type":"NEW","object":{}}\n{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"1"}}}\n';
    const events: unknown[] = [];
    const watch = await createClient({ transport: memoryTransport([{ body }]), logger }).watch(Secret);
    for await (const event of watch) events.push(event);
    expect(events).toHaveLength(1);
    expect(messages('error')).toEqual(['Skipped a watch event of an unknown type']);
  });
});

describe('the user agent', () => {
  it('is this package and its version by default', () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(DEFAULT_USER_AGENT).toBe(`reloader-runtime/${version}`);
  });
});

describe('a signal that is used for many requests', () => {
  it('keeps no listeners', async () => {
    const controller = new AbortController();
    const add = vi.spyOn(controller.signal, 'addEventListener');
    const remove = vi.spyOn(controller.signal, 'removeEventListener');
    const client = createClient({ transport: memoryTransport([ok]) });
    for (let index = 0; index < 10; index++) {
      await client.get(ConfigMap, key, { signal: controller.signal });
      const raw = await client.raw({ method: 'GET', path: '/', headers: {}, signal: controller.signal });
      for await (const _ of raw.body);
    }
    expect(add.mock.calls.length).toBeGreaterThan(0);
    expect(remove.mock.calls.length).toBeGreaterThanOrEqual(add.mock.calls.length);
  });
});
