/**
 * Extracts the facts of a rollout from the status fields of each kind. Pure.
 *
 * The facts are a few numbers: a cache may keep them instead of the whole object, and `judgeRollout` needs nothing
 * else.
 */
import type { Condition, KubernetesObject } from '../model/types.ts';

/** Kinds whose rollout can be judged: those of Kubernetes, an Argo Rollout and an OpenShift DeploymentConfig. */
export type RolloutKind = (typeof ROLLOUT_KINDS)[number];

export const ROLLOUT_KINDS = [
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'Job',
  'CronJob',
  'Rollout',
  'DeploymentConfig',
] as const;

/** The facts that a rollout is judged by. */
export interface RolloutFacts {
  readonly generation: number;
  readonly observedGeneration: number;
  readonly wanted: number;
  readonly updated: number;
  readonly available: number;
  readonly total: number;
  /** Its controller reported that progressDeadlineSeconds was exceeded. */
  readonly deadlineExceeded: boolean;
  /** `spec.paused` */
  readonly paused: boolean;
  /** Why Kubernetes will not replace all pods by itself. */
  readonly waits: 'on-delete' | 'partition' | 'paused' | 'suspended' | undefined;
  /** StatefulSet: pods below this ordinal keep the old template. */
  readonly partition?: number;
  /** An error that its controller reports: pods that cannot be created, a Job that failed, a deadline. */
  readonly failure?: { readonly reason: string; readonly message: string };
  /** progressDeadlineSeconds; absent if there is none. */
  readonly deadlineSeconds?: number;
  /** Job: it has completed or failed. */
  readonly finished?: true;
}

/** The fields of a workload that are read. They may be missing or malformed: custom resources are read, too. */
export interface WorkloadLike extends KubernetesObject {
  spec?: {
    replicas?: number;
    paused?: boolean;
    suspend?: boolean;
    progressDeadlineSeconds?: number;
    updateStrategy?: { type?: string; rollingUpdate?: { partition?: number } };
  };
  status?: {
    /** Argo Rollouts writes it as a string. */
    observedGeneration?: number | string;
    replicas?: number;
    updatedReplicas?: number;
    readyReplicas?: number;
    availableReplicas?: number;
    currentRevision?: string;
    updateRevision?: string;
    desiredNumberScheduled?: number;
    currentNumberScheduled?: number;
    updatedNumberScheduled?: number;
    numberAvailable?: number;
    active?: number;
    /** Argo Rollouts: paused between two steps. */
    pauseConditions?: unknown[];
    conditions?: readonly Partial<Pick<Condition, 'type' | 'status' | 'reason' | 'message'>>[];
  };
}

type Status = NonNullable<WorkloadLike['status']>;

/** A workload of any type; only the fields of `WorkloadLike` are read. */
export interface AnyWorkload extends KubernetesObject {
  readonly spec?: unknown;
  readonly status?: unknown;
}

/** This number in `progressDeadlineSeconds` means that there is no deadline. */
const NO_DEADLINE = 2_147_483_647;
const DEFAULT_DEADLINE = 600;

/** The facts of a workload's rollout, from its spec and status. */
export function rolloutFacts(object: AnyWorkload, kind: RolloutKind): RolloutFacts {
  const workload = object as WorkloadLike;
  const { metadata = {}, spec = {}, status = {} } = workload;
  const generation = numberOf(metadata.generation);
  const runsOnce = kind === 'CronJob' || kind === 'Job';
  const deadlineSeconds = deadlineOf(workload, kind);
  const failure = failureOf(status, kind);
  const partition = kind === 'StatefulSet' ? partitionOf(workload) : 0;
  return {
    generation,
    // Jobs and CronJobs do not report it.
    observedGeneration: runsOnce ? generation : numberOf(status.observedGeneration),
    ...countsOf(workload, kind),
    deadlineExceeded: failure?.reason === 'ProgressDeadlineExceeded',
    paused: spec.paused === true,
    waits: waitsFor(workload, kind),
    ...(partition > 0 && { partition }),
    ...(failure && { failure }),
    ...(deadlineSeconds !== undefined && { deadlineSeconds }),
    ...(kind === 'Job' && hasFinished(workload) && { finished: true as const }),
  };
}

