/** How far a rollout is, from the status that each kind reports in its own words. Pure. */
import type { RolloutFacts, WorkloadKind } from '../model/workload.ts';
import type { WorkloadObject, WorkloadStatus } from '../model/workload-object.ts';

export function rolloutFacts(object: WorkloadObject, kind: WorkloadKind): RolloutFacts {
  const { metadata = {}, spec = {}, status = {} } = object;
  const generation = numberOf(metadata.generation);
  const { wanted, updated, available, total } = countsOf(object, kind);
  return {
    generation,
    observedGeneration: reportsGeneration(kind) ? numberOf(status.observedGeneration) : generation,
    wanted,
    updated,
    available,
    total,
    deadlineExceeded: hasExceededDeadline(status),
    paused: spec.paused === true,
    waits: waitsFor(object, kind),
  };
}

type Counts = Pick<RolloutFacts, 'wanted' | 'updated' | 'available' | 'total'>;

function countsOf({ spec = {}, status = {} }: WorkloadObject, kind: WorkloadKind): Counts {
  if (kind === 'DaemonSet') {
    return {
      wanted: numberOf(status.desiredNumberScheduled),
      updated: numberOf(status.updatedNumberScheduled),
      available: numberOf(status.numberAvailable),
      total: numberOf(status.currentNumberScheduled),
    };
  }
  if (kind === 'CronJob' || kind === 'Job') {
    // Nothing is rolled out step by step: what runs, runs.
    const active = kind === 'Job' ? numberOf(status.active) : 0;
    return { wanted: active, updated: active, available: active, total: active };
  }
  return {
    wanted: spec.replicas === undefined ? 1 : numberOf(spec.replicas),
    updated: numberOf(status.updatedReplicas),
    available: numberOf(status.availableReplicas),
    total: numberOf(status.replicas),
  };
}

function waitsFor({ spec = {}, status = {} }: WorkloadObject, kind: WorkloadKind): RolloutFacts['waits'] {
  switch (kind) {
    case 'CronJob':
    case 'Job':
      return spec.suspend === true ? 'suspended' : undefined;
    case 'StatefulSet':
    case 'DaemonSet':
      if (spec.updateStrategy?.type === 'OnDelete') return 'on-delete';
      return numberOf(spec.updateStrategy?.rollingUpdate?.partition) > 0 ? 'partition' : undefined;
    case 'Rollout':
      return spec.paused === true || (status.pauseConditions?.length ?? 0) > 0 ? 'paused' : undefined;
    default:
      return spec.paused === true ? 'paused' : undefined;
  }
}

/** Jobs and CronJobs have no observedGeneration. */
function reportsGeneration(kind: WorkloadKind): boolean {
  return kind !== 'CronJob' && kind !== 'Job';
}

function hasExceededDeadline({ conditions }: WorkloadStatus): boolean {
  return list(conditions).some(
    ({ type, status, reason }) =>
      type === 'Progressing' && status === 'False' && reason === 'ProgressDeadlineExceeded',
  );
}

/** A Job that has ended, one way or the other. */
export function hasFinished({ status }: WorkloadObject): boolean {
  return list(status?.conditions).some(
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
