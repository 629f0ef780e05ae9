import { expect, test } from 'vitest';
import { refOf } from '../model/workload.ts';
import { recordIn, reloadedWorkload, START_S } from '../report/report.test.support.ts';
import { LiveView, type ViewOptions } from './view.ts';

test('the record of a workload is known without its sources, which cost more', () => {
  const workload = reloadedWorkload([{ at: START_S - 3 }]);
  const view = new LiveView({
    // Nothing else of the world is asked for.
    world: { workload: () => workload },
    install: { keyId: undefined },
    note: () => ({ kind: 'absent' }),
    state: () => undefined,
  } as unknown as ViewOptions);
  const recorded = view.recorded(refOf(workload));
  expect(recorded).toBeDefined();
  expect(recorded).toEqual(recordIn(workload));
});
