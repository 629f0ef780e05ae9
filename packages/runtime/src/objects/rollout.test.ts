import { expect, test } from 'vitest';
import type { PodFailure } from './pod-failure.ts';
import { type RolloutEvidence, type RolloutStatus, rolloutStatus } from './rollout.ts';
import type { WorkloadLike } from './rollout-facts.ts';

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
  expect(() => rolloutStatus({ kind: 'Pod' })).toThrow('Cannot tell the rollout of a "Pod"');
});

const failedJob = {
  type: 'Failed',
  status: 'True' as const,
  reason: 'BackoffLimitExceeded',
  message: 'Job has reached the specified backoff limit',
};
const partitioned = { replicas: 3, updateStrategy: { rollingUpdate: { partition: 2 } } };

test.each<[string, string, Spec, Status]>([
  ['progressing Running', 'Job', {}, { active: 1 }],
  ['done', 'Job', {}, { conditions: [{ type: 'Complete', status: 'True' }] }],
  ['failed BackoffLimitExceeded retriable=false', 'Job', {}, { conditions: [failedJob] }],
  ['held Suspended', 'Job', { suspend: true }, {}],
  ['done', 'CronJob', {}, {}],
  ['held Suspended', 'CronJob', { suspend: true }, {}],
  [
    'held Paused',
    'Rollout',
    { replicas: 2 },
    { observedGeneration: '2', replicas: 2, updatedReplicas: 1, pauseConditions: [{}] },
  ],
  ['progressing UpdatingReplicas', 'Rollout', { replicas: 2 }, { replicas: 2, updatedReplicas: 1 }],
  [
    'failed ProgressDeadlineExceeded retriable=false',
    'Rollout',
    { replicas: 2 },
    { updatedReplicas: 1, conditions: [deadline] },
  ],
  ['done', 'DeploymentConfig', { replicas: 2 }, { replicas: 2, updatedReplicas: 2, availableReplicas: 2 }],
  ['progressing UpdatingReplicas', 'DeploymentConfig', { replicas: 2 }, { updatedReplicas: 1 }],
  // All pods were deleted by hand: the StatefulSet's own revisions never show that.
  [
    'done',
    'StatefulSet',
    { replicas: 2, updateStrategy: { type: 'OnDelete' } },
    { replicas: 2, updatedReplicas: 2, availableReplicas: 2, currentRevision: 'a', updateRevision: 'b' },
  ],
  // Above the partition it rolls like any other.
  ['progressing UpdatingReplicas', 'StatefulSet', partitioned, { replicas: 3, availableReplicas: 3 }],
  [
    'progressing WaitingForReadiness',
    'StatefulSet',
    partitioned,
    { replicas: 3, updatedReplicas: 1, availableReplicas: 2 },
  ],
])('%s: %s %j %j', (expected, kind, spec, status) => {
  expect(brief(rolloutStatus(workload(kind, spec, status)))).toBe(expected);
});

test('what a partition keeps back is told, and the rollout above it is done', () => {
  const status = rolloutStatus(
    workload('StatefulSet', partitioned, { replicas: 3, updatedReplicas: 1, availableReplicas: 3 }),
  );
  expect(status).toMatchObject({ state: 'done', waits: 'partition' });
  const lowered = rolloutStatus(
    workload('StatefulSet', partitioned, { replicas: 3, updatedReplicas: 3, availableReplicas: 3 }),
  );
  expect(lowered).not.toHaveProperty('waits');
});

test('a broken pod below the partition does not keep those above it from being done', () => {
  const broken = workload('StatefulSet', partitioned, {
    replicas: 3,
    updatedReplicas: 1,
    availableReplicas: 2,
  });
  expect(rolloutStatus(broken, 'StatefulSet', { readyAbovePartition: 0 }).state).toBe('progressing');
  expect(rolloutStatus(broken, 'StatefulSet', { readyAbovePartition: 1 }).state).toBe('done');
});

const crashing: PodFailure = {
  pod: 'db-2',
  container: 'main',
  reason: 'CrashLoopBackOff',
  exitCode: 1,
  restarts: 3,
};
const MINUTE = 60_000;
const half: Status = { replicas: 3, updatedReplicas: 1, availableReplicas: 2 };
const halfOfNodes: Status = { desiredNumberScheduled: 3, updatedNumberScheduled: 1 };

test.each<[string, string, Spec, Status, RolloutEvidence]>([
  ['failed CrashLoopBackOff retriable=true', 'StatefulSet', { replicas: 3 }, half, { failing: crashing }],
  ['failed CrashLoopBackOff retriable=true', 'DaemonSet', {}, halfOfNodes, { failing: crashing }],
  ['failed CrashLoopBackOff retriable=true', 'Deployment', { replicas: 3 }, half, { failing: crashing }],
  ['failed CrashLoopBackOff retriable=true', 'Job', {}, { active: 1 }, { failing: crashing }],
  ['done', 'Deployment', { replicas: 0 }, {}, { failing: crashing }],
  ['held Paused', 'Deployment', { replicas: 3, paused: true }, half, { failing: crashing }],
  [
    'progressing UpdatingReplicas',
    'StatefulSet',
    { replicas: 3 },
    half,
    { stalledMs: 14 * MINUTE, deadlineMs: 15 * MINUTE },
  ],
  [
    'failed NoProgress retriable=true',
    'StatefulSet',
    { replicas: 3 },
    half,
    { stalledMs: 15 * MINUTE, deadlineMs: 15 * MINUTE },
  ],
  [
    'failed NoProgress retriable=true',
    'DaemonSet',
    {},
    halfOfNodes,
    { stalledMs: 15 * MINUTE, deadlineMs: 15 * MINUTE },
  ],
  // Its own, longer deadline was set on purpose.
  [
    'progressing UpdatingReplicas',
    'Deployment',
    { replicas: 3, progressDeadlineSeconds: 3600 },
    half,
    { stalledMs: 59 * MINUTE, deadlineMs: 15 * MINUTE },
  ],
  [
    'failed NoProgress retriable=true',
    'Deployment',
    { replicas: 3, progressDeadlineSeconds: 2_147_483_647 },
    half,
    { stalledMs: 15 * MINUTE, deadlineMs: 15 * MINUTE },
  ],
  ['progressing Running', 'Job', {}, { active: 1 }, { stalledMs: 90 * MINUTE, deadlineMs: 15 * MINUTE }],
])('%s: %s %j %j %j', (expected, kind, spec, status, evidence) => {
  expect(brief(rolloutStatus(workload(kind, spec, status), kind, evidence))).toBe(expected);
});

test('a failure names pod, container, reason and exit code', () => {
  const { message } = rolloutStatus(workload('StatefulSet', { replicas: 3 }, half), 'StatefulSet', {
    failing: crashing,
  });
  expect(message).toBe('pod db-2: container main: CrashLoopBackOff, exit code 1, 3 restarts');
});
