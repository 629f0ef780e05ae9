import { expect, test } from 'vitest';
import { type ApiRequest, encodeText, type Handler, type LiveBody, type Sink } from '../request/request.ts';
import { inProcessTransport } from './in-process.ts';

function live() {
  let sink: Sink | undefined;
  let stopped = 0;
  const body: LiveBody = {
    open(target) {
      sink = target;
      return () => void stopped++;
    },
  };
  const handler: Handler = async () => ({ status: 200, headers: {}, body });
  return { handler, sink: () => sink as Sink, stopped: () => stopped };
}

const request = { method: 'GET', path: '/', headers: {} };
const text = (chunk: Uint8Array | undefined): string => Buffer.from(chunk ?? []).toString();

test('headers arrive in lower case, with the token of the connection', async () => {
  let seen: ApiRequest | undefined;
  const handler: Handler = async (incoming) => {
    seen = incoming;
    return { status: 204, headers: { a: 'b' }, body: encodeText('') };
  };
  const transport = inProcessTransport(handler, { token: 't' });
  const answer = await transport.request({ ...request, headers: { 'X-Some': 'Thing' } });
  expect(seen?.headers).toEqual({ 'x-some': 'Thing', authorization: 'Bearer t' });
  expect(answer).toMatchObject({ status: 204, headers: { a: 'b' } });
  await transport.request({ ...request, headers: { Authorization: 'Bearer mine' } });
  expect(seen?.headers.authorization).toBe('Bearer mine');
});

test('a body comes in one chunk, an empty one in none', async () => {
  const transport = inProcessTransport(async ({ path }) => ({
    status: 200,
    headers: {},
    body: encodeText(path.slice(1)),
  }));
  const read = async (path: string) => {
    const chunks: string[] = [];
    for await (const chunk of (await transport.request({ ...request, path })).body) chunks.push(text(chunk));
    return chunks;
  };
  expect(await read('/abc')).toEqual(['abc']);
  expect(await read('/')).toEqual([]);
});

test('what was pushed before anybody read is not lost', async () => {
  const { handler, sink } = live();
  const { body } = await inProcessTransport(handler).request(request);
  sink().write(encodeText('a'));
  sink().write(encodeText('b'));
  sink().end();
  const chunks: string[] = [];
  for await (const chunk of body) chunks.push(text(chunk));
  expect(chunks).toEqual(['a', 'b']);
});

test('a reader waits for what comes', async () => {
  const { handler, sink } = live();
  const iterator = (await inProcessTransport(handler).request(request)).body[Symbol.asyncIterator]();
  const next = iterator.next();
  sink().write(encodeText('a'));
  expect(text((await next).value)).toBe('a');
});

test('leaving the loop stops the watch, also when nothing was read', async () => {
  const { handler, sink, stopped } = live();
  const { body } = await inProcessTransport(handler).request(request);
  sink().write(encodeText('a'));
  for await (const _ of body) break;
  expect(stopped()).toBe(1);
  const unread = live();
  const second = await inProcessTransport(unread.handler).request(request);
  await second.body[Symbol.asyncIterator]().return?.();
  expect(unread.stopped()).toBe(1);
});

test('an abort stops the watch and ends the reading with its reason', async () => {
  const { handler, sink, stopped } = live();
  const abort = new AbortController();
  const { body } = await inProcessTransport(handler).request({ ...request, signal: abort.signal });
  const next = body[Symbol.asyncIterator]().next();
  abort.abort(new Error('enough'));
  await expect(next).rejects.toThrow('enough');
  expect(stopped()).toBe(1);
  sink().write(encodeText('late'));
});

test('a request that is already aborted is not sent', async () => {
  const { handler } = live();
  const signal = AbortSignal.abort(new Error('too late'));
  await expect(inProcessTransport(handler).request({ ...request, signal })).rejects.toThrow('too late');
});

test('a broken connection throws', async () => {
  const { handler, sink } = live();
  const { body } = await inProcessTransport(handler).request(request);
  const next = body[Symbol.asyncIterator]().next();
  sink().fail(new Error('connection lost'));
  await expect(next).rejects.toThrow('connection lost');
});

test('closing the transport ends its watches and takes no more requests', async () => {
  const { handler, stopped } = live();
  const transport = inProcessTransport(handler);
  const { body } = await transport.request(request);
  await transport.close();
  expect(stopped()).toBe(1);
  expect(await body[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined });
  await expect(transport.request(request)).rejects.toThrow('The in-process transport is closed: GET /');
});

test('a reader that is hopelessly behind loses its watch', async () => {
  const { handler, sink, stopped } = live();
  await inProcessTransport(handler).request(request);
  const chunk = encodeText('x');
  for (let i = 0; i <= 100_000; i++) sink().write(chunk);
  expect(stopped()).toBe(1);
});
