import { getEventListeners } from 'node:events';
import { VirtualClock } from '@reloader/runtime/testing';
import { describe, expect, test } from 'vitest';
import { plainText } from '../message.ts';
import { DeliveryError } from './error.ts';
import { createPost, type PostOptions } from './post.ts';
import { type Answer, startReceiver } from './receiver.test.support.ts';

const BODY = { contentType: 'application/json', text: '{"text":"grüezi"}' } as const;

function setUp(options: Partial<PostOptions> = {}) {
  const clock = new VirtualClock();
  const stop = new AbortController();
  const guard = { allowInternal: true, allowedHosts: [] };
  const post = createPost({ clock, proxy: undefined, ...guard, ...options });
  const posted = (url: URL, trusted = false) => post({ url, trusted }, async () => BODY, stop.signal);
  return { clock, stop, post: posted };
}

/** The error of a POST. */
async function failure(posting: Promise<void>): Promise<DeliveryError> {
  const error = await posting.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(DeliveryError);
  const { message } = error as DeliveryError;
  expect(message).not.toMatch(/127\.0\.0\.1|T0K3N|hook/);
  return error as DeliveryError;
}

describe('A POST', () => {
  test('brings body, type and length', async () => {
    const { post } = setUp();
    const receiver = await startReceiver();
    await post(receiver.url);
    expect(receiver.received).toMatchObject([
      {
        method: 'POST',
        path: '/hook/T0K3N',
        body: BODY.text,
        headers: {
          'content-type': 'application/json',
          'content-length': '18',
          'user-agent': 'reloader-operator',
        },
      },
    ]);
  });

  test.each([200, 201, 202, 204])('answered with %i is a success', async (status) => {
    const { post } = setUp();
    const { url } = await startReceiver([{ status }]);
    await expect(post(url)).resolves.toBeUndefined();
  });

  test.each<[string, Answer, Partial<DeliveryError>]>([
    ['500', { status: 500 }, { retry: true, message: 'the receiver answered 500' }],
    [
      '503 with Retry-After',
      { status: 503, headers: { 'retry-after': '7' } },
      { retry: true, retryAfterMs: 7000 },
    ],
    ['429', { status: 429 }, { retry: true, retryAfterMs: undefined }],
    [
      '429 with Retry-After',
      { status: 429, headers: { 'retry-after': '30' } },
      { retry: true, retryAfterMs: 30_000 },
    ],
    [
      '429 with a date',
      { status: 429, headers: { 'retry-after': 'Tue, 01 Jan 2030 00:00:20 GMT' } },
      { retryAfterMs: 20_000 },
    ],
    ['429 for an hour', { status: 429, headers: { 'retry-after': '3600' } }, { retryAfterMs: 60_000 }],
    ['429 with nonsense', { status: 429, headers: { 'retry-after': 'soon' } }, { retryAfterMs: undefined }],
    ['404', { status: 404 }, { retry: false, message: 'the receiver answered 404' }],
    ['403', { status: 403 }, { retry: false }],
    [
      'a cut connection',
      { cut: true },
      { retry: true, message: 'the receiver cannot be reached (ECONNRESET)' },
    ],
  ])('that meets %s', async (_, answer, expected) => {
    const { post } = setUp();
    const { url } = await startReceiver([answer]);
    expect(await failure(post(url))).toMatchObject(expected);
  });

  test('does not follow redirects', async () => {
    const { post } = setUp();
    const other = await startReceiver();
    const { url } = await startReceiver([{ status: 307, headers: { location: other.url.href } }]);
    expect(await failure(post(url))).toMatchObject({
      retry: false,
      message: 'the receiver answered 307, and redirects are not followed',
    });
    expect(other.received).toEqual([]);
  });

  test('to a port without a listener is retried', async () => {
    const { post } = setUp();
    expect(await failure(post(new URL('http://127.0.0.1:1/hook')))).toMatchObject({
      retry: true,
      message: 'the receiver cannot be reached (ECONNREFUSED)',
    });
  });

  test('waits ten seconds for an answer, and leaves no timer and no listener', async () => {
    const { post, clock, stop } = setUp();
    const receiver = await startReceiver([{ silent: true }]);
    const failing = failure(post(receiver.url));
    await receiver.got(1);
    await clock.advance(9_999);
    expect(clock.pendingTimers).toBe(1);
    await clock.advance(1);
    expect(await failing).toMatchObject({ retry: true, message: 'the receiver did not answer within 10 s' });
    expect(clock.pendingTimers).toBe(0);
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
  });

  test('ends when the operator stops', async () => {
    const { post, stop } = setUp();
    const receiver = await startReceiver([{ silent: true }]);
    const failing = failure(post(receiver.url));
    await receiver.got(1);
    stop.abort();
    expect(await failing).toMatchObject({ retry: false, message: 'the operator stops' });
  });

  test('does not read an endless answer', async () => {
    const { post } = setUp();
    const { url } = await startReceiver([{ endless: true }]);
    await expect(post(url)).resolves.toBeUndefined();
  });

  test('can be plain text', async () => {
    const clock = new VirtualClock();
    const receiver = await startReceiver();
    const post = createPost({ clock, proxy: undefined, allowInternal: true, allowedHosts: [] });
    const target = { url: receiver.url, trusted: false };
    await post(target, async () => plainText('hello'), new AbortController().signal);
    expect(receiver.received).toMatchObject([{ body: 'hello', headers: { 'content-type': 'text/plain' } }]);
  });
});

