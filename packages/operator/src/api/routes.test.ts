import { silentLogger, TooManyReviewsError } from '@reloader/runtime';
import { createCapturingLogger } from '@reloader/runtime/testing';
import { describe, expect, test } from 'vitest';
import type { WorkloadRef } from '../reloader/model/workload.ts';
import type { Line } from './lines.ts';
import type { OperatorView } from './operator-view.ts';
import { LOCAL_READER, type Reader, tokenReader } from './reader.ts';
import { createApi } from './routes.ts';

const never = new AbortController().signal;
const asked: string[] = [];
const line = (namespace: string, name: string): Line => ({
  key: `${namespace}/Deployment/${name}`,
  workload: { kind: 'Deployment', namespace, name },
  number: 1,
  state: 'current',
  sources: [],
  asks: true,
  why: undefined,
  until: undefined,
  frozen: undefined,
  held: undefined,
  isRolling: false,
  problems: [],
  thaws: undefined,
  fingerprint: 0,
});
const operatorView = {
  status: async () => ({
    version: '1',
    sources: { Secret: 70 },
    workloads: { Deployment: 30 },
    watched: 20,
    frozen: [
      { scope: 'cluster' },
      { scope: 'namespace', namespace: 'bank' },
      { scope: 'workload', workload: { namespace: 'shop' } },
    ],
    pending: [{ workload: { namespace: 'shop' } }, { workload: { namespace: 'bank' } }],
    failing: [{ workload: { namespace: 'bank' } }],
    troubled: [{ workload: { namespace: 'shop' } }],
  }),
  fresh: async () => undefined,
  read: async (lines: readonly Line[]) => lines.map(({ workload: { name } }) => ({ name })),
  overview: async (namespace = 'all') => ({ of: namespace, revision: 'epoch:7' }),
  lines: () => [line('shop', 'web'), line('bank', 'vault')],
  revision: () => 'epoch:7',
  users: () => [line('shop', 'web'), line('bank', 'vault')],
  source: async (source: unknown, users: readonly Line[]) => ({ source, users: users.length, usedBy: users }),
  streams: { isFull: false },
  history: (namespace?: string) => [namespace ?? 'all'],
  explain: async ({ kind, namespace, name }: WorkloadRef) => {
    asked.push(`${kind} ${namespace}/${name}`);
    return name === 'web' ? { summary: 'known', notes: [] } : undefined;
  },
  whatIf: async (ref: unknown, options: unknown) => ({ ref, options, reloads: [], others: [] }),
} as unknown as OperatorView;

const get = (url: string, reader: Reader = LOCAL_READER, given = operatorView) => {
  const [path = '', query = ''] = url.split('?');
  const api = createApi({ operatorView: given, logger: silentLogger });
  return api({ method: 'GET', path, query: new URLSearchParams(query), reader, signal: never });
};

