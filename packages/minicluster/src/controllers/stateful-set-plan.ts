/**
 * Computes one step of a StatefulSet: the pods to create and delete. Pure: in order, one at a time and only if the
 * others are healthy, or all at once with Parallel pod management.
 */
import { isFinished, isTerminating, resolveCount } from './pod-state.ts';
import { REVISION_LABEL } from './revisions.ts';
import type { ControllerRevision, Pod, StatefulSet } from './types.ts';

export interface PodPlan {
  readonly create: readonly { readonly ordinal: number; readonly revision: ControllerRevision }[];
  readonly remove: readonly Pod[];
}

export function planPods(
  set: StatefulSet,
  pods: readonly Pod[],
  current: ControllerRevision,
  update: ControllerRevision,
  isAvailable: (pod: Pod) => boolean,
): PodPlan {
  const plan: { create: PodPlan['create'][number][]; remove: Pod[] } = { create: [], remove: [] };
  const parallel = set.spec.podManagementPolicy === 'Parallel';
  const { first, end } = ordinalsOf(set);
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(set, pod), pod]));

  for (let ordinal = first; ordinal < end; ordinal++) {
    const pod = byOrdinal.get(ordinal);
    if (!pod) {
      plan.create.push({ ordinal, revision: revisionFor(set, ordinal, current, update) });
      if (!parallel) return plan;
    } else if (isFinished(pod) && !isTerminating(pod)) {
      plan.remove.push(pod);
      if (!parallel) return plan;
    } else if (!parallel && (isTerminating(pod) || !isAvailable(pod))) return plan;
  }

  const surplus = [...byOrdinal]
    .filter(([ordinal]) => ordinal < first || ordinal >= end)
    .sort(([a], [b]) => b - a);
  const isUnhealthy = (pod: Pod): boolean => isTerminating(pod) || !isAvailable(pod);
  const lowestUnhealthy = surplus.findLast(([, pod]) => isUnhealthy(pod))?.[1];
  for (const [, pod] of surplus) {
    // With ordered management, a pod is deleted only if those below it are available; it waits for the lowest that is
    // not.
    const waits = !parallel && isUnhealthy(pod) && pod !== lowestUnhealthy;
    if (!waits && !isTerminating(pod)) plan.remove.push(pod);
    if (!parallel) return plan;
  }
  if (surplus.length === 0) plan.remove.push(...outdated(set, byOrdinal, update, isAvailable));
  return plan;
}

/** Outdated pods from the highest ordinal down, each only when those above it are healthy again. */
function outdated(
  set: StatefulSet,
  byOrdinal: ReadonlyMap<number, Pod>,
  update: ControllerRevision,
  isAvailable: (pod: Pod) => boolean,
): Pod[] {
  const { type, rollingUpdate } = set.spec.updateStrategy ?? {};
  if (type === 'OnDelete') return [];
  const { first, end } = ordinalsOf(set);
  const partition = first + (rollingUpdate?.partition ?? 0);
  const allowed = Math.max(1, resolveCount(rollingUpdate?.maxUnavailable ?? 1, end - first, 'up'));
  const replaced: Pod[] = [];
  let unavailable = 0;
  for (let ordinal = end - 1; ordinal >= partition; ordinal--) {
    const pod = byOrdinal.get(ordinal);
    if (!pod) return replaced;
    if (pod.metadata.labels?.[REVISION_LABEL] !== update.metadata.name && !isTerminating(pod)) {
      replaced.push(pod);
      unavailable += 1;
    } else if (isTerminating(pod) || !isAvailable(pod)) unavailable += 1;
    if (unavailable >= allowed) return replaced;
  }
  return replaced;
}

function ordinalsOf({ spec }: StatefulSet): { first: number; end: number } {
  const first = spec.ordinals?.start ?? 0;
  return { first, end: first + (spec.replicas ?? 1) };
}

function ordinalOf(set: StatefulSet, pod: Pod): number {
  return Number(pod.metadata.name.slice(set.metadata.name.length + 1));
}

/** Below the partition a missing pod is created with its old revision. */
function revisionFor(
  set: StatefulSet,
  ordinal: number,
  current: ControllerRevision,
  update: ControllerRevision,
): ControllerRevision {
  const { type, rollingUpdate } = set.spec.updateStrategy ?? {};
  if (type === 'OnDelete') return update;
  const partition = (set.spec.ordinals?.start ?? 0) + (rollingUpdate?.partition ?? 0);
  const beforePartition = ordinal < partition;
  return beforePartition ? current : update;
}
