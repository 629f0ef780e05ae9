import { describe, expect, it } from 'vitest';
import type { Budget, Waiting } from '../model/budget.ts';
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

const ONE: Budget = { name: 'one at a time', limit: 1, has: () => true };
const waiting = (key: string, parts: Partial<Waiting> = {}): Omit<Waiting, 'looksAt'> => ({
  key,
  since: 1,
  from: 1_000,
  budgets: [ONE],
  ...parts,
});

describe('Unfinished rollouts', () => {
  it('are named once', () => {
    const { rollouts } = setUp();
    for (const key of ['a', 'b', 'b']) rollouts.set(key, true);
    expect(rollouts.slots().running).toEqual(['a', 'b']);
  });

  it('wake the oldest when one ends, whenever it came', () => {
    const { rollouts, woken } = setUp();
    rollouts.set('a', true);
    rollouts.wait(waiting('x', { since: 30 }));
    rollouts.wait(waiting('y', { since: 10 }));
    rollouts.wait(waiting('z', { since: 20 }));
    expect(rollouts.slots().waiting.map(({ key }) => key)).toEqual(['y', 'z', 'x']);
    rollouts.set('a', false);
    expect(woken).toEqual(['y']);
    rollouts.set('a', false);
    expect(woken).toEqual(['y']);
  });

  it('wake the next when the oldest no longer wants its slot, gives up its turn, or is gone', () => {
    const { rollouts, woken } = setUp();
    for (const [since, key] of ['w', 'x', 'y', 'z'].entries()) rollouts.wait(waiting(key, { since }));
    rollouts.stopWaiting('w');
    rollouts.forget('x');
    rollouts.wait(waiting('y', { since: 2, from: 2_000 }));
    expect(woken).toEqual(['x', 'y', 'z']);
  });

  it('wake no other workload for a slot that the waiting workload takes', () => {
    const { rollouts, woken } = setUp();
    rollouts.wait(waiting('x'));
    rollouts.wait(waiting('y'));
    rollouts.set('x', true);
    expect(woken).toEqual([]);
    expect(rollouts.slots().waiting.map(({ key }) => key)).toEqual(['y']);
  });

  it('pass over those that another budget holds', () => {
    const { rollouts, woken } = setUp();
    const shop: Budget = { name: 'of shop', limit: 1, has: (key) => key.startsWith('shop') };
    const two: Budget = { ...ONE, limit: 2 };
    rollouts.set('shop-a', true);
    rollouts.set('lab-a', true);
    rollouts.wait(waiting('shop-b', { budgets: [two, shop] }));
    rollouts.wait(waiting('lab-b', { since: 2, budgets: [two] }));
    rollouts.set('lab-a', false);
    expect(woken).toEqual(['lab-b']);
  });

  it('look again by themselves, the first in line more often', () => {
    const { rollouts } = setUp();
    const looks = Array.from({ length: 30 }, (_, since) => rollouts.wait(waiting(`w${since}`, { since })));
    expect(new Set(looks.slice(0, 20))).toEqual(new Set([31_000]));
    expect(new Set(looks.slice(20))).toEqual(new Set([301_000]));
    expect(rollouts.wait(waiting('later', { from: 2_000 }))).toBe(2_000);
  });

  it('a woken workload that does not take its slot within a minute loses its turn', () => {
    const { rollouts, woken, clock } = setUp();
    rollouts.set('a', true);
    rollouts.wait(waiting('x'));
    rollouts.wait(waiting('y', { since: 2 }));
    rollouts.set('a', false);
    clock.now += 60_000;
    rollouts.set('b', true);
    rollouts.set('b', false);
    expect(woken).toEqual(['x', 'y']);
  });

  it('a workload that is deleted in mid-rollout makes room', () => {
    const { rollouts, woken } = setUp();
    rollouts.set('a', true);
    rollouts.wait(waiting('x'));
    rollouts.forget('a');
    expect(woken).toEqual(['x']);
    expect(rollouts.slots().running).toEqual([]);
  });

  it('a change that waited before keeps its place until its first pass tells more', () => {
    const { rollouts } = setUp();
    rollouts.expect('x', 5);
    rollouts.wait(waiting('y', { since: 3 }));
    rollouts.expect('y', 9);
    expect(rollouts.slots().waiting).toMatchObject([
      { key: 'y', since: 3 },
      { key: 'x', since: 5, budgets: [] },
    ]);
  });

  it('hold no slot for longer than the deadline unless a pass reports that they go on', () => {
    const { rollouts, clock } = setUp();
    rollouts.set('a', true);
    rollouts.set('b', true);
    clock.now += DEADLINE - 1;
    rollouts.set('b', true);
    clock.now += 1;
    expect(rollouts.slots().running).toEqual(['b']);
  });
});
