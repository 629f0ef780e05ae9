/**
 * Pods that stand in the way of an undo: a StatefulSet that goes in order waits for its broken pod to become ready before
 * it touches any other, and that pod never does.
 *
 * In: a StatefulSet whose controller has seen the undo, and the reload that was undone. Out: when to try again, if a
 * disruption budget protects one. Only pods of that reload that are not ready go, each once: what comes in their
 * place is of another revision.
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