describe('The guard', () => {
  test('refuses loopback unless it is allowed', async () => {
    const receiver = await startReceiver();
    const { post } = setUp({ allowInternal: false });
    expect(await failure(post(receiver.url))).toMatchObject({ retry: false });
    expect(receiver.received).toEqual([]);
  });

  test.each(['127.0.0.1', 'localhost'])("reaches %s if it is the administrator's own URL", async (host) => {
    const receiver = await startReceiver();
    const { post } = setUp({ allowInternal: false });
    const url = new URL(receiver.url);
    url.hostname = host;
    await post(url, true);
    expect(receiver.received).toHaveLength(1);
  });

  test('a name of loopback that resolves to other internal addresses is refused to the administrator, too', async () => {
    const { post } = setUp({
      allowInternal: false,
      resolve: (_, __, callback) => callback(null, [{ address: '169.254.169.254', family: 4 }]),
    });
    expect(await failure(post(new URL('http://localhost:1/x'), true))).toMatchObject({ retry: false });
  });

  test('refuses hosts that are not listed, whatever else is allowed', async () => {
    const receiver = await startReceiver();
    const { post } = setUp({ allowedHosts: ['hooks.slack.com'] });
    expect(await failure(post(receiver.url))).toMatchObject({ retry: false });
    expect(receiver.received).toEqual([]);
  });

  test('judges the URL before the body is made', async () => {
    const post = createPost({
      ...{ clock: new VirtualClock(), proxy: undefined, allowInternal: false, allowedHosts: [] },
    });
    let made = 0;
    const makeBody = async () => {
      made += 1;
      return BODY;
    };
    const target = { url: new URL('http://10.0.0.1/x'), trusted: false };
    await expect(post(target, makeBody, new AbortController().signal)).rejects.toBeInstanceOf(DeliveryError);
    expect(made).toBe(0);
  });

  test('refuses a name that resolves there', async () => {
    const receiver = await startReceiver();
    const { post } = setUp({
      allowInternal: false,
      resolve: (_, __, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
    });
    const url = new URL(receiver.url);
    url.hostname = 'innocent.test';
    const { retry, message } = await failure(post(url, true));
    expect([retry, message]).toEqual([false, expect.stringContaining('--alert-allow-internal')]);
    expect(receiver.received).toEqual([]);
  });

  test('a name that cannot be resolved is retried, and is not shown', async () => {
    const error = Object.assign(new Error('getaddrinfo ENOTFOUND hook.test'), { code: 'ENOTFOUND' });
    const { post } = setUp({ allowInternal: false, resolve: (_, __, callback) => callback(error, []) });
    expect(await failure(post(new URL('https://hook.test/T0K3N')))).toMatchObject({
      retry: true,
      message: 'the receiver cannot be reached (ENOTFOUND)',
    });
  });
});
