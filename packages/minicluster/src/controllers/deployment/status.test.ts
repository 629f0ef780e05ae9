import { describe, expect, test } from 'vitest';
import type { Condition, Deployment, ReplicaSet } from '../types.ts';
import { hasDeadline, isComplete, msToDeadline, withFailure, withProgress } from './status.ts';

const NOW = Date.parse('2030-01-01T00:10:00Z');
const deployment = (spec: object): Deployment =>
  ({ metadata: { name: 'web', generation: 2 }, spec: { replicas: 2, ...spec } }) as unknown as Deployment;
const complete = { observedGeneration: 2, replicas: 2, updatedReplicas: 2, availableReplicas: 2 };
const failing = (message: string): ReplicaSet =>
  ({
    status: {
      conditions: [
        {
          type: 'ReplicaFailure',
          status: 'True',
          reason: 'FailedCreate',
          message,
          lastTransitionTime: 'then',
        },
      ],
    },
  }) as unknown as ReplicaSet;

describe('a progress deadline', () => {
  test.each([
    [undefined, false],
    [2 ** 31 - 1, false],
    [600, true],
  ])('of %s seconds exists: %s', (progressDeadlineSeconds, expected) => {
    const subject = deployment({ progressDeadlineSeconds });
    expect(hasDeadline(subject)).toBe(expected);
    const progress: Condition = { type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated' };
    const stuck = { ...complete, availableReplicas: 1, conditions: [progress] };
    expect(withProgress(subject, stuck, undefined, NOW).conditions).toHaveLength(expected ? 1 : 0);
  });

  test('runs from the last progress on', () => {
    const progress = {
      type: 'Progressing',
      status: 'True',
      reason: 'ReplicaSetUpdated',
      lastUpdateTime: '2030-01-01T00:09:00Z',
    };
    const subject = deployment({ progressDeadlineSeconds: 90 });
    expect(msToDeadline(subject, { conditions: [progress] }, NOW)).toBe(30_000);
  });
});

describe('a rollout', () => {
  test('is complete when all pods are new and available', () => {
    expect(isComplete(deployment({}), complete)).toBe(true);
    expect(isComplete(deployment({}), { ...complete, replicas: 3 })).toBe(false);
  });

  test('is not judged by a status from before the newest spec', () => {
    expect(isComplete(deployment({}), { ...complete, observedGeneration: 1 })).toBe(false);
  });
});

describe('a ReplicaSet that cannot create pods', () => {
  const available: Condition = { type: 'Available', status: 'True' };

  test('shows on the Deployment, the current one before others', () => {
    const { conditions } = withFailure({ conditions: [available] }, failing('new'), [failing('old')]);
    expect(conditions).toMatchObject([
      { type: 'Available' },
      { type: 'ReplicaFailure', reason: 'FailedCreate', message: 'new', lastUpdateTime: 'then' },
    ]);
    const other = withFailure({ conditions: [] }, undefined, [failing('old')]);
    expect(other.conditions).toMatchObject([{ message: 'old' }]);
  });

  test('is shown once, and no more when it is over', () => {
    const once = withFailure({ conditions: [available] }, failing('first'), []);
    const again = withFailure(once, failing('second'), []);
    expect(again.conditions).toEqual(once.conditions);
    expect(withFailure(again, undefined, []).conditions).toEqual([available]);
  });
});
