import { expect, test } from 'vitest';
import { type RolloutStatus, rolloutStatus, type WorkloadLike } from './rollout.ts';

type Spec = NonNullable<WorkloadLike['spec']>;
type Status = NonNullable<WorkloadLike['status']>;

function workload(kind: string, spec: Spec, status: Status): WorkloadLike {
  return { kind, metadata: { generation: 2 }, spec, status: { observedGeneration: 2, ...status } };
}

function brief(status: RolloutStatus): string {
  if (status.state === 'done') return 'done';
  const retriable = status.state === 'failed' ? ` retriable=${status.retriable}` : '';
  return `${status.state} ${status.reason}${retriable}`;
}

const deadline = {
  type: 'Progressing',
  status: 'False' as const,
  reason: 'ProgressDeadlineExceeded',
  message: 'has timed out',
};
const quota = {
  type: 'ReplicaFailure',
  status: 'True' as const,
  reason: 'FailedCreate',
  message: 'exceeded quota',
};

test.each<[string, string, Spec, Status]>([
  ['done', 'Deployment', { replicas: 3 }, { replicas: 3, updatedReplicas: 3, availableReplicas: 3 }],
  ['done', 'Deployment', {}, { replicas: 1, updatedReplicas: 1, availableReplicas: 1 }],
  ['done', 'Deployment', { replicas: 0 }, {}],
  [
    'progressing UpdatingReplicas',
    'Deployment',
    { replicas: 3 },
    { replicas: 3, updatedReplicas: 1, availableReplicas: 3 },
  ],
  [
    'progressing RemovingOldReplicas',
    'Deployment',
    { replicas: 3 },
    { replicas: 4, updatedReplicas: 3, availableReplicas: 4 },
  ],
  [
    'progressing WaitingForAvailability',
    'Deployment',
    { replicas: 3 },
    { replicas: 3, updatedReplicas: 3, availableReplicas: 2 },
  ],
  [
    'failed ProgressDeadlineExceeded retriable=false',
    'Deployment',
    { replicas: 3 },
    { replicas: 3, updatedReplicas: 1, conditions: [deadline] },
  ],
  [
    'failed FailedCreate retriable=true',
    'Deployment',
    { replicas: 3 },
    { replicas: 3, updatedReplicas: 1, conditions: [quota] },
  ],
  [
    'done',
    'Deployment',
    { replicas: 1 },
    { replicas: 1, updatedReplicas: 1, availableReplicas: 1, conditions: [quota] },
  ],
  ['held Paused', 'Deployment', { replicas: 3, paused: true }, { replicas: 3, updatedReplicas: 1 }],
  [
    'done',
    'Deployment',
    { replicas: 1, paused: true },
    { replicas: 1, updatedReplicas: 1, availableReplicas: 1 },
  ],
  [
    'done',
    'StatefulSet',
    { replicas: 3 },
    { readyReplicas: 3, updatedReplicas: 3, currentRevision: 'b', updateRevision: 'b' },
  ],
  [
    'progressing WaitingForReadiness',
    'StatefulSet',
    { replicas: 3 },
    { readyReplicas: 2, updatedReplicas: 3, currentRevision: 'b', updateRevision: 'b' },
  ],
  [
    'progressing UpdatingReplicas',
    'StatefulSet',
    { replicas: 3 },
    { readyReplicas: 3, updatedReplicas: 2, currentRevision: 'a', updateRevision: 'b' },
  ],
  [
    'done',
    'StatefulSet',
    { replicas: 3, updateStrategy: { rollingUpdate: { partition: 2 } } },
    { readyReplicas: 3, updatedReplicas: 1, currentRevision: 'a', updateRevision: 'b' },
  ],
  [
    'progressing UpdatingReplicas',
    'StatefulSet',
    { replicas: 3, updateStrategy: { rollingUpdate: { partition: 1 } } },
    { readyReplicas: 3, updatedReplicas: 1, currentRevision: 'a', updateRevision: 'b' },
  ],
  [
    'done',
    'StatefulSet',
    { replicas: 3, updateStrategy: { rollingUpdate: { partition: 9 } } },
    { readyReplicas: 3, currentRevision: 'a', updateRevision: 'b' },
  ],
  [
    'held OnDelete',
    'StatefulSet',
    { replicas: 3, updateStrategy: { type: 'OnDelete' } },
    { readyReplicas: 3, currentRevision: 'a', updateRevision: 'b' },
  ],
  [
    'done',
    'StatefulSet',
    { replicas: 3, updateStrategy: { type: 'OnDelete' } },
    { readyReplicas: 3, currentRevision: 'b', updateRevision: 'b' },
  ],
  ['done', 'DaemonSet', {}, { desiredNumberScheduled: 5, updatedNumberScheduled: 5, numberAvailable: 5 }],
  ['done', 'DaemonSet', {}, {}],
  [
    'progressing UpdatingPods',
    'DaemonSet',
    {},
    { desiredNumberScheduled: 5, updatedNumberScheduled: 4, numberAvailable: 5 },
  ],
  [
    'progressing WaitingForAvailability',
    'DaemonSet',
    {},
    { desiredNumberScheduled: 5, updatedNumberScheduled: 5, numberAvailable: 4 },
  ],
  [
    'held OnDelete',
    'DaemonSet',
    { updateStrategy: { type: 'OnDelete' } },
    { desiredNumberScheduled: 5, updatedNumberScheduled: 4 },
  ],
])('%s: %s %j %j', (expected, kind, spec, status) => {
  expect(brief(rolloutStatus(workload(kind, spec, status)))).toBe(expected);
});

test.each(['Deployment', 'StatefulSet', 'DaemonSet'])(
  'a %s whose spec was not seen yet is not done',
  (kind) => {
    const stale: Status = {
      observedGeneration: 1,
      replicas: 1,
      updatedReplicas: 1,
      availableReplicas: 1,
      readyReplicas: 1,
    };
    expect(brief(rolloutStatus(workload(kind, {}, stale)))).toBe('progressing SpecNotObserved');
  },
);

test('a failure carries the message of its condition', () => {
  const status = rolloutStatus(workload('Deployment', {}, { conditions: [deadline] }));
  expect(status.message).toBe('has timed out');
});

test('the kind can be given for an object that does not carry it', () => {
  const { kind, ...nameless } = workload('DaemonSet', {}, {});
  expect(rolloutStatus(nameless, kind).state).toBe('done');
  expect(() => rolloutStatus(nameless)).toThrow('Cannot tell the rollout of a "undefined"');
});

test('other kinds are refused', () => {
  expect(() => rolloutStatus({ kind: 'Job' })).toThrow('Cannot tell the rollout of a "Job"');
});
