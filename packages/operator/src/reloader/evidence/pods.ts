/** When the living pods of a workload may have read their sources: the last word where the ledger leaves a doubt. */
import { type Client, ForbiddenError } from '@reloader/runtime';
import type { Doubt, PodEvidence } from '../model/decision.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import { livingPods, type OwnedPod } from './owned-pods.ts';

/** Volumes and init containers are read before the time of start that is shown, but not by more than this. */
const READS_BEFORE_START_S = 30;

/**
 * One LIST. A CronJob has no pods of its own: what its Jobs run is theirs.
 *
 * Without the right to list pods: they are taken to be as old as their workload where we were away, a change that we
 * know of is rolled out, what somebody took off the template is not put back, and nobody is taken to have been created
 * just between two changes.
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

/** A pod without a node has read nothing, whatever else is true of it. */
function readSince({ createdAt, startedAt, scheduled }: OwnedPod): number[] {
  if (startedAt === undefined) return scheduled ? [createdAt] : [];
  return [Math.max(createdAt, startedAt - READS_BEFORE_START_S)];
}
