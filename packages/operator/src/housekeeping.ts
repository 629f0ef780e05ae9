/** One-time work of a new leader: finishes or cleans up after its predecessor. */
import { type Clock, ForbiddenError, type Logger, type Runnable, sleep } from '@reloader/runtime';
import type { WorkloadRef } from './reloader/model/workload.ts';
import type { Notebook } from './reloader/notebook/notebook.ts';
import type { Executor } from './reloader/patch/executor.ts';
import type { Watch } from './reloader/watch/watch.ts';

const JOB_CHECK_MS = 1_000;
const LONGEST_JOB_CHECK_MS = 60_000;

/**
 * Recreates Jobs that the predecessor deleted and did not create again. Without the right to list them it only warns.
 */
export function finishJobs(
  executor: Executor,
  notebook: Notebook,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): Runnable {
  return {
    name: 'interrupted Jobs',
    needsLeaderElection: true,
    async start({ stopping }) {
      await notebook.ready;
      let pauseMs = JOB_CHECK_MS;
      while (!stopping.aborted) {
        try {
          if ((await executor.finishInterruptedJobs(stopping)).pending === 0) return;
          pauseMs = JOB_CHECK_MS;
        } catch (error) {
          if (stopping.aborted) return;
          if (error instanceof ForbiddenError) {
            logger.warn(
              "Not allowed to look for Jobs whose re-creation was interrupted: grant list on configmaps in the operator's namespace",
              { error },
            );
            return;
          }
          pauseMs = Math.min(LONGEST_JOB_CHECK_MS, pauseMs * 2);
          logger.debug('Interrupted Jobs cannot be looked for now; it is tried again', { error, pauseMs });
        }
        await sleep(clock, pauseMs, stopping).catch(() => undefined);
      }
    },
  };
}

/** Requeues workloads that were deleted while no operator watched, so that their notes are deleted, too. */
export function tidyNotebook(notebook: Notebook, watch: Watch, wake: (ref: WorkloadRef) => void): Runnable {
  return {
    name: 'notes of workloads that are gone',
    needsLeaderElection: true,
    async start({ stopping }) {
      await notebook.ready;
      await watch.whenSynced(stopping).catch(() => undefined);
      if (stopping.aborted) return;
      for (const ref of [...notebook.workloads()]) {
        if (watch.world.inScope(ref.namespace) && !watch.world.workload(ref)) wake(ref);
      }
    },
  };
}