type Counts = Pick<RolloutFacts, 'wanted' | 'updated' | 'available' | 'total'>;

function countsOf({ spec = {}, status = {} }: WorkloadLike, kind: RolloutKind): Counts {
  if (kind === 'DaemonSet') {
    return {
      wanted: numberOf(status.desiredNumberScheduled),
      updated: numberOf(status.updatedNumberScheduled),
      available: numberOf(status.numberAvailable),
      total: numberOf(status.currentNumberScheduled),
    };
  }
  if (kind === 'CronJob' || kind === 'Job') {
    // These kinds have no rolling update: running pods keep running.
    const active = kind === 'Job' ? numberOf(status.active) : 0;
    return { wanted: active, updated: active, available: active, total: active };
  }
  const updated = numberOf(status.updatedReplicas);
  const ready = numberOf(status.readyReplicas);
  const { currentRevision, updateRevision } = status;
  const isUpToDate =
    kind === 'StatefulSet' && currentRevision !== undefined && currentRevision === updateRevision;
  return {
    wanted: spec.replicas === undefined ? 1 : numberOf(spec.replicas),
    // With a single revision, every pod belongs to it.
    updated: isUpToDate ? Math.max(updated, ready) : updated,
    available:
      kind === 'StatefulSet' && status.availableReplicas === undefined
        ? ready
        : numberOf(status.availableReplicas),
    total: numberOf(status.replicas),
  };
}

function waitsFor({ spec = {}, status = {} }: WorkloadLike, kind: RolloutKind): RolloutFacts['waits'] {
  switch (kind) {
    case 'CronJob':
    case 'Job':
      return spec.suspend === true ? 'suspended' : undefined;
    case 'StatefulSet':
    case 'DaemonSet':
      if (spec.updateStrategy?.type === 'OnDelete') return 'on-delete';
      return numberOf(spec.updateStrategy?.rollingUpdate?.partition) > 0 ? 'partition' : undefined;
    case 'Rollout':
      return spec.paused === true || list(status.pauseConditions).length > 0 ? 'paused' : undefined;
    default:
      return spec.paused === true ? 'paused' : undefined;
  }
}

function partitionOf({ spec = {} }: WorkloadLike): number {
  const { type = 'RollingUpdate', rollingUpdate } = spec.updateStrategy ?? {};
  return type === 'RollingUpdate' ? numberOf(rollingUpdate?.partition) : 0;
}

function deadlineOf({ spec = {} }: WorkloadLike, kind: RolloutKind): number | undefined {
  if (kind !== 'Deployment' && kind !== 'Rollout' && kind !== 'DeploymentConfig') return undefined;
  const seconds = spec.progressDeadlineSeconds ?? DEFAULT_DEADLINE;
  return seconds < NO_DEADLINE ? numberOf(seconds) : undefined;
}

/** Most severe first. */
function failureOf({ conditions }: Status, kind: RolloutKind): RolloutFacts['failure'] {
  const find = (type: string, truth: string) =>
    list(conditions).find((condition) => condition.type === type && condition.status === truth);
  const progress = find('Progressing', 'False');
  const found =
    (progress?.reason === 'ProgressDeadlineExceeded' ? progress : undefined) ??
    (kind === 'Job' ? find('Failed', 'True') : find('ReplicaFailure', 'True'));
  if (!found) return undefined;
  return { reason: found.reason || (found.type ?? ''), message: found.message ?? '' };
}

/** A Job that has completed or failed. */
export function hasFinished({ status }: AnyWorkload): boolean {
  return list((status as Status | undefined)?.conditions).some(
    (condition) =>
      (condition.type === 'Complete' || condition.type === 'Failed') && condition.status === 'True',
  );
}

function numberOf(value: unknown): number {
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : 0;
}

function list<T>(value: readonly T[] | undefined): readonly T[] {
  return Array.isArray(value) ? value : [];
}
