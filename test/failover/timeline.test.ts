import { describe, expect, test } from 'vitest';
import { type Holding, isContiguous, overlapping, type Tick, wasUnderWay } from './timeline.ts';

const held = (revision: number, holder: string | undefined, epoch: number): Holding => ({
  revision,
  holder,
  epoch,
});
const tick = (revision: number, count: number, writer: string, epoch: number, begun = 0): Tick => ({
  revision,
  count,
  writer,
  epoch,
  begun,
});

describe('the judge of the failover tests', () => {
  const holdings = [held(10, 'a', 0), held(20, 'a', 0), held(30, 'b', 1)];

  test('finds nothing wrong with writes of the holder of the Lease', () => {
    expect(overlapping([tick(11, 1, 'a', 0), tick(29, 2, 'a', 0), tick(31, 3, 'b', 1)], holdings)).toEqual(
      [],
    );
  });

  test('finds a write that a former leader made after the lease changed hands', () => {
    const late = tick(31, 3, 'a', 0);
    expect(overlapping([tick(11, 1, 'a', 0), late, tick(32, 4, 'b', 1)], holdings)).toEqual([late]);
  });

  test('finds a write of a former term of the same holder', () => {
    const late = tick(51, 5, 'a', 0);
    expect(overlapping([late], [...holdings, held(50, 'a', 2)])).toEqual([late]);
  });

  test('finds a write after the Lease was released, and one before any replica held it', () => {
    const late = tick(41, 4, 'b', 1);
    const early = tick(9, 0, 'a', 0);
    expect(overlapping([early, late], [...holdings, held(40, undefined, 1)])).toEqual([early, late]);
  });

  test('tells a write that was under way when its process was stopped from one that began later', () => {
    const stops = [
      { writer: 'a', at: 1_000 },
      { writer: 'b', at: 9_000 },
    ];
    expect(wasUnderWay(tick(31, 3, 'a', 0, 1_000), stops)).toBe(true);
    expect(wasUnderWay(tick(31, 3, 'a', 0, 1_001), stops)).toBe(false);
    expect(wasUnderWay(tick(31, 3, 'c', 0, 500), stops)).toBe(false);
  });

  test('tells a lost write from a whole history', () => {
    expect(isContiguous([tick(1, 7, 'a', 0), tick(2, 8, 'a', 0)])).toBe(true);
    expect(isContiguous([tick(1, 7, 'a', 0), tick(2, 7, 'b', 1)])).toBe(false);
    expect(isContiguous([tick(1, 7, 'a', 0), tick(2, 9, 'b', 1)])).toBe(false);
  });
});