describe('/api/v1', () => {
  test.each([
    ['/api/v1/history?namespace=shop', { reloads: ['shop'] }],
    ['/api/v1/workloads/deployment/shop/web', { summary: 'known', notes: [] }],
    [
      '/api/v1/what-if?kind=secret&ns=shop&name=a&key=x&key=y&deleted=true',
      {
        ref: { kind: 'Secret', namespace: 'shop', name: 'a' },
        options: { deleted: true, keys: ['x', 'y'] },
        reloads: [],
        others: [],
      },
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

  test('ten readers that ask for the same list at once share its answers, each within its namespace', async () => {
    let read = 0;
    const given = {
      ...operatorView,
      read: async (lines: readonly Line[]) => {
        read += 1;
        return lines.map(({ workload: { name } }) => ({ name }));
      },
    } as unknown as OperatorView;
    const api = createApi({ operatorView: given, logger: silentLogger });
    const ask = (text: string) => {
      const query = new URLSearchParams(text);
      const request = { method: 'GET', path: '/api/v1/workloads', query, reader: LOCAL_READER };
      return api({ ...request, signal: never });
    };
    const answers = await Promise.all([
      ...Array.from({ length: 10 }, () => ask('limit=5')),
      ask('limit=5&namespace=shop'),
    ]);
    expect(read).toBe(3);
    const counts = answers.map(({ body }) => (body as { items: unknown[] }).items.length);
    expect(counts).toEqual([...Array(10).fill(2), 1]);
  });

  test.each([
    ['', ['vault', 'web']],
    ['?namespace=shop', ['web']],
    ['?q=VAU', ['vault']],
    ['?kind=statefulset', []],
    ['?state=waiting', []],
    ['?workload=deployment/shop/web', ['web']],
    ['?offset=1', ['vault']],
  ])('/api/v1/workloads%s', async (query, names) => {
    const { body, etag } = await get(`/api/v1/workloads${query}`);
    const { items } = body as { items: { name: string }[] };
    expect(items.map(({ name }) => name).sort()).toEqual(names);
    expect(etag).toBe('epoch:7');
  });

  test('/api/v1/overview is of one namespace or all, and not sent again if unchanged', async () => {
    expect(await get('/api/v1/overview')).toMatchObject({ body: { of: 'all' }, etag: 'epoch:7' });
    expect(await get('/api/v1/overview?namespace=shop')).toMatchObject({ body: { of: 'shop' } });
  });

  test.each([
    'workloads?limit=many',
    'workloads?limit=1001',
    'workloads?limit=0',
    'workloads?offset=-1',
    'workloads?workload=web',
    'workloads?source=Secret/shop',
    'workloads?continue=x',
    'sources?limit=-1',
    'timeline?since=yesterday',
    'timeline?since=2026-01-31T12:00:00',
    'timeline?workload=web',
  ])('%s is refused with what to write', async (path) => {
    const { status, body } = await get(`/api/v1/${path}`);
    expect(status).toBe(400);
    expect(body).toHaveProperty('error');
  });

  test('names are decoded', async () => {
    await get('/api/v1/workloads/Deployment/shop/a%2Eb');
    expect(asked.at(-1)).toBe('Deployment shop/a.b');
  });

  test('is read-only', async () => {
    const api = createApi({ operatorView, logger: silentLogger });
    const asked = { path: '/api/v1/status', query: new URLSearchParams(), reader: LOCAL_READER };
    expect(await api({ ...asked, method: 'POST', signal: never })).toMatchObject({
      status: 405,
      allow: 'GET, HEAD',
    });
    expect((await api({ ...asked, method: 'HEAD', signal: never })).status).toBe(200);
  });

  test('an internal error is in the log, and not in the answer', async () => {
    const log = createCapturingLogger();
    const failing = {
      ...operatorView,
      history: () => {
        throw new Error('hunter2');
      },
    } as unknown as OperatorView;
    const api = createApi({ operatorView: failing, logger: log.logger });
    const query = new URLSearchParams();
    const request = { method: 'GET', path: '/api/v1/history', query, reader: LOCAL_READER, signal: never };
    expect(await api(request)).toEqual({ status: 500, body: { error: 'This could not be answered' } });
    expect(log.entries).toMatchObject([{ level: 'error', message: 'A question could not be answered' }]);
  });
});

describe('a reader with a token', () => {
  /** May read `shop`, and nothing else. */
  const asks: string[] = [];
  const shopkeeper = tokenReader('t', async ({ token, verb, resource }) => {
    asks.push(`${verb} ${resource?.resource}.${resource?.group} in ${resource?.namespace ?? 'all'}`);
    if (token === undefined) return 'unauthenticated';
    return resource?.namespace === 'shop' ? 'allowed' : 'forbidden';
  });

  test('reads the namespaces in which it may list ReloaderConfigs', async () => {
    asks.length = 0;
    const { status, body } = await get('/api/v1/workloads?namespace=shop', shopkeeper);
    expect(status).toBe(200);
    expect(body).toMatchObject({ items: [{ name: 'web' }], counts: { all: 1 } });
    expect(asks).toEqual(['list reloaderconfigs.reloader.stakater.com in shop']);
    expect((await get('/api/v1/workloads/deployment/shop/web', shopkeeper)).status).toBe(200);
    expect((await get('/api/v1/history?namespace=shop', shopkeeper)).status).toBe(200);
  });

  test.each([
    '/api/v1/status',
    '/api/v1/history',
    '/api/v1/overview',
    '/api/v1/overview?namespace=bank',
    '/api/v1/workloads',
    '/api/v1/workloads?namespace=',
    '/api/v1/workloads?namespace=bank',
    '/api/v1/workloads?namespace=bank&namespace=shop',
    '/api/v1/history?namespace=bank',
    '/api/v1/status?namespace=bank',
    '/api/v1/workloads/deployment/bank/web',
    '/api/v1/workloads/deployment/bank/missing',
    '/api/v1/workloads/deployment/bank/web?namespace=shop',
    '/api/v1/sources',
    '/api/v1/sources?namespace=bank',
    '/api/v1/sources/secret/bank/vault',
    '/api/v1/timeline',
    '/api/v1/timeline?namespace=bank',
    '/api/v1/stream',
    '/api/v1/stream?namespace=bank',
    '/api/v1/what-if?kind=secret&ns=bank&name=vault',
    '/api/v1/what-if?kind=secret&ns=bank&name=vault&namespace=shop',
  ])('does not read %s, nor does it learn what is there', async (path) => {
    const { status, body } = await get(path, shopkeeper);
    expect(status).toBe(403);
    expect(JSON.stringify(body)).not.toMatch(/vault|missing|known/);
  });

  // Authorized for the namespace in the path, with an encoded slash that would make it another one.
  test.each([
    '/api/v1/workloads/deployment%2Fbank/shop',
    '/api/v1/workloads/deployment%2fbank/shop',
    '/api/v1/sources/secret%2Fbank/shop',
    '/api/v1/sources/secret%2Fbank%2Fvault/shop',
    '/api/v1/workloads/deployment/shop/..%2Fbank%2Fweb',
    '/api/v1/what-if?kind=secret%2Fbank&ns=shop&name=',
    '/api/v1/what-if?kind=secret%2Fbank&ns=shop',
  ])('does not come by a detour to %s', async (path) => {
    asked.length = 0;
    const { status, body } = await get(path, shopkeeper);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(asked).toEqual([]);
    expect(JSON.stringify(body)).not.toMatch(/vault|bank/);
  });

  test('does not learn whether a Secret exists that no workload uses', async () => {
    const [unused, missing] = ['spare', 'missing'];
    const given = {
      ...operatorView,
      users: () => [line('bank', 'vault')],
      whatIf: async ({ name }: WorkloadRef) => {
        const change = name === missing ? 'created' : 'changed';
        return { change, reloads: [{ workload: line('bank', 'vault').workload }], others: [] };
      },
    } as unknown as OperatorView;
    const about = async (name: string) => [
      await get(`/api/v1/sources/secret/shop/${name}`, shopkeeper, given),
      await get(`/api/v1/what-if?kind=secret&ns=shop&name=${name}`, shopkeeper, given),
    ];
    const answers = await about(unused);
    expect(answers).toMatchObject([{ status: 404 }, { status: 200, body: { change: 'changed' } }]);
    const text = JSON.stringify(await about(missing)).replaceAll(missing, unused);
    expect(text).toBe(JSON.stringify(answers));
  });

  test('gets 401 if it is not authenticated', async () => {
    const nobody = tokenReader(undefined, async () => 'unauthenticated');
    expect((await get('/api/v1/history?namespace=shop', nobody)).status).toBe(401);
  });

  test('is asked to retry while too many reviews are pending', async () => {
    const busy = tokenReader('t', () => Promise.reject(new TooManyReviewsError('busy')));
    expect(await get('/api/v1/history', busy)).toEqual({ status: 503, body: { error: 'busy' } });
  });

  test('sees the part of the status that is of its namespace', async () => {
    const { body } = await get('/api/v1/status?namespace=shop', shopkeeper);
    expect(body).toEqual({
      version: '1',
      namespaces: ['shop'],
      sources: {},
      workloads: {},
      watched: 1,
      frozen: [{ scope: 'cluster' }, { scope: 'workload', workload: { namespace: 'shop' } }],
      pending: [{ workload: { namespace: 'shop' } }],
      failing: [],
      troubled: [{ workload: { namespace: 'shop' } }],
    });
  });

  test('sees of the users of a source those that it may read', async () => {
    const { body } = await get('/api/v1/sources/secret/shop/a', shopkeeper);
    expect(body).toMatchObject({ users: 1, usedBy: [{ workload: { namespace: 'shop' } }] });
    expect(JSON.stringify(body)).not.toContain('bank');
  });

  test('sees of a prediction the workloads that it may read', async () => {
    const workloads = ['shop', 'bank'].map((namespace) => ({ workload: { namespace } }));
    const [own] = workloads;
    const whole = { warning: '2 workloads', estimate: { message: 'all 2 workloads' } };
    const predicted = async (reloads: unknown): Promise<unknown> => {
      const whatIf = async () => ({ ...whole, reloads, others: workloads });
      const wide = { ...operatorView, whatIf } as unknown as OperatorView;
      return (await get('/api/v1/what-if?kind=secret&ns=shop&name=a', shopkeeper, wide)).body;
    };
    expect(await predicted([own])).toEqual({ ...whole, reloads: [own], others: [own] });
    // Warning and estimate count all of them, also those that it may not read.
    expect(await predicted(workloads)).toEqual({ reloads: [own], others: [own] });
  });

  test('sees no counts of workloads in other namespaces in an explanation', async () => {
    const sources = [{ kind: 'Secret', namespace: 'shop', name: 'a' }];
    const [kept, counted] = [{ reason: 'Reverted' }, { reason: 'LargeFanOut', message: '214 workloads' }];
    const whole = { sources, estimate: { message: 'all 214 workloads' }, notes: [kept, counted] };
    const wide = { ...operatorView, explain: async () => whole } as unknown as OperatorView;
    const path = '/api/v1/workloads/deployment/shop/web';
    expect((await get(path, LOCAL_READER, wide)).body).toEqual(whole);
    expect((await get(path, shopkeeper, wide)).body).toEqual({ sources, notes: [kept] });
    const alone = { ...wide, users: () => [line('shop', 'web')] } as unknown as OperatorView;
    expect((await get(path, shopkeeper, alone)).body).toEqual(whole);
  });
});

test.each([
  ['workloads?state=wating', 'state is one of failing, waiting'],
  ['workloads?kind=pod', 'kind is one of Deployment'],
  ['sources?kind=deployment', 'kind is one of ConfigMap'],
])('%s is refused with the words that are known', async (path, error) => {
  const answer = await get(`/api/v1/${path}`);
  expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining(error) } });
});

test('the id of a reader is not its token', () => {
  const [one, same, other] = ['secret-one', 'secret-one', 'secret-two'].map((token) =>
    tokenReader(token, async () => 'allowed'),
  );
  expect(one?.id).toBe(same?.id);
  expect(one?.id).not.toBe(other?.id);
  expect(one?.id).not.toContain('secret-one');
});
