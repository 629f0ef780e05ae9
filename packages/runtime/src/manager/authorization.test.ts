import { describe, expect, test } from 'vitest';
import type { Client } from '../client/client.ts';
import type { ResourceType } from '../client/resource.ts';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { authorizeByServer, reviewByServer, TooManyReviewsError } from './authorization.ts';

interface Review {
  readonly kind?: string;
  readonly spec?: { readonly token?: string; readonly user?: string };
}

/** A server that knows the token `good` of user `prom` and allows only `prom`. */
function setUp(options: { readonly allowed?: boolean } = {}) {
  const clock = new VirtualClock();
  const asked: Review[] = [];
  let broken = false;
  const client = {
    create: async (_type: ResourceType, object: Review) => {
      if (broken) throw new Error('connection refused');
      asked.push(object);
      if (object.kind === 'TokenReview') {
        const user = { username: 'prom', uid: 'u', groups: ['g'], extra: { scope: ['s'] } };
        const known = { good: { authenticated: true, user }, expired: { authenticated: false, user } };
        return { ...object, status: known[object.spec?.token as keyof typeof known] ?? {} };
      }
      return { ...object, status: { allowed: options.allowed ?? object.spec?.user === 'prom' } };
    },
  } as unknown as Client;
  const authorize = authorizeByServer(client, clock);
  const ask = (token: string | undefined) => authorize({ token, path: '/metrics', verb: 'get' });
  const breakIt = (): void => {
    broken = true;
  };
  return { clock, asked, ask, authorize, breakIt, client };
}

describe('asking the server', () => {
  test('an authenticated user with the permission is allowed', async () => {
    const { ask, asked } = setUp();
    expect(await ask('good')).toBe('allowed');
    expect(asked.map(({ kind }) => kind)).toEqual(['TokenReview', 'SubjectAccessReview']);
    expect(asked[1]?.spec).toEqual({
      user: 'prom',
      uid: 'u',
      groups: ['g'],
      extra: { scope: ['s'] },
      nonResourceAttributes: { path: '/metrics', verb: 'get' },
    });
  });

  test('an authenticated user without the permission is denied', async () => {
    const { ask } = setUp({ allowed: false });
    expect(await ask('good')).toBe('forbidden');
  });

  test.each(['bad', 'expired'])('a token that is %s is denied without an access review', async (token) => {
    const { ask, asked } = setUp();
    expect(await ask(token)).toBe('unauthenticated');
    expect(asked).toHaveLength(1);
  });

  test.each([true, false])(
    'the name of who asks is told with the verdict (%s), and kept',
    async (allowed) => {
      const { client, clock, asked } = setUp({ allowed });
      const review = reviewByServer(client, clock);
      const verdict = allowed ? 'allowed' : 'forbidden';
      for (let times = 0; times < 2; times++) {
        expect(await review({ token: 'good', path: '/', verb: 'get' })).toEqual({ verdict, user: 'prom' });
      }
      expect(asked).toHaveLength(2);
      expect(await review({ token: 'bad', path: '/', verb: 'get' })).toEqual({ verdict: 'unauthenticated' });
    },
  );

  test('without a token no review is sent', async () => {
    const { ask, asked } = setUp();
    expect(await ask(undefined)).toBe('unauthenticated');
    expect(asked).toEqual([]);
  });

  test('if the server cannot be asked, access is denied', async () => {
    const { ask, breakIt } = setUp();
    breakIt();
    await expect(ask('good')).rejects.toThrow('connection refused');
  });
});

describe('verdicts', () => {
  test('are kept for a minute when allowed, ten seconds when not', async () => {
    const { ask, asked, clock } = setUp();
    await ask('good');
    await ask('bad');
    await clock.advance(9_999);
    await ask('good');
    await ask('bad');
    expect(asked).toHaveLength(3);
    await clock.advance(1);
    await ask('bad');
    expect(asked).toHaveLength(4);
    await clock.advance(50_000);
    await ask('good');
    expect(asked).toHaveLength(6);
  });

  test('are kept for each path on its own', async () => {
    const { ask, authorize, asked } = setUp();
    await ask('good');
    await authorize({ token: 'good', path: '/debug', verb: 'get' });
    expect(asked).toHaveLength(4);
  });

  test('do not pile up', async () => {
    const { ask, asked } = setUp();
    for (let index = 0; index < 1001; index++) await ask(`bad-${index}`);
    const before = asked.length;
    await ask('bad-1000');
    expect(asked).toHaveLength(before);
    await ask('bad-0');
    expect(asked).toHaveLength(before + 1);
  });

  test('of one caller are reviewed once, however many requests it sends meanwhile', async () => {
    const { ask, asked } = setUp();
    expect(await Promise.all([ask('good'), ask('good'), ask('good')])).toEqual([
      'allowed',
      'allowed',
      'allowed',
    ]);
    expect(asked).toHaveLength(2);
  });

  test('of many unknown callers are not all reviewed at once, and known callers are still allowed', async () => {
    const { ask } = setUp();
    await ask('good');
    const crowd = Array.from({ length: 40 }, (_, index) => ask(`bad-${index}`));
    expect(await ask('good')).toBe('allowed');
    const verdicts = await Promise.allSettled(crowd);
    const turnedAway = verdicts.filter((each) => each.status === 'rejected');
    expect(turnedAway).toHaveLength(24);
    expect(turnedAway[0]?.reason).toBeInstanceOf(TooManyReviewsError);
    expect(await ask('bad-39')).toBe('unauthenticated');
  });

  test('on a resource are asked for with its namespace', async () => {
    const { authorize, asked } = setUp();
    const resource = { group: 'apps', resource: 'deployments', namespace: 'shop' };
    expect(await authorize({ token: 'good', verb: 'list', resource })).toBe('allowed');
    expect(asked[1]?.spec).toMatchObject({ resourceAttributes: { ...resource, verb: 'list' } });
    expect(asked[1]?.spec).not.toHaveProperty('nonResourceAttributes');
    await authorize({ token: 'good', verb: 'list', resource: { ...resource, namespace: 'bank' } });
    expect(asked).toHaveLength(4);
  });
});
