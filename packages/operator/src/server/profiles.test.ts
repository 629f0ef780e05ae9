import { HttpServer } from '@reloader/runtime';
import { VirtualClock } from '@reloader/runtime/testing';
import { expect, test } from 'vitest';
import { run } from './harness.test.support.ts';
import { serveProfiles } from './profiles.ts';

async function setUp() {
  const clock = new VirtualClock();
  const server = new HttpServer({ address: '127.0.0.1:0' });
  serveProfiles(server, clock);
  await run(server);
  const url = `http://127.0.0.1:${server.port}/debug/pprof`;
  /** Advances virtual time until the answer has arrived: recording begins some time after the request was sent. */
  const pass = async (answer: Promise<Response>): Promise<Response> => {
    let done = false;
    const end = answer.finally(() => {
      done = true;
    });
    while (!done) {
      await clock.advance(1000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return end;
  };
  return { url, pass, clock };
}

test('a CPU profile names functions', async () => {
  const { url, pass } = await setUp();
  const response = await pass(fetch(`${url}/profile?seconds=5`));
  expect(response.headers.get('content-disposition')).toContain('.cpuprofile');
  expect(await response.json()).toMatchObject({ nodes: expect.any(Array), samples: expect.any(Array) });
});

test('a heap profile holds sizes and no values', async () => {
  const { url, pass } = await setUp();
  const response = await pass(fetch(`${url}/heap`));
  expect(response.headers.get('content-disposition')).toContain('.heapprofile');
  const profile = (await response.json()) as { head: object };
  expect(Object.keys(profile.head).sort()).toEqual(['callFrame', 'children', 'id', 'selfSize']);
});

test.each(['0', '-1', '301', 'x'])('seconds=%s is refused', async (seconds) => {
  const { url } = await setUp();
  const response = await fetch(`${url}/heap?seconds=${seconds}`);
  expect(response.status).toBe(400);
});

test('only one is recorded at a time, and a caller who leaves makes room', async () => {
  const { url, pass, clock } = await setUp();
  const leave = new AbortController();
  const first = fetch(`${url}/profile`, { signal: leave.signal }).catch((error: unknown) => error);
  await until(() => clock.pendingTimers === 1);
  expect((await fetch(`${url}/heap`)).status).toBe(409);
  leave.abort();
  expect(await first).toMatchObject({ name: 'AbortError' });
  await until(() => clock.pendingTimers === 0);
  expect((await pass(fetch(`${url}/heap`))).status).toBe(200);
});

test('the index lists the profiles', async () => {
  const { url } = await setUp();
  expect(await (await fetch(`${url}/`)).text()).toContain('/debug/pprof/heap');
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
