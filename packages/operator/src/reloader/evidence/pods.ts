/** When the living pods of a workload may have read their sources. It decides where the ledger leaves a doubt. */
import { type Client, ForbiddenError } from '@reloader/runtime';
import type { Doubt, PodEvidence } from '../model/decision.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import { livingPods, type OwnedPod } from './owned-pods.ts';

/** Volumes and init containers may read a source before the pod's start time, by at most this much. */
const READS_BEFORE_START_S = 30;

/**
 * One LIST. A CronJob has no pods of its own: those of its Jobs belong to the Jobs.
 *
 * Without the right to list pods, it makes assumptions. After a downtime of the operator, the pods are as old as their
 * workload. If the template or the digest key has changed, the pods are older than any change, so a change is rolled
 * out. A rollout that another tool has reverted is not repeated. No pod was created between a change and its reversal,
 * and a re-created workload has no orphaned pods.
 */
export async function lookAtPods(
  client: Client,
  workload: WorkloadFacts,
  why: Doubt,
  signal: AbortSignal,
): Promise<PodEvidence> {
  try {
    const pods = await livingPods(client, workload, signal);
    return { readSince: pods.flatMap(readSince) };
  } catch (error) {
    if (!(error instanceof ForbiddenError)) throw error;
    const assumed = {
      away: [workload.createdAt],
      'template-changed': [0],
      reverted: [],
      'there-and-back': [],
      recreated: [],
      'other-key': [0],
    };
    return { readSince: assumed[why] };
  }
}

/** A pod without a node has read nothing yet. */
function readSince({ createdAt, startedAt, scheduled }: OwnedPod): number[] {
  if (startedAt === undefined) return scheduled ? [createdAt] : [];
  return [Math.max(createdAt, startedAt - READS_BEFORE_START_S)];
}
