import { request } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type DoorOptions, openDoor } from './door.ts';

const KEY = 'the-key-of-this-session';

async function visit(more: Partial<DoorOptions> = {}) {
  const passed: { path: string; headers: Readonly<Record<string, string>> }[] = [];
  const acted: unknown[] = [];
  const door = await openDoor({
    port: 0,
    key: KEY,
    open: async (path, headers) => {
      passed.push({ path, headers });
      const body = (async function* () {
        yield Buffer.from('{"from":"the operator"}');
      })();
      return {
        status: 200,
        headers: { 'content-type': 'application/json', etag: 'W/"1"', 'x-other': 'no' },
        body,
      };
    },
    me: async () => ({ user: 'ann', may: ['freeze'] }),
    act: async (name, body) => {
      acted.push([name, body]);
      return { status: 200, body: { done: name } };
    },
    ...more,
  });
  onTestFinished(() => door.close());
  const { port, host } = new URL(door.address);
  interface Sent {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly keyless?: boolean;
  }
  const send = (path: string, { method = 'GET', headers = {}, body, keyless = false }: Sent = {}) =>
    new Promise<{ status: number; body: string; headers: Record<string, unknown> }>((resolve, reject) => {
      const key = keyless ? {} : { 'x-reloader-key': KEY };
      request(
        { host: '127.0.0.1', port, path, method, headers: { ...key, ...headers }, agent: false },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
          });
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers }),
          );
        },
      )
        .on('error', reject)
        .end(body);
    });
  return { address: door.address, host, send, passed, acted };
}

const JSON_TYPE = { 'content-type': 'application/json' };

describe('the door', () => {
  test('forwards reads to the operator, with the relevant headers and no others', async () => {
    const { send, passed } = await visit();
    const answer = await send('/api/v1/workloads?limit=1', {
      headers: { 'last-event-id': 'e:1', cookie: 'a=b', authorization: 'Bearer secret' },
    });
    expect(answer).toMatchObject({
      status: 200,
      body: '{"from":"the operator"}',
      headers: { etag: 'W/"1"' },
    });
    expect(answer.headers).not.toHaveProperty('x-other');
    expect(passed).toEqual([{ path: '/api/v1/workloads?limit=1', headers: { 'last-event-id': 'e:1' } }]);
  });

  test('the address carries the key in its fragment, where no server sees it', async () => {
    const { address } = await visit({ key: 'k' });
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/ui\/#\/now\?key=k$/);
  });

  test('a new key has 128 bits', async () => {
    const { address } = await visit({ key: undefined as never });
    expect(Buffer.from(address.split('key=')[1] ?? '', 'base64url')).toHaveLength(16);
  });

  test.each(['/api/v1/status', '/api/v1/me', '/api/v1/stream'])(
    '%s is told to nobody without the key',
    async (path) => {
      const { send, passed } = await visit();
      expect((await send(path, { keyless: true })).status).toBe(401);
      expect((await send(path, { headers: { 'x-reloader-key': `${KEY}x` } })).status).toBe(401);
      expect(passed).toEqual([]);
    },
  );

  test.each([
    [{ host: 'evil.example' }, 421],
    [{ host: '127.0.0.1' }, 421],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'same-site' }, 403],
    [{ origin: 'https://evil.example' }, 403],
    [{ origin: 'null' }, 403],
  ])('with %j it is refused, whatever is asked for', async (headers, status) => {
    const { send, passed, acted } = await visit();
    for (const path of ['/ui/', '/api/v1/status'])
      expect((await send(path, { headers })).status).toBe(status);
    const sent = { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body: '{}' };
    expect((await send('/api/v1/actions/freeze', sent)).status).toBe(status);
    expect([...passed, ...acted]).toEqual([]);
  });

  test('a link on another site opens the page, and nothing else', async () => {
    const { send, passed } = await visit();
    const headers = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    expect((await send('/ui/', { headers })).status).not.toBe(403);
    expect((await send('/ui/', { headers: { ...headers, 'sec-fetch-dest': 'iframe' } })).status).toBe(403);
    expect((await send('/api/v1/status', { headers })).status).toBe(403);
    expect(passed).toEqual([]);
  });

  test('every answer carries the policy of the page, and none lets another site read it', async () => {
    const { send } = await visit();
    for (const path of ['/ui/', '/api/v1/me', '/elsewhere']) {
      const { headers } = await send(path);
      expect(headers['content-security-policy'], path).toContain("default-src 'none'");
      expect(headers, path).not.toHaveProperty('access-control-allow-origin');
      expect(headers, path).not.toHaveProperty('set-cookie');
    }
  });

  test('says why, while the operator cannot be reached', async () => {
    const { send } = await visit({ open: () => Promise.reject(new Error('no pod runs')) });
    expect(await send('/api/v1/status')).toMatchObject({
      status: 502,
      body: expect.stringContaining('no pod runs'),
    });
  });
});

describe('actions', () => {
  const act = (more: object = {}) => ({ method: 'POST', headers: JSON_TYPE, body: '{"target":1}', ...more });

  test('are forwarded as they were sent', async () => {
    const { send, acted, host } = await visit();
    const headers = { ...JSON_TYPE, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' };
    expect((await send('/api/v1/actions/freeze', act({ headers }))).body).toBe('{"done":"freeze"}\n');
    expect(acted).toEqual([['freeze', { target: 1 }]]);
  });

  test.each([
    ['without the key', { keyless: true }, 401],
    ['by GET', { method: 'GET', body: undefined }, 405],
    ['as a form', { headers: { 'content-type': 'text/plain' } }, 415],
    ['as no JSON', { body: '{' }, 400],
    ['longer than 4 KB', { body: JSON.stringify('x'.repeat(5000)) }, 400],
  ])('%s are refused', async (_, more, status) => {
    const { send, acted } = await visit();
    const answer = await send('/api/v1/actions/freeze', act(more));
    expect(answer.status).toBe(status);
    expect(answer.headers.allow).toBe(status === 405 ? 'POST' : undefined);
    expect(acted).toEqual([]);
  });

  test('are rate limited', async () => {
    const { send } = await visit();
    const statuses: number[] = [];
    for (let count = 0; count < 31; count++)
      statuses.push((await send('/api/v1/actions/freeze', act())).status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(30);
    expect(statuses.at(-1)).toBe(429);
  });
});
