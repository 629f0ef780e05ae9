/**
 * Creates Jobs from their kept manifests: as the last step of a re-creation, and for re-creations that a crash or an
 * unreachable server interrupted.
 */
import { AlreadyExistsError, getIfExists, type Stored } from '@reloader/runtime';
import { parseLedger } from '../ledger/ledger.ts';
import { FIELD_MANAGER, FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { Outcome } from '../model/plan.ts';
import { JOBS, type JobContext, keyOfJob } from './job-context.ts';
import type { RawJob } from './job-copy.ts';
import type { KeptJob } from './kept-jobs.ts';
import { outcomeOf } from './outcome.ts';

/** Creates the Job, notes what it was created for, and only then deletes the kept manifest. */
export async function createKept(context: JobContext, entry: KeptJob, signal: AbortSignal): Promise<Outcome> {
  const { client, logger, kept } = context;
  const { uid, job } = entry;
  let created: Stored<RawJob> | undefined;
  try {
    created = await client.create(JOBS, job, { fieldManager: FIELD_MANAGER, signal });
  } catch (error) {
    // Another client has created a Job of that name: it runs with the new values.
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
  const newUid = await noteNewJob(context, entry, created, signal);
  await kept.drop(uid, signal);
  return { kind: 'done', changed: true, noteOnly: true, ...(newUid !== undefined && { newUid }) };
}

export interface InterruptedJobs {
  /** The Job was created, or needed nothing. */
  readonly finished: number;
  /** The old Job is still being deleted, or the API server refused: retry later. */
  readonly pending: number;
}

/** Completes interrupted re-creations. The leader calls it before its first reload, and while some are pending. */
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
        await noteNewJob(context, entry, live, signal);
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

/** Notes the new Job under its own uid. Undefined: the live Job was not made from this manifest. */
async function noteNewJob(
  { client, notes }: JobContext,
  { uid: old, job, ledger }: KeptJob,
  created: Stored<RawJob> | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const key = keyOfJob(job);
  const live = created ?? (await getIfExists(client, JOBS, key, signal));
  const isOurs = live !== undefined && live.metadata.uid !== old && markOf(live) === markOf(job);
  const parsed = parseLedger(ledger);
  if (!isOurs || markOf(live) === undefined || parsed.kind !== 'ledger') return undefined;
  const { uid } = live.metadata;
  await notes.jobCreated({ ref: { kind: 'Job', ...key }, uid }, parsed.ledger, signal);
  return uid;
}

function markOf({ spec }: RawJob): string | undefined {
  return spec?.template?.metadata?.annotations?.[FIXED_ANNOTATIONS.rolled];
}
