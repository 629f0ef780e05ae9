import { VirtualClock } from '@reloader/runtime/testing';
import { expect, test } from 'vitest';
import { HeapSteps } from './heap-steps.ts';

function setUp() {
  const clock = new VirtualClock();
  const done: string[] = [];
  const steps = new HeapSteps({
    clock,
    tidy: () => done.push('tidy'),
    setFlag: (flag) => done.push(flag),
  });
  const times = (count: number, act: () => void): void => {
    for (let index = 0; index < count; index++) act();
  };
  return { clock, done, steps, times };
}

test('few passes at the same time change nothing', async () => {
  const { clock, done, steps, times } = setUp();
  times(31, () => steps.begin());
  times(31, () => steps.end());
  times(31, () => steps.begin());
  await clock.advance(60_000);
  expect(done).toEqual([]);
});

test('a burst has large steps until five seconds after its last moment, and is tidied up', async () => {
  const { clock, done, steps, times } = setUp();
  times(40, () => steps.begin());
  expect(done).toEqual(['--heap-growing-percent=60']);
  await clock.advance(4_000);
  steps.begin();
  times(41, () => steps.end());
  await clock.advance(4_999);
  expect(done).toHaveLength(1);
  await clock.advance(1);
  expect(done).toEqual(['--heap-growing-percent=60', '--heap-growing-percent=15', 'tidy']);
  times(32, () => steps.begin());
  expect(done.at(-1)).toBe('--heap-growing-percent=60');
});
