import { describe, expect, it } from 'vitest';
import type { Clock } from '../../clock/clock.ts';
import { VirtualClock } from '../../clock/virtual-clock.ts';
import { Heartbeat } from './heartbeat.ts';

function heartbeat<C extends Clock>(
  clock: C,
): { clock: C; heart: Heartbeat; pings: (() => void)[]; dead: string[]; receive(): void } {
  const pings: (() => void)[] = [];
  const dead: string[] = [];
  let received = 0;
  const heart = new Heartbeat({
    clock,
    intervalMs: 15_000,
    timeoutMs: 10_000,
    received: () => received,
    ping: (answered) => pings.push(answered),
    onDead: (message) => dead.push(message),
  });
  return { clock, heart, pings, dead, receive: () => void received++ };
}

describe('a heartbeat', () => {
  it('pings after an idle interval and reports a dead connection after the timeout', async () => {
    const { clock, pings, dead } = heartbeat(new VirtualClock());
    await clock.advance(14_999);
    expect(pings).toHaveLength(0);
    await clock.advance(1);
    expect(pings).toHaveLength(1);
    await clock.advance(9_999);
    expect(dead).toEqual([]);
    await clock.advance(1);
    expect(dead).toEqual(['it did not answer a PING within 10 s']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('does not ping while bytes arrive', async () => {
    const { clock, pings, receive } = heartbeat(new VirtualClock());
    for (let second = 0; second < 120; second += 10) {
      receive();
      await clock.advance(10_000);
    }
    expect(pings).toHaveLength(0);
  });

  it('goes on with one timer after an answer', async () => {
    const { clock, pings, dead } = heartbeat(new VirtualClock());
    for (let round = 1; round <= 10; round++) {
      await clock.advance(15_000);
      expect(pings).toHaveLength(round);
      pings.at(-1)?.();
      expect(clock.pendingTimers).toBe(1);
    }
    expect(dead).toEqual([]);
  });

  it('accepts any byte instead of the answer to a PING', async () => {
    const { clock, dead, receive, pings } = heartbeat(new VirtualClock());
    await clock.advance(15_000);
    receive();
    await clock.advance(10_000);
    expect(dead).toEqual([]);
    await clock.advance(15_000);
    expect(pings).toHaveLength(2);
  });

  it('does not report a dead connection if this process was paused and the answer is unread', async () => {
    const timers: (() => void)[] = [];
    const clock: Clock = {
      now: () => 0,
      monotonic: () => 0,
      setTimeout: (callback) => ({ cancel: () => {}, index: timers.push(callback) }),
    };
    const { pings, dead } = heartbeat(clock);
    timers[0]?.();
    // Node runs due timers before it reads sockets: the timeout first, then the answer.
    timers[1]?.();
    pings[0]?.();
    await new Promise<void>((resolve) => setImmediate(resolve));
    expect(dead).toEqual([]);
  });

  it('pings at once when asked to, and not twice', async () => {
    const { clock, heart, pings, dead } = heartbeat(new VirtualClock());
    heart.probe();
    heart.probe();
    expect(pings).toHaveLength(1);
    await clock.advance(10_000);
    expect(dead).toHaveLength(1);
  });

  it('is silent after stop', async () => {
    const { clock, heart, pings, dead } = heartbeat(new VirtualClock());
    heart.probe();
    heart.stop();
    heart.probe();
    await clock.advance(60_000);
    expect(pings).toHaveLength(1);
    expect(dead).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });
});
