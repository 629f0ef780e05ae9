/**
 * Creates Jobs from their kept manifests: as the last step of a re-creation, and for re-creations that a crash or an
 * unreachable server interrupted.
 */
import { AlreadyExistsError, getIfExists, type Stored } from '@reloader/runtime';
import { FIELD_MANAGER } from '../model/annotations.ts';
import type { Outcome } from '../model/plan.ts';
import { JOBS, type JobContext, keyOfJob } from './job-context.ts';
import type { RawJob } from './job-copy.ts';
import type { KeptJob } from './kept-jobs.ts';
import { recordNewJob } from './new-job-ledger.ts';
import { outcomeOf } from './outcome.ts';

/** Creates it, notes in its ledger what it was created for, and only then lets go of the manifest. */
export async function createKept(context: JobContext, entry: KeptJob, signal: AbortSignal): Promise<Outcome> {
  const { client, logger, kept } = context;
  const { uid, job } = entry;
  let created: Stored<RawJob> | undefined;
  try {
    created = await client.create(JOBS, job, { fieldManager: FIELD_MANAGER, signal });
  } catch (error) {
    // Somebody made one of that name: it has the new values.
    if (!(error instanceof AlreadyExistsError)) {
      const { namespace, name } = keyOfJob(job);
      logger.error('A deleted Job cannot be created anew; its manifest is kept', {
        job: `${namespace}/${name}`,
        kept: kept.nameFor(uid),
        error,
      });
      throw error;
    }
  }
  const outcome = await recordNewJob(context, entry, created, signal);
  await kept.drop(uid, signal);
  return outcome;
}

export interface InterruptedJobs {
  /** Created, or found to need nothing. */
  readonly finished: number;
  /** Their old Job is still being deleted, or the server refused: try again later. */
  readonly pending: number;
}

/** Completes what a crash interrupted. To be called by the leader before it reloads anything, and while some pend. */
export async function finishInterruptedJobs(
  context: JobContext,
  signal: AbortSignal,
): Promise<InterruptedJobs> {
  const { client, logger, kept } = context;
  let finished = 0;
  let pending = 0;
  for await (const entry of kept.all(signal)) {
    const { uid, job } = entry;
    if (kept.isBusy(uid)) continue;
    const live = await getIfExists(client, JOBS, keyOfJob(job), signal);
    try {
      if (!live) await createKept(context, entry, signal);
      else if (live.metadata.uid === uid && live.metadata.deletionTimestamp !== undefined) {
        pending += 1;
        continue;
      } else {
        await recordNewJob(context, entry, live, signal);
        await kept.drop(uid, signal);
      }
      finished += 1;
    } catch (error) {
      outcomeOf(error);
      logger.warn('A Job that was interrupted while being re-created cannot be finished', {
        job: job.metadata?.name,
        error,
      });
      pending += 1;
    }
  }
  return { finished, pending };
}
