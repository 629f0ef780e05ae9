import { expect, test } from 'vitest';
import { ConflictError, InvalidError } from '../client/errors.ts';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { retryOnConflict } from './conflict.ts';

const conflict = () => new ConflictError({ code: 409, reason: 'Conflict', message: 'modified' });

async function outcome(promise: Promise<unknown>, clock: VirtualClock, ms: number): Promise<unknown> {
  let settled: unknown = 'pending';
  promise.then(
    (value) => (settled = value),
    (error) => (settled = error),
  );
  await clock.advance(ms);
  return settled;
}

test('an attempt without a conflict is made once', async () => {
  const tries: number[] = [];
  expect(await retryOnConflict(async (n) => tries.push(n))).toBe(1);
  expect(tries).toEqual([1]);
});

test('after a conflict it tries again 10 to 11 ms later', async () => {
  const clock = new VirtualClock();
  const times: number[] = [];
  const attempt = async (): Promise<string> => {
    times.push(clock.monotonic());
    if (times.length < 3) throw conflict();
    return 'done';
  };
  const draws = [0, 1];
  expect(
    await outcome(retryOnConflict(attempt, { clock, random: () => draws.shift() ?? 0 }), clock, 100),
  ).toBe('done');
  expect(times).toEqual([0, 10, 21]);
});

test('it gives up with the last conflict after five tries', async () => {
  const clock = new VirtualClock();
  let tries = 0;
  const attempt = async (): Promise<never> => {
    tries++;
    throw conflict();
  };
  expect(await outcome(retryOnConflict(attempt, { clock }), clock, 1_000)).toBeInstanceOf(ConflictError);
  expect(tries).toBe(5);
});

test('any other error ends it at once', async () => {
  let tries = 0;
  const attempt = async (): Promise<never> => {
    tries++;
    throw new InvalidError({ code: 422, reason: 'Invalid' });
  };
  await expect(retryOnConflict(attempt)).rejects.toBeInstanceOf(InvalidError);
  expect(tries).toBe(1);
});

test('an abort ends the wait', async () => {
  const clock = new VirtualClock();
  const stop = new AbortController();
  const running = retryOnConflict(
    async () => {
      throw conflict();
    },
    { clock, signal: stop.signal },
  );
  const settled = outcome(running, clock, 0);
  await settled;
  stop.abort(new Error('stopped'));
  await expect(running).rejects.toThrow('stopped');
  expect(clock.pendingTimers).toBe(0);
});
