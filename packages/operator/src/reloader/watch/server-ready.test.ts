import { ConnectionError, ForbiddenError, silentLogger, type TransportResponse } from '@reloader/runtime';
import { createCapturingLogger, VirtualClock } from '@reloader/runtime/testing';
import { expect, it } from 'vitest';
import { serverReady } from './server-ready.ts';

async function* nothing(): AsyncGenerator<Uint8Array> {}
const READY = { status: 200, headers: {}, body: nothing() } as unknown as TransportResponse;
const refused = (): Error => new ForbiddenError({ code: 403, message: 'not yet' });

function setUp(...answers: (Error | 'ready')[]) {
  const clock = new VirtualClock();
  const { signal } = new AbortController();
  const asked: number[] = [];
  const client = {
    raw: () => {
      asked.push(clock.monotonic());
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(READY);
    },
  };
  return { clock, signal, asked, client };
}

it('a server that is ready is asked once', async () => {
  const { asked, ...options } = setUp('ready');
  await serverReady({ ...options, logger: silentLogger });
  expect(asked).toEqual([0]);
});

it('a server that refuses or cannot be reached is asked again', async () => {
  const { asked, clock, ...options } = setUp(new ConnectionError('refused'), refused(), 'ready');
  const waiting = serverReady({ ...options, clock, logger: silentLogger });
  await clock.advance(1_000);
  await waiting;
  expect(asked).toEqual([0, 250, 500]);
});

it('a server that is never ready is used after a timeout, with a log line', async () => {
  const { logger, entries } = createCapturingLogger();
  const { asked, clock, ...options } = setUp(refused());
  const waiting = serverReady({ ...options, clock, logger });
  await clock.advance(30_000);
  await waiting;
  expect(asked.at(-1)).toBe(20_000);
  expect(entries.map(({ level }) => level)).toEqual(['info', 'warn']);
});

it('an unexpected error is thrown at once', async () => {
  const { asked: _, ...options } = setUp(new TypeError('a defect'));
  await expect(serverReady({ ...options, logger: silentLogger })).rejects.toThrow('a defect');
});
