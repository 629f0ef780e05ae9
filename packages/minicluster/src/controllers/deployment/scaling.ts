/** Computes the next size of each ReplicaSet of a Deployment. Pure: numbers in, numbers out. */
import { resolveCount } from '../pod-state.ts';
import type { Deployment, ReplicaSet } from '../types.ts';

export const DESIRED_REPLICAS = 'deployment.kubernetes.io/desired-replicas';
export const MAX_REPLICAS = 'deployment.kubernetes.io/max-replicas';

export interface Scaling {
  readonly replicaSet: ReplicaSet;
  readonly replicas: number;
}

export const wantedReplicas = (deployment: Deployment): number => deployment.spec.replicas ?? 1;
const size = (set: ReplicaSet): number => set.spec.replicas ?? 0;
/** A ReplicaSet that was just scaled down still reports the pods that it is about to delete. */
const availableOf = (set: ReplicaSet): number => Math.min(size(set), set.status?.availableReplicas ?? 0);
const sum = (sets: readonly ReplicaSet[], of: (set: ReplicaSet) => number): number =>
  sets.reduce((total, set) => total + of(set), 0);

export function isRolling(deployment: Deployment): boolean {
  return deployment.spec.strategy?.type !== 'Recreate';
}

/** maxSurge and maxUnavailable as counts. If both are zero nothing could move, so one pod may be unavailable. */
export function fenceposts(deployment: Deployment): { maxSurge: number; maxUnavailable: number } {
  const replicas = wantedReplicas(deployment);
  if (!isRolling(deployment)) return { maxSurge: 0, maxUnavailable: 0 };
  const { maxSurge, maxUnavailable } = deployment.spec.strategy?.rollingUpdate ?? {};
  const surge = resolveCount(maxSurge ?? '25%', replicas, 'up');
  const unavailable = resolveCount(maxUnavailable ?? '25%', replicas, 'down');
  return surge === 0 && unavailable === 0
    ? { maxSurge: 0, maxUnavailable: 1 }
    : { maxSurge: surge, maxUnavailable: Math.min(unavailable, replicas) };
}

export function maxTotal(deployment: Deployment): number {
  return wantedReplicas(deployment) + fenceposts(deployment).maxSurge;
}

/** The size of the new ReplicaSet that keeps the total within the surge. */
export function newReplicaSetSize(
  deployment: Deployment,
  current: number,
  all: readonly ReplicaSet[],
): number {
  const replicas = wantedReplicas(deployment);
  if (!isRolling(deployment)) return replicas;
  const room = maxTotal(deployment) - sum(all, size);
  return room <= 0 ? current : current + Math.min(room, replicas - current);
}

/** One step of a rolling update: up first, and down only if there was nothing to scale up. */
export function planRollingUpdate(
  deployment: Deployment,
  fresh: ReplicaSet,
  old: readonly ReplicaSet[],
): Scaling[] {
  const replicas = wantedReplicas(deployment);
  if (size(fresh) > replicas) return [{ replicaSet: fresh, replicas }];
  const target = newReplicaSetSize(deployment, size(fresh), [fresh, ...old]);
  if (target !== size(fresh)) return [{ replicaSet: fresh, replicas: target }];
  return planScaleDown(deployment, fresh, old);
}

/** Old pods that may be deleted: unhealthy ones first, then as many as stay above the minimum. */
function planScaleDown(deployment: Deployment, fresh: ReplicaSet, old: readonly ReplicaSet[]): Scaling[] {
  if (sum(old, size) === 0) return [];
  const minAvailable = wantedReplicas(deployment) - fenceposts(deployment).maxUnavailable;
  const freshUnavailable = size(fresh) - availableOf(fresh);
  const maxScaledDown = size(fresh) + sum(old, size) - minAvailable - freshUnavailable;
  if (maxScaledDown <= 0) return [];

  const next = new Map(old.map((set) => [set, size(set)]));
  let unhealthy = maxScaledDown;
  for (const set of old) {
    const gone = Math.min(unhealthy, Math.max(0, size(set) - availableOf(set)));
    next.set(set, size(set) - gone);
    unhealthy -= gone;
  }

  let spare = availableOf(fresh) + sum(old, availableOf) - minAvailable;
  for (const set of old) {
    const left = next.get(set) ?? 0;
    const gone = Math.max(0, Math.min(left, spare));
    next.set(set, left - gone);
    spare -= gone;
  }
  return changed(next);
}

