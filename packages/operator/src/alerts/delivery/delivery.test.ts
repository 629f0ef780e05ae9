import { systemClock } from '@reloader/runtime';
import { VirtualClock } from '@reloader/runtime/testing';
import { describe, expect, test } from 'vitest';
import { message } from '../alert.test.support.ts';
import { COARSE } from './error.ts';
import { createPost } from './post.ts';
import { type Answer, startReceiver } from './receiver.test.support.ts';
import { destination, senderOnStage } from './sender.test.support.ts';

/** A sender that really posts, on a virtual clock. */
function setUp(clock = new VirtualClock()) {
  const post = createPost({ clock, proxy: undefined, allowInternal: true, allowedHosts: [] });
  const stage = senderOnStage(() => Promise.resolve(), { clock, post, groupWindowMs: 0 });
  void stage.start();
  return stage;
}

const systemTurn = (): Promise<void> => new Promise((resolve) => systemClock.setTimeout(resolve, 1));
const to = (url: URL) => destination({ url: async () => url });

async function untilSent(stage: ReturnType<typeof setUp>, count = 1): Promise<void> {
  while ((stage.counted('sent') ?? 0) + (stage.counted('failed') ?? 0) < count) await systemTurn();
}

describe('A receiver that', () => {
  test.each<[string, Answer, number]>([
    ['answers 500', { status: 500 }, 1_000],
    ['answers 429', { status: 429 }, 1_000],
    ['answers 429 with Retry-After', { status: 429, headers: { 'retry-after': '20' } }, 20_000],
    ['cuts the connection', { cut: true }, 1_000],
  ])('%s gets the message again, and then it is sent', async (_, answer, afterMs) => {
    const stage = setUp();
    const receiver = await startReceiver([answer, { status: 202 }]);
    stage.sender.send(to(receiver.url), message());
    await receiver.got(1);
    // The timer of the request has ended, and the one of the pause has begun.
    while (stage.counted('retried') !== 1) await systemTurn();
    await stage.clock.advance(afterMs - 1);
    expect(receiver.received).toHaveLength(1);
    await stage.clock.advance(1);
    await untilSent(stage);
    expect(receiver.received.map(({ body }) => body)).toEqual(['["web"]', '["web"]']);
    expect([stage.counted('sent'), stage.counted('retried'), stage.counted('failed')]).toEqual([1, 1, 0]);
  });

  test('is slow gets ten seconds, then a retry', async () => {
    const stage = setUp();
    const receiver = await startReceiver([{ silent: true }, { status: 200 }]);
    stage.sender.send(to(receiver.url), message());
    await receiver.got(1);
    await stage.clock.advance(10_000);
    while (stage.counted('retried') !== 1) await systemTurn();
    await stage.clock.advance(1_000);
    await untilSent(stage);
    expect(stage.counted('sent')).toBe(1);
  });

  test('answers 202 has accepted the message', async () => {
    const stage = setUp();
    const receiver = await startReceiver([{ status: 202 }]);
    stage.sender.send(to(receiver.url), message());
    await untilSent(stage);
    expect([stage.counted('sent'), stage.counted('retried')]).toEqual([1, 0]);
  });

  test('is down is given up after five tries, and no log line shows its address', async () => {
    const stage = setUp();
    stage.sender.send(to(new URL('http://127.0.0.1:1/T0K3N')), message());
    for (let tries = 1; tries < 5; tries++) {
      while (stage.counted('retried') !== tries) await systemTurn();
      await stage.clock.advance(1_000 * 2 ** (tries - 1));
    }
    await untilSent(stage);
    expect([stage.counted('failed'), stage.counted('retried')]).toEqual([1, 4]);
    expect(stage.failed).toEqual([`hooks: ${COARSE}`]);
    expect(JSON.stringify(stage.log.entries)).not.toMatch(/T0K3N|127\.0\.0\.1/);
  });
});
