/**
 * Executes the plan for one workload.
 *
 * In: a plan. Out: its outcome. Guarantees: only our own fields are written, by PATCH, under one field manager; a plan
 * that was made from an outdated view changes nothing. Transient errors are thrown.
 */
import type { Outcome, ReloadPlan } from '../model/plan.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import { type PatchContext, patchWorkload } from './context.ts';
import { reloadCronJob } from './cron-job.ts';
import { finishInterruptedJobs, type InterruptedJobs } from './interrupted-jobs.ts';
import { reloadJob } from './job.ts';
import type { JobContext } from './job-context.ts';
import { KeptJobs } from './kept-jobs.ts';
import { testsFirst } from './operations.ts';
import { resumeAt, resumeOperations } from './pause.ts';
import { reloadOperations, restartAtOperations } from './reload-operations.ts';
import { restart } from './restart.ts';
import { evictStuckPods } from './stuck-pods.ts';
import { undo } from './undo.ts';
import { reloadBorrowed } from './workload-ref.ts';

export interface Executor {
  reload(plan: ReloadPlan, signal: AbortSignal): Promise<Outcome>;
  /** Evicts unready pods of a reload that was undone: an ordered StatefulSet would wait for them forever. */
  evictStuckPods(
    workload: WorkloadFacts,
    undone: number,
    signal: AbortSignal,
  ): Promise<Extract<Outcome, { kind: 'continue' }> | undefined>;
  /** Ends our pause of a Deployment. */
  resume(workload: WorkloadFacts, signal: AbortSignal): Promise<Outcome>;
  /** When our pause of it is over, in milliseconds since the epoch; undefined if we did not pause it. */
  resumeAt(workload: WorkloadFacts): number | undefined;
  /** Completes interrupted re-creations of Jobs: to be called before the first reload, and while some are pending. */
  finishInterruptedJobs(signal: AbortSignal): Promise<InterruptedJobs>;
  /** A re-creation of this process is under way or was interrupted, so a missing Job may be one to finish. */
  readonly hasInterruptedJobs: boolean;
}

export interface ExecutorOptions extends PatchContext {
  /** The key of the codes of kept manifests. It has to outlive the process. */
  readonly key: Uint8Array | undefined;
  readonly previousKey?: Uint8Array | undefined;
  readonly inScope: (namespace: string) => boolean;
}

export function createExecutor({ key, previousKey, inScope, ...context }: ExecutorOptions): Executor {
  const { names } = context.settings;
  const jobs: JobContext = {
    ...context,
    kept: new KeptJobs({
      ...context,
      namespace: context.settings.operatorNamespace,
      key,
      previousKey,
      inScope,
    }),
  };
  const patched = async (refused: Promise<Outcome | undefined>): Promise<Outcome> =>
    (await refused) ?? { kind: 'done', changed: true };
  const reloadOrUndo = async (plan: ReloadPlan, signal: AbortSignal): Promise<Outcome> => {
    const undone = plan.undo && (await undo(context, plan, plan.undo, signal));
    return undone ?? patched(patchWorkload(context, plan.workload, reloadOperations(plan, names), signal));
  };
  return {
    reload(plan, signal) {
      const { workload, rolloutStrategy } = plan;
      if (workload.kind === 'CronJob') return reloadCronJob(context, plan, signal);
      if (workload.kind === 'Job') return reloadJob(jobs, plan, signal);
      if (rolloutStrategy === 'restart') {
        return workload.kind === 'Rollout'
          ? patched(patchWorkload(context, workload, restartAtOperations(plan), signal))
          : restart(context, plan, signal);
      }
      if (workload.workloadRef) return reloadBorrowed(context, plan, workload.workloadRef, signal);
      return reloadOrUndo(plan, signal);
    },
    evictStuckPods: (workload, undone, signal) => evictStuckPods(context, workload, undone, signal),
    resume: (workload, signal) =>
      patched(patchWorkload(context, workload, testsFirst(resumeOperations(workload, names)), signal)),
    resumeAt: (workload) => resumeAt(workload, names),
    finishInterruptedJobs: (signal) => finishInterruptedJobs(jobs, signal),
    get hasInterruptedJobs() {
      return jobs.kept.any;
    },
  };
}

export type { PatchContext, ProgressNotes } from './context.ts';
