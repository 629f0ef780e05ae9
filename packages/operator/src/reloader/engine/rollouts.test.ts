import { describe, expect, it } from 'vitest';
import { UnfinishedRollouts } from './rollouts.ts';

function setUp() {
  const woken: string[] = [];
  return { woken, rollouts: new UnfinishedRollouts((key) => woken.push(key)) };
}

describe('Unfinished rollouts', () => {
  it('are counted without the one that asks', () => {
    const { rollouts } = setUp();
    rollouts.set('a', true);
    rollouts.set('b', true);
    rollouts.set('b', true);
    expect(rollouts.countWithout('a')).toBe(1);
    expect(rollouts.countWithout('c')).toBe(2);
  });

  it('wake one that waits for each that ends, the first first', () => {
    const { rollouts, woken } = setUp();
    for (const key of ['a', 'b']) rollouts.set(key, true);
    for (const key of ['x', 'y', 'z']) rollouts.wait(key);
    rollouts.set('a', false);
    expect(woken).toEqual(['x']);
    rollouts.set('a', false);
    expect(woken).toEqual(['x']);
    rollouts.set('b', false);
    expect(woken).toEqual(['x', 'y']);
  });

  it('do not wake what began by itself, or is gone', () => {
    const { rollouts, woken } = setUp();
    rollouts.set('a', true);
    for (const key of ['x', 'y']) rollouts.wait(key);
    rollouts.set('x', true);
    rollouts.forget('y');
    rollouts.set('a', false);
    expect(woken).toEqual([]);
  });

  it('a workload that is deleted in mid-rollout makes room', () => {
    const { rollouts, woken } = setUp();
    rollouts.set('a', true);
    rollouts.wait('x');
    rollouts.forget('a');
    expect(woken).toEqual(['x']);
    expect(rollouts.countWithout('')).toBe(0);
  });
});