function changed(next: ReadonlyMap<ReplicaSet, number>): Scaling[] {
  return [...next]
    .filter(([set, count]) => count !== size(set))
    .map(([replicaSet, replicas]) => ({ replicaSet, replicas }));
}

/**
 * A change of spec.replicas during a rollout, or while paused: distributed over the ReplicaSets in proportion to
 * their size. The plan then contains each of them, even one that keeps its size.
 */
export function planScale(
  deployment: Deployment,
  fresh: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
): Scaling[] {
  const replicas = wantedReplicas(deployment);
  const all = fresh ? [fresh, ...old] : [...old];
  const active = all.filter((set) => size(set) > 0);
  const only = active.length === 0 ? (fresh ?? newest(old)) : active.length === 1 ? active[0] : undefined;
  if (only) return changed(new Map([[only, replicas]]));
  if (fresh && isSaturated(deployment, fresh)) return changed(new Map(old.map((set) => [set, 0])));
  return isRolling(deployment) ? proportional(deployment, active) : [];
}

function proportional(deployment: Deployment, active: readonly ReplicaSet[]): Scaling[] {
  const allowed = wantedReplicas(deployment) > 0 ? maxTotal(deployment) : 0;
  const toAdd = allowed - sum(active, size);
  const bySize = [...active].sort(
    (a, b) =>
      size(b) - size(a) ||
      (toAdd > 0 ? -1 : 1) * a.metadata.creationTimestamp.localeCompare(b.metadata.creationTimestamp),
  );
  const next = new Map<ReplicaSet, number>();
  let added = 0;
  for (const set of bySize) {
    const share = toAdd === 0 ? 0 : fraction(deployment, set, allowed);
    const left = toAdd - added;
    const delta = toAdd > 0 ? Math.min(share, left) : Math.max(share, left);
    next.set(set, size(set) + delta);
    added += delta;
  }
  const [biggest] = bySize;
  if (biggest) next.set(biggest, Math.max(0, (next.get(biggest) ?? 0) + toAdd - added));
  return [...next].map(([replicaSet, replicas]) => ({ replicaSet, replicas }));
}

function fraction(deployment: Deployment, set: ReplicaSet, allowed: number): number {
  if (allowed === 0) return -size(set);
  const annotated = Number(set.metadata.annotations?.[MAX_REPLICAS] ?? deployment.status?.replicas ?? 0);
  return annotated > 0 ? Math.round((size(set) * allowed) / annotated) - size(set) : 0;
}

function isSaturated(deployment: Deployment, fresh: ReplicaSet): boolean {
  const replicas = wantedReplicas(deployment);
  return (
    size(fresh) === replicas &&
    Number(fresh.metadata.annotations?.[DESIRED_REPLICAS]) === replicas &&
    availableOf(fresh) === replicas
  );
}

function newest(sets: readonly ReplicaSet[]): ReplicaSet | undefined {
  return [...sets].sort((a, b) =>
    b.metadata.creationTimestamp.localeCompare(a.metadata.creationTimestamp),
  )[0];
}

/** spec.replicas changed since the ReplicaSets were last sized. */
export function isScalingEvent(deployment: Deployment, all: readonly ReplicaSet[]): boolean {
  return all.some((set) => {
    const desired = set.metadata.annotations?.[DESIRED_REPLICAS];
    return size(set) > 0 && desired !== undefined && Number(desired) !== wantedReplicas(deployment);
  });
}
