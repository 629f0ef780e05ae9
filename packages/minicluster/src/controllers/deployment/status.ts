/** A Deployment's status from its ReplicaSets. Pure. */
import { timestamp, withCondition } from '../status-writer.ts';
import type { Condition, Deployment, ReplicaSet } from '../types.ts';
import { fenceposts, wantedReplicas } from './scaling.ts';

type DeploymentStatus = NonNullable<Deployment['status']>;

const total = (sets: readonly ReplicaSet[], of: (set: ReplicaSet) => number | undefined): number =>
  sets.reduce((count, set) => count + (of(set) ?? 0), 0);

/** Kubernetes omits zero counts. */
const counted = (count: number): number | undefined => (count > 0 ? count : undefined);

export function observedStatus(
  deployment: Deployment,
  fresh: ReplicaSet | undefined,
  all: readonly ReplicaSet[],
  now: number,
): DeploymentStatus {
  const available = total(all, (set) => set.status?.availableReplicas);
  const enough = available >= wantedReplicas(deployment) - fenceposts(deployment).maxUnavailable;
  const status: Record<string, unknown> = {
    observedGeneration: deployment.metadata.generation,
    replicas: counted(total(all, (set) => set.status?.replicas)),
    updatedReplicas: counted(fresh?.status?.replicas ?? 0),
    readyReplicas: counted(total(all, (set) => set.status?.readyReplicas)),
    availableReplicas: counted(available),
    terminatingReplicas: total(all, (set) => set.status?.terminatingReplicas),
    unavailableReplicas: counted(total(all, (set) => set.spec.replicas) - available),
    collisionCount: deployment.status?.collisionCount,
    conditions: withCondition(
      deployment.status?.conditions,
      {
        type: 'Available',
        status: enough ? 'True' : 'False',
        reason: enough ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
        message: `Deployment ${enough ? 'has' : 'does not have'} minimum availability.`,
        lastUpdateTime: timestamp(now),
      },
      timestamp(now),
    ),
  };
  return status as DeploymentStatus;
}

/** A status from before the newest spec must be ignored. */
export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const replicas = wantedReplicas(deployment);
  return (
    status.observedGeneration === deployment.metadata.generation &&
    (status.updatedReplicas ?? 0) === replicas &&
    (status.replicas ?? 0) === replicas &&
    (status.availableReplicas ?? 0) === replicas
  );
}

/** The largest integer means no deadline, as does an absent one. */
const NO_DEADLINE = 2 ** 31 - 1;

export function hasDeadline({ spec }: Deployment): boolean {
  return spec.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== NO_DEADLINE;
}

export const progressing = (status: DeploymentStatus | undefined): Condition | undefined =>
  status?.conditions?.find(({ type }) => type === 'Progressing');

