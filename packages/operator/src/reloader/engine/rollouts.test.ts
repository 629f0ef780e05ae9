import { describe, expect, it } from 'vitest';
import { UnfinishedRollouts } from './rollouts.ts';

const DEADLINE = 900_000;

function setUp() {
  const woken: string[] = [];
  const clock = { now: 1_000 };
  const rollouts = new UnfinishedRollouts(
    (key) => woken.push(key),
    () => clock.now,
    DEADLINE,
  );
  return { woken, clock, rollouts };
}

describe('Unfinished rollouts', () => {
  it('are named without the one that asks', () => {
    const { rollouts } = setUp();
    rollouts.set('a', true);
    rollouts.set('b', true);
    rollouts.set('b', true);
    expect(rollouts.without('a')).toEqual(['b']);
    expect(rollouts.without('c')).toEqual(['a', 'b']);
  });

  it('wake everybody who waits when one ends, the first first', () => {
    const { rollouts, woken } = setUp();
    for (const key of ['a', 'b']) rollouts.set(key, true);
    for (const key of ['x', 'y', 'z']) rollouts.wait(key);
    rollouts.set('a', false);
    expect(woken).toEqual(['x', 'y', 'z']);
    rollouts.set('a', false);
    expect(woken).toHaveLength(3);
    rollouts.set('x', true);
    rollouts.set('b', false);
    expect(woken.slice(3)).toEqual(['y', 'z']);
  });

  it('do not wake what began by itself, needs no slot, or is gone', () => {
    const { rollouts, woken } = setUp();
    rollouts.set('a', true);
    for (const key of ['x', 'y', 'z']) rollouts.wait(key);
    rollouts.set('x', true);
    rollouts.forget('y');
    rollouts.stopWaiting('z');
    rollouts.set('a', false);
    expect(woken).toEqual([]);
  });

  it('a workload that is deleted in mid-rollout makes room', () => {
    const { rollouts, woken } = setUp();
    rollouts.set('a', true);
    rollouts.wait('x');
    rollouts.forget('a');
    expect(woken).toEqual(['x']);
    expect(rollouts.without('')).toEqual([]);
  });

  it('hold no slot for longer than the deadline unless somebody says that they go on', () => {
    const { rollouts, clock } = setUp();
    rollouts.set('a', true);
    rollouts.set('b', true);
    clock.now += DEADLINE - 1;
    rollouts.set('b', true);
    clock.now += 1;
    expect(rollouts.without('')).toEqual(['b']);
  });
});
