import { performance } from 'node:perf_hooks';
import { describe, expect, test, vi } from 'vitest';
import type { Ledger } from '../reloader/model/ledger.ts';
import type { WorkloadFacts } from '../reloader/model/workload.ts';
import type { WorkloadHistory } from '../reloader/report/history.ts';
import { recordIn, reloadedWorkload, START, START_S } from '../reloader/report/report.test.support.ts';
import { unsentReloads } from './unsent.ts';

async function found(workload: WorkloadFacts, told: WorkloadHistory['reloads'] = []): Promise<number[]> {
  const record = recordIn(workload);
  const history = { of: () => ({ reloads: told }) };
  const unsent = await unsentReloads(record ? [[workload, record]] : [], history, START);
  return unsent.map(({ entry }) => entry.seq);
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
  ])('a reload %s', async (_, offset, expected) => {
    expect(await found(reloadedWorkload([{ at: START_S + offset }]))).toEqual(expected);
  });

  test('all reloads of the last minute count', async () => {
    expect(
      await found(reloadedWorkload([{ at: START_S - 90 }, { at: START_S - 20 }, { at: START_S - 3 }])),
    ).toEqual([2, 3]);
  });

  test('not those that were reported according to the history', async () => {
    const workload = reloadedWorkload([{ at: START_S - 20 }, { at: START_S - 3 }]);
    expect(await found(workload, [told(1, true), told(2)])).toEqual([2]);
  });

  test('the records of many workloads are read a few at a time', async () => {
    const workload = reloadedWorkload([{ at: START_S - 3 }]);
    const record = recordIn(workload);
    if (!record) throw new Error('it was reloaded');
    // Every look at the clock is a millisecond later.
    let now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => now++);
    let read = 0;
    function* records(): Generator<readonly [WorkloadFacts, Ledger]> {
      for (; read < 100; read += 1) yield [workload, record as Ledger];
    }
    let [most, before] = [0, 0];
    const count = (): void => {
      most = Math.max(most, read - before);
      before = read;
    };
    let next = setImmediate(function turn() {
      count();
      next = setImmediate(turn);
    });
    const unsent = await unsentReloads(records(), { of: () => undefined }, START);
    clearImmediate(next);
    count();
    vi.restoreAllMocks();
    expect(unsent).toHaveLength(100);
    expect(most).toBeLessThanOrEqual(10);
  });
});
