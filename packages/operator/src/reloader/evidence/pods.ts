/** When the living pods of a workload were created: the last word where the ledger leaves a doubt. */
import { type Client, ForbiddenError } from '@reloader/runtime';
import type { Doubt, PodEvidence } from '../model/decision.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import { livingPods } from './owned-pods.ts';

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
    return { createdAt: pods.map(({ createdAt }) => createdAt) };
  } catch (error) {
    if (!(error instanceof ForbiddenError)) throw error;
    const assumed = {
      away: [workload.createdAt],
      'template-changed': [0],
      reverted: [],
      'there-and-back': [],
      recreated: [],
    };
    return { createdAt: assumed[why] };
  }
}
