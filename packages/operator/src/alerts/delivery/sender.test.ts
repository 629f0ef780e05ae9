import { describe, expect, test, vi } from 'vitest';
import { compileTemplate } from '../../template/index.ts';
import { failure, message } from '../alert.test.support.ts';
import { json, plainText } from '../message.ts';
import { COARSE, DeliveryError } from './error.ts';
import { destination, held, senderOnStage } from './sender.test.support.ts';

const named = (name: string) => message({ workload: { kind: 'Deployment', namespace: 'shop', name } });
const taken = async (): Promise<void> => undefined;
const failing = (options: { retry: boolean; retryAfterMs?: number }) => () =>
  Promise.reject(new DeliveryError('the receiver answered 500', options));

describe('Grouping', () => {
  test('messages within the window become one', async () => {
    const stage = senderOnStage(taken);
    void stage.start();
    stage.sendAll(destination(), named('a'), named('b'));
    await stage.clock.advance(1_500);
    stage.sendAll(destination(), named('c'));
    await stage.clock.advance(499);
    expect(stage.posted).toEqual([]);
    await stage.clock.advance(1);
    expect(stage.posted).toEqual(['2 hooks a,b,c']);
    stage.sendAll(destination(), named('d'));
    await stage.clock.advance(2_000);
    expect(stage.posted).toEqual(['2 hooks a,b,c', '4 hooks d']);
    expect(stage.counted('sent')).toBe(2);
    expect(stage.clock.pendingTimers).toBe(0);
  });

  test('different events are never grouped together', async () => {
    const stage = senderOnStage(taken);
    void stage.start();
    stage.sendAll(destination(), named('a'), failure(), named('b'));
    await stage.clock.advance(4_000);
    expect(stage.posted).toEqual(['2 hooks a,b', '4 hooks web']);
  });

  test('messages that arrive during a retry join the next one', async () => {
    const gate = held();
    const stage = senderOnStage(() => gate.promise);
    void stage.start();
    stage.sendAll(destination(), named('a'));
    await stage.clock.advance(2_000);
    stage.sendAll(destination(), named('b'), named('c'));
    await stage.clock.advance(60_000);
    expect(stage.posted).toEqual(['2 hooks a']);
    gate.release();
    await stage.clock.advance(2_000);
    expect(stage.posted).toEqual(['2 hooks a', '64 hooks b,c']);
  });

  test.each([
    ['a receiver that wants each by itself', { grouped: false }, {}],
    ['a window of zero', {}, { groupWindowMs: 0 }],
  ])('%s gets them at once and in order', async (_, to, options) => {
    const stage = senderOnStage(taken, options);
    void stage.start();
    stage.sendAll(destination(to), named('a'), named('b'), named('c'));
    await stage.clock.settle();
    expect(stage.posted).toEqual(['0 hooks a', '0 hooks b', '0 hooks c']);
  });

  test('the newest settings of a receiver are used', async () => {
    const stage = senderOnStage(taken);
    void stage.start();
    stage.sendAll(destination(), named('a'));
    stage.sendAll(destination({ url: async () => new URL('https://moved.test') }), named('b'));
    await stage.clock.advance(2_000);
    expect(stage.posted).toEqual(['2 moved a,b']);
  });
});

