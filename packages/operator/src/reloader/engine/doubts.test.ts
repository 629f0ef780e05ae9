import { describe, expect, it } from 'vitest';
import { MOST_DOUBTS } from '../model/doubts.ts';
import { Doubts } from './doubts.ts';

function setUp(expected: readonly string[] = []) {
  const woken: string[] = [];
  const clock = { now: 1_000 };
  const told = { times: 0 };
  const doubts = new Doubts({
    expected: () => expected,
    wake: (key) => woken.push(key),
    now: () => clock.now,
    tooMany: () => {
      told.times += 1;
    },
  });
  const addMany = (count: number, prefix = 'w'): void => {
    for (let number = 0; number < count; number += 1) {
      doubts.add(`${prefix}${number}`);
      doubts.looked(`${prefix}${number}`);
    }
  };
  return { doubts, woken, clock, told, addMany };
}

describe('Doubts', () => {
  it('wait until every workload had a pass, and are woken then', () => {
    const { doubts, woken } = setUp(['early', 'a', 'late']);
    doubts.looked('early');
    expect(doubts.add('a')).toBe(true);
    doubts.looked('a');
    expect(doubts.count).toBe('counting');
    doubts.looked('late');
    expect(doubts.count).toBe('few');
    expect(woken).toEqual(['a']);
  });

  it('are reported as new only once', () => {
    const { doubts } = setUp();
    expect([doubts.add('a'), doubts.add('a')]).toEqual([true, false]);
  });

  it.each([
    [MOST_DOUBTS, 'few', 0],
    [MOST_DOUBTS + 1, 'many', 1],
  ])('%i of them are %s', (count, answer, times) => {
    const keys = Array.from({ length: count }, (_, number) => `w${number}`);
    const { doubts, told, woken, addMany } = setUp(keys);
    addMany(count);
    expect(doubts.count).toBe(answer);
    expect(told.times).toBe(times);
    expect(woken).toEqual(keys);
  });

  it('are many as soon as the limit is exceeded, even before all workloads had a pass', () => {
    const { doubts, addMany } = setUp(['late']);
    addMany(MOST_DOUBTS + 1);
    expect(doubts.count).toBe('many');
  });

  it('that are found after the count, are counted with those before', () => {
    const { doubts, told, addMany } = setUp();
    addMany(MOST_DOUBTS);
    expect(doubts.count).toBe('few');
    addMany(2, 'late');
    expect(doubts.count).toBe('many');
    expect(told.times, 'told once').toBe(1);
  });

  it('do not wait forever for a workload that never has a pass', () => {
    const { doubts, clock, woken } = setUp(['never']);
    doubts.add('a');
    doubts.looked('a');
    clock.now += 119_999;
    doubts.looked('b');
    expect(doubts.count).toBe('counting');
    clock.now += 1;
    doubts.looked('a');
    expect(doubts.count).toBe('few');
    expect(woken).toEqual(['a']);
  });

  it('of long ago are not counted: one in a week does not indicate a restart', () => {
    const { doubts, clock, addMany } = setUp();
    addMany(MOST_DOUBTS + 1);
    expect(doubts.count).toBe('many');
    clock.now += 600_001;
    expect(doubts.count).toBe('few');
    expect(doubts.add('a')).toBe(true);
    expect(doubts.count).toBe('few');
  });
});
