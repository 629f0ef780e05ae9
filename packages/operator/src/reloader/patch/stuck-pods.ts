/**
 * Evicts pods that block an undo: the controller of an ordered StatefulSet waits until its broken pod is ready before
 * it updates any other pod, and that pod never becomes ready.
 *
 * In: a StatefulSet whose controller has seen the undo, and the number of the reload that was undone. Out: when to
 * retry, if a PodDisruptionBudget protects a pod. Only unready pods of that reload are evicted, each once, because
 * their replacements are of another revision.
 */
import { ForbiddenError } from '@reloader/runtime';
import { livingPods } from '../evidence/owned-pods.ts';
import { parseMark } from '../ledger/marks.ts';
import type { Outcome } from '../model/plan.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import type { PatchContext } from './context.ts';
import { evict } from './restart.ts';

export type Blocked = Extract<Outcome, { kind: 'continue' }>;

export async function evictStuckPods(
  context: PatchContext,
  workload: WorkloadFacts,
  undone: number,
  signal: AbortSignal,
): Promise<Blocked | undefined> {
  const { namespace, name } = workload.metadata;
  const { client, logger } = context;
  let blocked: Blocked | undefined;
  try {
    for (const pod of await livingPods(client, workload, signal)) {
      if (pod.ready || parseMark(pod.mark)?.seq !== undone) continue;
      const evicted = await evict(context, pod, { workload }, signal);
      if (evicted.protectedBy) blocked = evicted;
      else logger.info('Evicted a pod of a reload that was undone', { namespace, name, pod: pod.name });
    }
  } catch (error) {
    if (!(error instanceof ForbiddenError)) throw error;
    const { message } = error;
    logger.warn('A pod of a reload that was undone has to be deleted by hand', { namespace, name, message });
  }
  return blocked;
}
