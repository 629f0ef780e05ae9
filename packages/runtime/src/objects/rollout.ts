/**
 * How far a rollout has come, by the rules of `kubectl rollout status`. Pure functions of the live object.
 *
 * `done`: every wanted pod runs the newest template and is available. `progressing`: it moves, wait. `held`:
 * it will not move by itself (paused, OnDelete). `failed`: `retriable` while its controller still tries,
 * not when it has given up.
 */
import type { Condition, KubernetesObject } from '../model/types.ts';

export type RolloutStatus =
  | { readonly state: 'done'; readonly message: string }
  | { readonly state: 'progressing' | 'held'; readonly reason: string; readonly message: string }
  | {
      readonly state: 'failed';
      readonly retriable: boolean;
      readonly reason: string;
      readonly message: string;
    };

export interface WorkloadLike extends KubernetesObject {
  spec?: {
    replicas?: number;
    paused?: boolean;
    updateStrategy?: { type?: string; rollingUpdate?: { partition?: number } };
  };
  status?: {
    observedGeneration?: number;
    replicas?: number;
    updatedReplicas?: number;
    readyReplicas?: number;
    availableReplicas?: number;
    currentRevision?: string;
    updateRevision?: string;
    desiredNumberScheduled?: number;
    updatedNumberScheduled?: number;
    numberAvailable?: number;
    conditions?: readonly Pick<Condition, 'type' | 'status' | 'reason' | 'message'>[];
  };
}

type Rule = (workload: WorkloadLike) => RolloutStatus;

/** A workload of whatever type; of its fields only those of `WorkloadLike` are read. */
export interface AnyWorkload extends KubernetesObject {
  readonly spec?: unknown;
  readonly status?: unknown;
}

/** Reads a Deployment, StatefulSet or DaemonSet. Objects out of lists do not carry their kind: then name it. */
export function rolloutStatus(object: AnyWorkload, kind = object.kind): RolloutStatus {
  const rule = RULES[kind ?? ''];
  if (!rule) {
    throw new TypeError(
      `Cannot tell the rollout of a "${kind}": only Deployment, StatefulSet and DaemonSet are known`,
    );
  }
  const workload = object as WorkloadLike;
  const { generation = 0 } = workload.metadata ?? {};
  const observed = workload.status?.observedGeneration ?? 0;
  if (observed < generation) {
    return progressing('SpecNotObserved', `The controller has seen generation ${observed} of ${generation}`);
  }
  return rule(workload);
}

const deployment: Rule = ({ spec, status }) => {
  const wanted = spec?.replicas ?? 1;
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = status ?? {};
  const find = (type: string) => status?.conditions?.find((condition) => condition.type === type);
  const progress = find('Progressing');
  if (progress?.status === 'False' && progress.reason === 'ProgressDeadlineExceeded') {
    return failed(false, progress.reason, progress.message);
  }
  if (updatedReplicas >= wanted && replicas === updatedReplicas && availableReplicas >= updatedReplicas) {
    return done(`${updatedReplicas} of ${wanted} replicas are updated and available`);
  }
  if (spec?.paused) return held('Paused', 'The Deployment is paused');
  const failure = find('ReplicaFailure');
  if (failure?.status === 'True') return failed(true, failure.reason || 'ReplicaFailure', failure.message);
  if (updatedReplicas < wanted) {
    return progressing('UpdatingReplicas', `${updatedReplicas} of ${wanted} replicas are updated`);
  }
  if (replicas > updatedReplicas) {
    return progressing('RemovingOldReplicas', `${replicas - updatedReplicas} old replicas are still there`);
  }
  return progressing(
    'WaitingForAvailability',
    `${availableReplicas} of ${updatedReplicas} updated replicas are available`,
  );
};

const statefulSet: Rule = ({ spec, status }) => {
  const wanted = spec?.replicas ?? 1;
  const { updatedReplicas = 0, readyReplicas = 0, currentRevision, updateRevision } = status ?? {};
  const { type = 'RollingUpdate', rollingUpdate } = spec?.updateStrategy ?? {};
  const partition = Math.min(rollingUpdate?.partition ?? 0, wanted);
  const upToDate = currentRevision === updateRevision;
  if (type === 'OnDelete' && !upToDate) {
    return held('OnDelete', 'Pods get the new template only when somebody deletes them');
  }
  if (readyReplicas < wanted) {
    return progressing('WaitingForReadiness', `${readyReplicas} of ${wanted} replicas are ready`);
  }
  if (partition > 0 && type === 'RollingUpdate') {
    const target = wanted - partition;
    return updatedReplicas >= target
      ? done(
          `${updatedReplicas} replicas are updated, those below the partition (${partition}) stay as they are`,
        )
      : progressing(
          'UpdatingReplicas',
          `${updatedReplicas} of ${target} replicas above the partition are updated`,
        );
  }
  return upToDate
    ? done(`${wanted} of ${wanted} replicas are ready at the newest revision`)
    : progressing('UpdatingReplicas', `${updatedReplicas} of ${wanted} replicas are updated`);
};

const daemonSet: Rule = ({ spec, status }) => {
  const {
    desiredNumberScheduled: wanted = 0,
    updatedNumberScheduled = 0,
    numberAvailable = 0,
  } = status ?? {};
  if (updatedNumberScheduled < wanted) {
    return spec?.updateStrategy?.type === 'OnDelete'
      ? held('OnDelete', 'Pods get the new template only when somebody deletes them')
      : progressing('UpdatingPods', `${updatedNumberScheduled} of ${wanted} pods are updated`);
  }
  return numberAvailable < wanted
    ? progressing('WaitingForAvailability', `${numberAvailable} of ${wanted} updated pods are available`)
    : done(`${wanted} of ${wanted} pods are updated and available`);
};

const RULES: Readonly<Record<string, Rule>> = {
  Deployment: deployment,
  StatefulSet: statefulSet,
  DaemonSet: daemonSet,
};

function done(message: string): RolloutStatus {
  return { state: 'done', message };
}
function progressing(reason: string, message: string): RolloutStatus {
  return { state: 'progressing', reason, message };
}
function held(reason: string, message: string): RolloutStatus {
  return { state: 'held', reason, message };
}
function failed(retriable: boolean, reason: string, message: string): RolloutStatus {
  return { state: 'failed', retriable, reason, message };
}
