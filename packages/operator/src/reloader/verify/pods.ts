/** How old the oldest living pod of a workload is: the last word where the ledger leaves a doubt. */
import type { Client } from '@reloader/runtime';
import type { PodEvidence } from '../decide/types.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import { livingPods } from './owned-pods.ts';

/** One LIST. A CronJob has no pods of its own: what its Jobs run is theirs. */
export async function oldestPod(
  client: Client,
  workload: WorkloadFacts,
  signal: AbortSignal,
): Promise<PodEvidence> {
  const pods = await livingPods(client, workload, signal);
  const oldest = pods.reduce((least, { createdAt }) => Math.min(least, createdAt), Number.POSITIVE_INFINITY);
  return { oldestCreatedAt: Number.isFinite(oldest) ? oldest : undefined };
}