describe('Trying again', () => {
  test('a retry sends the body of the first try: a template is rendered once', async () => {
    let made = 0;
    const stage = senderOnStage(() => Promise.reject(new DeliveryError('no', { retry: true })), {
      groupWindowMs: 0,
    });
    void stage.start();
    const format = () => () => {
      made += 1;
      return json(['a']);
    };
    stage.sender.send(destination({ format }), message());
    await stage.clock.advance(60_000);
    expect([stage.posted.length, made]).toEqual([5, 1]);
  });

  test('five times with exponential backoff, then it is given up and reported', async () => {
    const stage = senderOnStage(failing({ retry: true }), { groupWindowMs: 0 });
    void stage.start();
    stage.sendAll(destination(), named('a'));
    await stage.clock.advance(600_000);
    expect(stage.posted).toEqual(['0 hooks a', '1 hooks a', '3 hooks a', '7 hooks a', '15 hooks a']);
    expect([stage.counted('retried'), stage.counted('failed'), stage.counted('sent')]).toEqual([4, 1, 0]);
    expect(stage.failed).toEqual([`hooks: ${COARSE}`]);
    expect(stage.log.entries.at(-1)?.values).toMatchObject({ why: 'the receiver answered 500' });
    expect(stage.log.messages('warn')).toEqual(['An alert could not be sent']);
  });

  test('after as long as the receiver asks for', async () => {
    const answers = [failing({ retry: true, retryAfterMs: 30_000 }), taken];
    const stage = senderOnStage(() => (answers.shift() ?? taken)(), { groupWindowMs: 0 });
    void stage.start();
    stage.sendAll(destination(), named('a'));
    await stage.clock.advance(60_000);
    expect(stage.posted).toEqual(['0 hooks a', '30 hooks a']);
    expect([stage.counted('retried'), stage.counted('sent'), stage.counted('failed')]).toEqual([1, 1, 0]);
  });

  test('not after a final error', async () => {
    const stage = senderOnStage(failing({ retry: false }), { groupWindowMs: 0 });
    void stage.start();
    stage.sendAll(destination(), named('a'));
    await stage.clock.advance(60_000);
    expect(stage.posted).toHaveLength(1);
    expect([stage.counted('retried'), stage.counted('failed')]).toEqual([0, 1]);
  });

  test('reads the URL each time', async () => {
    const url = vi.fn(async () => new URL('https://hooks.test'));
    const answers = [failing({ retry: true }), taken];
    const stage = senderOnStage(() => (answers.shift() ?? taken)(), { groupWindowMs: 0 });
    void stage.start();
    stage.sendAll(destination({ url }), named('a'));
    await stage.clock.advance(1_000);
    expect(url).toHaveBeenCalledTimes(2);
  });
});

describe('Receivers', () => {
  test('do not wait for each other', async () => {
    const stage = senderOnStage((host) => (host === 'slow' ? new Promise(() => undefined) : taken()));
    void stage.start();
    stage.sendAll(destination({ id: 'slow' }), named('a'));
    stage.sendAll(destination({ id: 'quick' }), named('a'));
    await stage.clock.advance(2_000);
    stage.sendAll(destination({ id: 'quick' }), named('b'));
    await stage.clock.advance(2_000);
    expect(stage.posted).toEqual(['2 slow a', '2 quick a', '4 quick b']);
  });

  test('sixteen requests run at once, the others when one is done', async () => {
    const gate = held();
    const stage = senderOnStage(() => gate.promise, { groupWindowMs: 0 });
    void stage.start();
    for (let each = 0; each < 20; each++) stage.sendAll(destination({ id: `r${each}` }), named('a'));
    await stage.clock.settle();
    expect(stage.posted).toHaveLength(16);
    gate.release();
    await stage.clock.settle();
    expect(stage.posted).toHaveLength(20);
  });
});

describe('The queue', () => {
  test('holds a thousand, then drops the oldest, counted and logged once', async () => {
    const stage = senderOnStage(taken, { groupWindowMs: 0 });
    for (let each = 0; each < 1_010; each++)
      stage.sendAll(destination({ grouped: false }), named(`w${each}`));
    expect(stage.queued()).toBe(1_000);
    expect(stage.counted('dropped')).toBe(10);
    expect(stage.log.messages('warn')).toEqual(['Too many alerts wait: the oldest are dropped']);
    void stage.start();
    await stage.clock.settle();
    await vi.waitFor(() => expect(stage.posted).toHaveLength(1_000));
    expect(stage.posted[0]).toBe('0 hooks w10');
    expect(stage.queued()).toBe(0);
  });

  test('a message that has waited for ten minutes is dropped', async () => {
    const gate = held();
    const stage = senderOnStage(() => gate.promise, { groupWindowMs: 0 });
    void stage.start();
    stage.sendAll(destination(), named('a'), named('old'));
    await stage.clock.advance(1_000);
    stage.sendAll(destination(), named('young'));
    await stage.clock.advance(599_000);
    gate.release();
    await stage.clock.settle();
    expect(stage.posted).toEqual(['0 hooks a', '600 hooks young']);
    expect(stage.counted('dropped')).toBe(1);
  });

  test('every message is settled once: sent, given up or dropped', async () => {
    const stage = senderOnStage((host) => (host === 'bad' ? failing({ retry: false })() : taken()));
    const settled = new Map<string, number>();
    const count = (name: string) => () => void settled.set(name, (settled.get(name) ?? 0) + 1);
    stage.sender.send(destination(), named('dropped'), count('dropped'));
    for (let each = 0; each < 998; each++) stage.sender.send(destination(), named('x'));
    stage.sender.send(destination(), named('sent'), count('sent'));
    stage.sender.send(destination({ id: 'bad' }), named('failed'), count('failed'));
    void stage.start();
    await stage.clock.advance(2_000);
    expect(Object.fromEntries(settled)).toEqual({ dropped: 1, sent: 1, failed: 1 });
  });

  test('all series exist before the first message', () => {
    const { counted, queued } = senderOnStage(taken);
    for (const channel of ['slack', 'teams', 'googleChat', 'customWebhook', 'raw'])
      for (const result of ['sent', 'failed', 'retried', 'dropped'] as const)
        expect(counted(result, channel)).toBe(0);
    expect(queued()).toBe(0);
  });
});

