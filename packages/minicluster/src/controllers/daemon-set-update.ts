/**
 * Which pods of a DaemonSet go, and on which nodes new ones come, in one step of an update. Pure: pods in, pods out.
 *
 * Terminating pods are left out by the caller: they neither serve nor stand in the way.
 */
import type { Pod } from './types.ts';

/** What a node has of a DaemonSet. */
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

/** Without maxSurge: old pods go first, as many as may be missing. What does not serve costs nothing to replace. */
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
    // None at all, or too many: somebody else deals with it, and until then it does not count as served.
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
 * With maxSurge: a new pod comes beside the old one, which goes when the new one serves. Beside an old pod that does
 * not serve a new one may come at any time.
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
 * Pods that are too many on one node, whatever the update does. Without surge only the oldest stays. With surge a new
 * pod may stand beside an old one that is ready, until the new one serves. Pods come oldest first.
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
