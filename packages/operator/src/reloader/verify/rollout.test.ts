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
    ['held', { updated: 0, waits: 'on-delete' }],
    ['progressing', { updated: 1, waits: 'partition', partition: 1 }],
    ['done', { updated: 1, waits: 'partition', partition: 2 }],
    ['held', { updated: 0, waits: 'paused', paused: true }],
  ] as [string, Partial<RolloutFacts>][])('is %s with %j', (state, facts) => {
    const workload = workloadFacts({ rollout: { ...settled, ...facts } });
    expect(rolloutOf(workload).state).toBe(state);
  });

  it.each([
    ['Job', {}, 'progressing'],
    ['Job', { finished: true }, 'done'],
    ['Job', { finished: true, failure: { reason: 'BackoffLimitExceeded', message: '' } }, 'failed'],
    ['Job', { waits: 'suspended' }, 'held'],
    ['CronJob', {}, 'done'],
    ['CronJob', { waits: 'suspended' }, 'held'],
  ] as [WorkloadKind, Partial<RolloutFacts>, string][])('of a %s with %j is %s', (kind, facts, state) => {
    expect(rolloutOf(workloadFacts({ kind, rollout: { ...settled, ...facts } })).state).toBe(state);
  });

  it('says how far it is', () => {
    const workload = workloadFacts({ rollout: { ...settled, updated: 1 } });
    expect(rolloutOf(workload).message).toBe('1 of 3 pods are updated');
  });
});
