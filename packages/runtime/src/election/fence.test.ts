import { getEventListeners } from 'node:events';
import { expect, test, vi } from 'vitest';
import type { Client } from '../client/client.ts';
import { ConflictError, RequestTimeoutError } from '../client/errors.ts';
import type { ResourceType } from '../client/resource.ts';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { MemoryClient } from '../objects/memory-client.test.support.ts';
import { type Fence, FenceError, fencedClient } from './fence.ts';

const TYPE: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};
const KEY = { namespace: 'default', name: 'a' };
const OBJECT = { metadata: KEY };

function setUp(client?: Client) {
  const clock = new VirtualClock();
  const term = new AbortController();
  const server = new MemoryClient();
  server.seed(TYPE, OBJECT);
  const state: { fence: Fence | undefined } = { fence: { epoch: 3, deadline: 10_000, signal: term.signal } };
  const fenced = fencedClient(client ?? server, { fence: () => state.fence }, clock);
  return { clock, term, server, state, fenced };
}

const VERBS: [string, (client: Client, options?: { dryRun?: boolean }) => Promise<unknown>][] = [
  ['create', (client, options) => client.create(TYPE, { metadata: { ...KEY, name: 'b' } }, options)],
  ['update', (client, options) => client.update(TYPE, OBJECT, options)],
  ['patch', (client, options) => client.patch(TYPE, KEY, { type: 'merge', body: {} }, options)],
  ['apply', (client, options) => client.apply(TYPE, OBJECT, options)],
  ['delete', (client, options) => client.delete(TYPE, KEY, options)],
];

test.each(VERBS)('%s passes before the deadline', async (_, send) => {
  const { server, fenced } = setUp();
  await send(fenced);
  expect(server.writes).toHaveLength(1);
});

test.each([
  ...VERBS,
  ['deleteCollection', (client: Client) => client.deleteCollection(TYPE)] as const,
  ['raw POST', (client: Client) => client.raw({ method: 'POST', path: '/x', headers: {} })] as const,
])('%s is refused at the deadline, and nothing is sent', async (_, send) => {
  const { clock, server, fenced } = setUp();
  await clock.advance(10_000);
  await expect(send(fenced)).rejects.toThrow(FenceError);
  expect(server.requests).toEqual([]);
});

test('a write is refused while this process does not lead', async () => {
  const { state, server, fenced } = setUp();
  state.fence = undefined;
  await expect(fenced.update(TYPE, OBJECT)).rejects.toThrow(
    'Refused to update ConfigMap: this process does not lead',
  );
  expect(server.requests).toEqual([]);
});

test.each(VERBS)('a dry run of %s passes always', async (_, send) => {
  const { state, server, fenced } = setUp();
  state.fence = undefined;
  await send(fenced, { dryRun: true });
  expect(server.requests).toHaveLength(1);
});

test('reads pass always', async () => {
  const raw = vi.fn(async () => ({ status: 200, headers: {}, body: (async function* () {})() }));
  const { state, server, fenced } = setUp(Object.assign(new MemoryClient(), { raw }));
  state.fence = undefined;
  await fenced.list(TYPE);
  await fenced.raw({ method: 'get', path: '/version', headers: {} });
  expect(raw).toHaveBeenCalledOnce();
  expect(server.writes).toEqual([]);
});

function hanging() {
  const stage = setUp();
  let answer: (() => void) | undefined;
  stage.server.before = () =>
    new Promise<void>((resolve) => {
      answer = resolve;
    });
  const seen: { outcome?: unknown; signal?: AbortSignal } = {};
  const update = stage.server.update.bind(stage.server);
  stage.server.update = ((type, object, options) => {
    if (options?.signal) seen.signal = options.signal;
    return Promise.race([
      update(type, object, options),
      new Promise((_, reject) =>
        options?.signal?.addEventListener('abort', () => reject(new RequestTimeoutError('aborted'))),
      ),
    ]);
  }) as Client['update'];
  const caller = new AbortController();
  const start = () =>
    void stage.fenced.update(TYPE, OBJECT, { signal: caller.signal }).then(
      () => (seen.outcome = 'done'),
      (error) => (seen.outcome = error),
    );
  return { ...stage, seen, start, caller, answer: () => answer?.() };
}

test('a write under way is cut off at the deadline when no renewal came', async () => {
  const { clock, seen, start } = hanging();
  start();
  await clock.advance(9_999);
  expect(seen.outcome).toBeUndefined();
  await clock.advance(1);
  expect(seen.outcome).toBeInstanceOf(FenceError);
  expect(String(seen.outcome)).toContain('Cut off update ConfigMap: the lease was not renewed');
  expect(clock.pendingTimers).toBe(0);
});

test('a write under way goes on while renewals move the deadline, and ends without a trace', async () => {
  const { clock, seen, start, state, term, caller, answer } = hanging();
  start();
  for (let renewals = 1; renewals < 20; renewals++) {
    await clock.advance(2_000);
    state.fence = { epoch: 3, deadline: clock.monotonic() + 10_000, signal: term.signal };
  }
  answer();
  await clock.settle();
  expect(seen.outcome).toBe('done');
  expect(clock.pendingTimers).toBe(0);
  expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
  expect(getEventListeners(term.signal, 'abort')).toEqual([]);
});

test('a write of one epoch is not carried by the fence of a later one', async () => {
  const { clock, seen, start, state } = hanging();
  start();
  state.fence = { epoch: 4, deadline: 60_000, signal: new AbortController().signal };
  await clock.advance(10_000);
  expect(seen.outcome).toBeInstanceOf(FenceError);
});

test('a write under way is cut off when the term ends', async () => {
  const { clock, seen, start, term } = hanging();
  start();
  term.abort();
  await clock.settle();
  expect(String(seen.outcome)).toContain('Cut off update ConfigMap: this process stopped leading');
});

test("the caller's abort still works, and is not taken for the fence's", async () => {
  const { clock, seen, start, caller } = hanging();
  start();
  caller.abort(new Error('enough'));
  await clock.settle();
  expect(seen.outcome).toBeInstanceOf(RequestTimeoutError);
  expect(seen.signal?.reason).toEqual(new Error('enough'));
});

test("the server's own errors pass unchanged", async () => {
  const { fenced } = setUp();
  const stale = { metadata: { ...KEY, resourceVersion: '999' } };
  await expect(fenced.update(TYPE, stale)).rejects.toBeInstanceOf(ConflictError);
});
