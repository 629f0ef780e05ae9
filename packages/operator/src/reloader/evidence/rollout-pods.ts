/** Finds out why a rollout makes no progress: one LIST of its pods, made only after some time without progress. */
import { type Client, ForbiddenError } from '@reloader/runtime';
import { NO_PODS_SEEN, type RolloutPods } from '../model/following.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import { livingPods, type OwnedPod } from './owned-pods.ts';

/** How far our clock may be ahead of the API server's: a pod that our reload created must not count as old. */
const SKEW_S = 5;

/**
 * `since`: when the reload was made, in seconds since the epoch. Only pods created after it can have failed because of
 * it. Without the right to list pods there is no evidence, and the deadline alone decides.
 */
export async function lookAtRollout(
  client: Client,
  workload: WorkloadFacts,
  since: number,
  signal: AbortSignal,
): Promise<RolloutPods> {
  try {
    return seen(await livingPods(client, workload, signal), workload, since);
  } catch (error) {
    if (!(error instanceof ForbiddenError)) throw error;
    return NO_PODS_SEEN;
  }
}

function seen(pods: readonly OwnedPod[], { rollout }: WorkloadFacts, since: number): RolloutPods {
  const { partition } = rollout;
  const fresh = pods.filter(({ createdAt }) => createdAt >= since - SKEW_S);
  const moments = pods.map(({ createdAt, readyAt }) => Math.max(createdAt, readyAt ?? 0));
  return {
    failing: fresh.map(({ failure }) => failure).find((failure) => failure !== undefined),
    readyAbovePartition:
      partition === undefined
        ? undefined
        : pods.filter(({ name, ready }) => ready && ordinalOf(name) >= partition).length,
    unready: fresh.find(({ ready }) => !ready)?.name,
    restarted: mostRestarted(fresh),
    readyAt: Math.max(0, ...fresh.map(({ readyAt = 0 }) => readyAt)) * 1000,
    movedAt: Math.max(0, ...moments) * 1000,
  };
}

function mostRestarted(pods: readonly OwnedPod[]): RolloutPods['restarted'] {
  const [most] = pods.toSorted((one, other) => other.restarts - one.restarts);
  return most && most.restarts > 0 ? { pod: most.name, restarts: most.restarts } : undefined;
}

function ordinalOf(name: string): number {
  return Number(name.slice(name.lastIndexOf('-') + 1));
}
