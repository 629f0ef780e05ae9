import { describe, expect, it } from 'vitest';
import type { RolloutFacts, WorkloadKind } from '../model/workload.ts';
import { workloadFacts } from '../want/world.test.support.ts';
import { rolloutOf } from './rollout.ts';

const settled: RolloutFacts = {
  generation: 2,
  observedGeneration: 2,
  wanted: 3,
  updated: 3,
  available: 3,
  total: 3,
  deadlineExceeded: false,
  paused: false,
  waits: undefined,
};

describe('the rollout of a workload', () => {
  it.each([
    ['done', {}],
    ['done', { wanted: 0, updated: 0, available: 0, total: 0 }],
    ['done', { waits: 'on-delete' }],
    ['done', { waits: 'paused', paused: true }],
    ['progressing', { observedGeneration: 1 }],
    ['progressing', { observedGeneration: 1, deadlineExceeded: true }],
    ['progressing', { observedGeneration: 1, waits: 'paused' }],
    ['progressing', { updated: 1 }],
    ['progressing', { total: 4 }],
    ['progressing', { available: 2 }],
    ['failed', { updated: 1, deadlineExceeded: true }],
    ['waiting', { updated: 0, waits: 'on-delete' }],
    ['waiting', { updated: 1, waits: 'partition' }],
    ['waiting', { updated: 0, waits: 'paused', paused: true }],
  ] as [string, Partial<RolloutFacts>][])('is %s with %j', (state, facts) => {
    const workload = workloadFacts({ rollout: { ...settled, ...facts } });
    expect(rolloutOf(workload).state).toBe(state);
  });

  it.each([
    ['Job', { finished: false }, undefined, 'progressing'],
    ['Job', { finished: true }, undefined, 'done'],
    ['Job', { finished: false }, 'suspended', 'waiting'],
    ['CronJob', {}, undefined, 'done'],
    ['CronJob', {}, 'suspended', 'waiting'],
  ] as [WorkloadKind, object, RolloutFacts['waits'], string][])(
    'of a %s with %j (%s) is %s',
    (kind, facts, waits, state) => {
      const workload = workloadFacts({ kind, ...facts, rollout: { ...settled, waits } });
      expect(rolloutOf(workload).state).toBe(state);
    },
  );

  it('says how far it is', () => {
    const workload = workloadFacts({ rollout: { ...settled, updated: 1 } });
    expect(rolloutOf(workload).message).toBe('1 of 3 pods are updated');
  });
});