describe('Stopping', () => {
  test('sends messages that wait for their window at once', async () => {
    const stage = senderOnStage(taken);
    const done = stage.start();
    stage.sendAll(destination(), named('a'), named('b'));
    await stage.clock.settle();
    stage.stopping.abort();
    await done;
    expect(stage.posted).toEqual(['0 hooks a,b']);
    expect(stage.clock.pendingTimers).toBe(0);
  });

  test('takes five seconds at most', async () => {
    const stage = senderOnStage(
      (_, __, signal) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () =>
            reject(new DeliveryError('the operator stops', { retry: false })),
          ),
        ),
    );
    const ended = vi.fn();
    void stage.start().then(ended);
    stage.sendAll(destination(), named('a'));
    stage.stopping.abort();
    await stage.clock.advance(4_999);
    expect(ended).not.toHaveBeenCalled();
    await stage.clock.advance(1);
    expect(ended).toHaveBeenCalled();
    expect(stage.counted('failed')).toBe(1);
  });

  test('ends a pause before another try', async () => {
    const stage = senderOnStage(failing({ retry: true, retryAfterMs: 60_000 }), { groupWindowMs: 0 });
    const ended = vi.fn();
    void stage.start().then(ended);
    stage.sendAll(destination(), named('a'));
    await stage.clock.settle();
    stage.stopping.abort();
    await stage.clock.advance(5_000);
    expect(ended).toHaveBeenCalled();
    expect(stage.failed).toEqual([`hooks: ${COARSE}`]);
    expect(stage.log.entries.at(-1)?.values).toMatchObject({ why: 'the receiver answered 500' });
  });

  test('is immediate when time is up', async () => {
    const stage = senderOnStage(failing({ retry: true }), { groupWindowMs: 0 });
    const done = stage.start();
    stage.sendAll(destination(), named('a'));
    await stage.clock.settle();
    stage.stopping.abort();
    stage.abort.abort();
    await done;
    expect(stage.clock.pendingTimers).toBe(0);
  });
});

describe('Messages that cannot be made', () => {
  test('by a template are reported with the place', async () => {
    const stage = senderOnStage(taken, { groupWindowMs: 0 });
    void stage.start();
    const format = () => () =>
      plainText(compileTemplate('{{ index .a 1 }}', { name: 'template' }).execute({ a: [] }));
    stage.sendAll(destination({ format }), named('a'));
    await stage.clock.settle();
    expect(stage.posted).toEqual([]);
    expect(stage.failed).toEqual([
      expect.stringMatching(/could not be made: template:1:\d+: .*out of range/),
    ]);
  });

  test('for another reason repeat nothing of the error', async () => {
    const stage = senderOnStage(taken, { groupWindowMs: 0 });
    void stage.start();
    stage.sendAll(
      destination({ url: () => Promise.reject(new TypeError('Invalid URL https://T0K3N')) }),
      named('a'),
    );
    await stage.clock.settle();
    expect(stage.failed).toEqual(['hooks: the message could not be made: TypeError']);
    expect(JSON.stringify(stage.log.entries)).not.toContain('T0K3N');
  });
});
