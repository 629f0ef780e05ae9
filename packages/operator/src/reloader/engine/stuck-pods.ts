/** After an undo of an ordered StatefulSet: evicts the broken pod that blocks its controller, once it sees the undo. */
import type { RolloutStatus } from '@reloader/runtime';
import type { Following } from '../model/following.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import type { Executor } from '../patch/executor.ts';
import type { PipelineReporter } from '../report/reporter.ts';
import type { Pass } from './pass.ts';

export interface StuckPodsOptions {
  readonly executor: Pick<Executor, 'evictStuckPods'>;
  readonly reporter: PipelineReporter;
  readonly settings: Pick<ReloaderSettings, 'mode'>;
}

interface Freed {
  readonly following: Following;
  /** A PodDisruptionBudget protects a pod: retry after this time. */
  readonly afterMs?: number;
}

export async function freeStuckPods(
  { executor, reporter, settings }: StuckPodsOptions,
  { workload, state, signal, now }: Pass,
  following: Following,
  status: RolloutStatus,
): Promise<Freed> {
  const { undoes, freed, before } = following;
  const { metadata, rollout, inOrder } = workload;
  if (undoes === undefined || freed || !inOrder || settings.mode === 'observe') return { following };
  const isSeen = before !== metadata.resourceVersion && rollout.observedGeneration >= rollout.generation;
  if (!isSeen || status.state === 'held') return { following };
  // A rollout with an unready pod is never done, so a rollout that is done has no stuck pod.
  if (status.state === 'done') return { following: { ...following, freed: true } };
  const blocked = await executor.evictStuckPods(workload, undoes, signal);
  if (!blocked) return { following: { ...following, freed: true } };
  const { afterMs, protectedBy } = blocked;
  const configs = state.memory.ledger?.recent.at(-1)?.configs ?? [];
  if (protectedBy && following.blockedPod !== protectedBy.pod) {
    reporter.evictionBlocked(workload, configs, { ...protectedBy, since: now });
  }
  return { following: { ...following, blockedPod: protectedBy?.pod }, afterMs };
}