function hasMoved(before: DeploymentStatus, after: DeploymentStatus): boolean {
  const old = (status: DeploymentStatus): number => (status.replicas ?? 0) - (status.updatedReplicas ?? 0);
  return (
    (after.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    old(after) < old(before) ||
    (after.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

/** Milliseconds until the progress deadline; undefined if there is none. */
export function msToDeadline(
  deployment: Deployment,
  status: DeploymentStatus,
  now: number,
): number | undefined {
  const { progressDeadlineSeconds: seconds = 0 } = deployment.spec;
  const condition = progressing(status);
  if (!hasDeadline(deployment) || !condition) return undefined;
  if (condition.reason === 'NewReplicaSetAvailable' || condition.reason === 'ProgressDeadlineExceeded')
    return undefined;
  return Date.parse(condition.lastUpdateTime ?? condition.lastTransitionTime ?? '') + seconds * 1000 - now;
}

/** The status with its Progressing condition updated: complete, progressing, or deadline exceeded. */
export function withProgress(
  deployment: Deployment,
  status: DeploymentStatus,
  fresh: ReplicaSet | undefined,
  now: number,
): DeploymentStatus {
  if (!hasDeadline(deployment)) {
    return { ...status, conditions: (status.conditions ?? []).filter(({ type }) => type !== 'Progressing') };
  }
  const current = progressing(status);
  const settled =
    (status.replicas ?? 0) === (status.updatedReplicas ?? 0) && current?.reason === 'NewReplicaSetAvailable';
  if (settled) return status;
  const subject = fresh ? `ReplicaSet "${fresh.metadata.name}"` : `Deployment "${deployment.metadata.name}"`;
  const left = msToDeadline(deployment, status, now);
  if (isComplete(deployment, status)) {
    return setProgress(
      status,
      'True',
      'NewReplicaSetAvailable',
      `${subject} has successfully progressed.`,
      now,
    );
  }
  if (hasMoved(deployment.status ?? {}, status)) {
    return setProgress(status, 'True', 'ReplicaSetUpdated', `${subject} is progressing.`, now);
  }
  if (left !== undefined && left <= 0) {
    return setProgress(
      status,
      'False',
      'ProgressDeadlineExceeded',
      `${subject} has timed out progressing.`,
      now,
    );
  }
  return status;
}

/** A ReplicaSet that cannot create pods makes the Deployment fail: the current one's error, or else any other's. */
export function withFailure(
  status: DeploymentStatus,
  fresh: ReplicaSet | undefined,
  all: readonly ReplicaSet[],
): DeploymentStatus {
  const isFailure = ({ type }: Condition): boolean => type === 'ReplicaFailure';
  const failures = [fresh, ...all].flatMap((set) => set?.status?.conditions?.filter(isFailure) ?? []);
  const others = (status.conditions ?? []).filter((condition) => !isFailure(condition));
  const [failure] = failures;
  if (!failure) return { ...status, conditions: others };
  const before = status.conditions?.find(isFailure);
  const isSame = before?.status === failure.status && before?.reason === failure.reason;
  const { lastTransitionTime } = failure;
  const shown = { ...failure, ...(lastTransitionTime && { lastUpdateTime: lastTransitionTime }) };
  return { ...status, conditions: [...others, isSame ? before : shown] };
}

export function setProgress(
  status: DeploymentStatus,
  value: string,
  reason: string,
  message: string,
  now: number,
): DeploymentStatus {
  const before = progressing(status);
  const condition: Condition = {
    type: 'Progressing',
    status: value,
    reason,
    message,
    lastUpdateTime: timestamp(now),
    lastTransitionTime: (before?.status === value ? before.lastTransitionTime : undefined) ?? timestamp(now),
  };
  const others = (status.conditions ?? []).filter(({ type }) => type !== 'Progressing');
  return { ...status, conditions: [...others, condition] };
}

/** The status of a pass: counts, the new ReplicaSet, progress, and failures. */
export function reportedStatus(
  deployment: Deployment,
  fresh: ReplicaSet | undefined,
  all: readonly ReplicaSet[],
  created: boolean,
  now: number,
): DeploymentStatus {
  const current = all.find((set) => set.metadata.uid === fresh?.metadata.uid);
  let status = observedStatus(deployment, current, all, now);
  if (current && (created || !progressing(status))) {
    const [reason, verb] = created ? ['NewReplicaSetCreated', 'Created'] : ['FoundNewReplicaSet', 'Found'];
    const message = `${verb} new replica set "${current.metadata.name}"`;
    status = setProgress(status, 'True', reason ?? '', message, now);
  }
  return withFailure(withProgress(deployment, status, current, now), current, all);
}

/**
 * Pausing and resuming is recorded in the Progressing condition, so that paused time does not count. Undefined if
 * nothing changes.
 */
export function pauseStatus(deployment: Deployment, now: number): DeploymentStatus | undefined {
  if (!hasDeadline(deployment)) return undefined;
  const condition = progressing(deployment.status);
  if (condition?.reason === 'ProgressDeadlineExceeded') return undefined;
  const marked = condition?.reason === 'DeploymentPaused';
  const paused = deployment.spec.paused === true;
  if (paused === marked) return undefined;
  const [reason, message] = paused
    ? ['DeploymentPaused', 'Deployment is paused']
    : ['DeploymentResumed', 'Deployment is resumed'];
  return setProgress(deployment.status ?? {}, 'Unknown', reason, message, now);
}
