/**
 * Computes one step of a DaemonSet update: the pods to delete, and the nodes to create pods on. Pure: pods in, pods
 * out.
 *
 * The caller leaves terminating pods out: they count neither as available nor as obstacles.
 */
import type { Pod } from './types.ts';

/** A DaemonSet's pods on a node. */
export interface NodePods {
  readonly node: string;
  /** Of the current revision. */
  readonly fresh: readonly Pod[];
  /** Of any other. */
  readonly old: readonly Pod[];
}

export interface UpdatePlan {
  readonly remove: readonly Pod[];
  readonly createOn: readonly string[];
}

type Question = (pod: Pod) => boolean;

const isCrowded = ({ fresh, old }: NodePods): boolean => fresh.length > 1 || old.length > 1;

/** Without maxSurge: old pods are deleted first, up to maxUnavailable. Replacing an unavailable pod does not count. */
export function planReplacement(
  nodes: readonly NodePods[],
  maxUnavailable: number,
  isAvailable: Question,
): UpdatePlan {
  const broken: Pod[] = [];
  const healthy: Pod[] = [];
  let unavailable = 0;
  for (const each of nodes) {
    const [fresh] = each.fresh;
    const [old] = each.old;
    // None, or too many: another step handles that node, and until then it counts as unavailable.
    if (isCrowded(each) || (fresh === undefined) === (old === undefined)) unavailable += 1;
    else if (old === undefined) unavailable += fresh && isAvailable(fresh) ? 0 : 1;
    else if (isAvailable(old)) healthy.push(old);
    else {
      broken.push(old);
      unavailable += 1;
    }
  }
  const allowed = Math.max(0, maxUnavailable - unavailable);
  return { remove: [...broken, ...healthy.slice(0, allowed)], createOn: [] };
}

/**
 * With maxSurge: a new pod is created next to the old one, which is deleted when the new one is available. Next to an
 * unavailable old pod a new one can always be created.
 */
export function planSurge(nodes: readonly NodePods[], maxSurge: number, isAvailable: Question): UpdatePlan {
  const remove: Pod[] = [];
  const atOnce: string[] = [];
  const candidates: string[] = [];
  let surging = 0;
  for (const each of nodes) {
    const [fresh] = each.fresh;
    const [old] = each.old;
    if (isCrowded(each)) surging += 1;
    else if (old === undefined) continue;
    else if (fresh === undefined) (isAvailable(old) ? candidates : atOnce).push(each.node);
    else if (isAvailable(fresh)) remove.push(old);
    else surging += 1;
  }
  const allowed = Math.max(0, maxSurge - surging);
  return { remove, createOn: [...atOnce, ...candidates.slice(0, allowed)] };
}

/**
 * Surplus pods on one node, independent of the update. Without surge only the oldest stays. With surge a new pod may
 * run next to a ready old one until the new one is available. Pods come oldest first.
 */
export function excessPods(
  { fresh, old }: NodePods,
  surges: boolean,
  isReady: Question,
  isAvailable: Question,
  byAge: (a: Pod, b: Pod) => number,
): readonly Pod[] {
  if (!surges) return [...old, ...fresh].sort(byAge).slice(1);
  const [oldestFresh, ...moreFresh] = fresh;
  const [oldestOld, ...moreOld] = old;
  const done = oldestFresh && oldestOld && (!isReady(oldestOld) || isAvailable(oldestFresh));
  return [...moreFresh, ...moreOld, ...(done ? [oldestOld] : [])];
}
