import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { Exchange } from './exchange.ts';

const never = new Promise<never>(() => {});

describe('An exchange', () => {
  it('gives what the work gives', async () => {
    const clock = new VirtualClock();
    const exchange = new Exchange(clock, 1000);
    const error = new Error('broken');
    expect(await exchange.guard(Promise.resolve(7))).toEqual({ type: 'done', value: 7 });
    expect(await exchange.guard(Promise.reject(error))).toEqual({ type: 'failed', error });
    exchange.end();
    expect(clock.pendingTimers).toBe(0);
  });

  it('is idle when nothing moved for the idle time, counted from before the request', async () => {
    const clock = new VirtualClock();
    const exchange = new Exchange(clock, 1000);
    await clock.advance(600);
    const outcome = exchange.guard(never);
    await clock.advance(399);
    expect(exchange.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(await outcome).toEqual({ type: 'idle' });
    expect(exchange.signal.aborted).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is not idle while something moves', async () => {
    const clock = new VirtualClock();
    const exchange = new Exchange(clock, 1000);
    for (let round = 0; round < 10; round++) {
      await clock.advance(900);
      exchange.touch();
    }
    expect(exchange.signal.aborted).toBe(false);
    await clock.advance(1000);
    expect(exchange.signal.aborted).toBe(true);
  });

  it('is never idle without an idle time', async () => {
    const clock = new VirtualClock();
    const exchange = new Exchange(clock, Number.POSITIVE_INFINITY);
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(1e9);
    expect(exchange.signal.aborted).toBe(false);
  });

  it('says stopped when it is ended, even if the work fails because of that', async () => {
    const exchange = new Exchange(new VirtualClock(), 1000);
    const work = new Promise((_, reject) =>
      exchange.signal.addEventListener('abort', () => reject(new Error('aborted'))),
    );
    const outcome = exchange.guard(work);
    exchange.end();
    exchange.end();
    expect(await outcome).toEqual({ type: 'stopped' });
    expect(await exchange.guard(Promise.resolve(1))).toEqual({ type: 'stopped' });
  });
});
