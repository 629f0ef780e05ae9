import { describe, expect, test } from 'vitest';
import type { WorkloadFacts } from '../reloader/model/workload.ts';
import type { WorkloadHistory } from '../reloader/report/history.ts';
import { recordIn, reloadedWorkload, START, START_S } from '../reloader/report/report.test.support.ts';
import { unsentReloads } from './unsent.ts';

function found(workload: WorkloadFacts, told: WorkloadHistory['reloads'] = []) {
  const record = recordIn(workload);
  return unsentReloads(record ? [[workload, record]] : [], { of: () => ({ reloads: told }) }, START).map(
    ({ entry }) => entry.seq,
  );
}

const told = (seq: number, alerted?: true) => ({
  seq,
  at: START_S,
  sources: [],
  configs: [],
  result: 'rolling' as const,
  ...(alerted && { alerted }),
});

describe('After a crash', () => {
  test.each([
    ['a second ago', -1, [1]],
    ['59 seconds ago', -59, [1]],
    ['a minute ago', -60, []],
    ['by this process', 0, []],
    ['in the future, by a clock that is wrong', 30, []],
  ])('a reload %s', (_, offset, expected) => {
    expect(found(reloadedWorkload([{ at: START_S + offset }]))).toEqual(expected);
  });

  test('all reloads of the last minute count', () => {
    expect(
      found(reloadedWorkload([{ at: START_S - 90 }, { at: START_S - 20 }, { at: START_S - 3 }])),
    ).toEqual([2, 3]);
  });

  test('not those that were reported according to the history', () => {
    const workload = reloadedWorkload([{ at: START_S - 20 }, { at: START_S - 3 }]);
    expect(found(workload, [told(1, true), told(2)])).toEqual([2]);
  });
});
