/**
 * The template of a Job is immutable, so a Job is reloaded by deleting it and creating it again under the same name.
 *
 * In: a plan. Out: the new Job. Guarantees: before the old Job is deleted, the API server checks the new one in a dry
 * run, and its manifest is kept in the operator's namespace. `finishInterruptedJobs` completes a re-creation that a
 * crash interrupted; until it runs, the Job may be missing.
 */
import {
  ConflictError,
  ForbiddenError,
  getIfExists,
  InvalidError,
  NotFoundError,
  sleep,
} from '@reloader/runtime';
import { FIELD_MANAGER } from '../model/annotations.ts';
import type { Outcome, ReloadPlan } from '../model/plan.ts';
import { isRunOfCronJob, keyOfWorkload } from '../model/workload.ts';
import type { PatchContext } from './context.ts';
import { movedOn } from './cron-job.ts';
import { createKept } from './interrupted-jobs.ts';
import { JOBS, type JobContext, keyOfJob } from './job-context.ts';
import { copyOfJob, type RawJob } from './job-copy.ts';
import type { KeptJob } from './kept-jobs.ts';
import { outcomeOf } from './outcome.ts';
import { templateChange } from './template-change.ts';

/** How long a pass waits for the deleted Job to disappear. After that it gives up; the manifest stays kept. */
const GONE_CHECKS = 20;
const GONE_CHECK_MS = 500;
const LONGEST_NAME = 63;

export async function reloadJob(
  context: JobContext,
  plan: ReloadPlan,
  signal: AbortSignal,
): Promise<Outcome> {
  const { workload } = plan;
  if (isRunOfCronJob(workload)) {
    return {
      kind: 'done',
      changed: false,
      noteOnly: true,
    };
  }
  try {
    return await replace(context, plan, signal);
  } catch (error) {
    return outcomeOf(error);
  }
}

async function replace(context: JobContext, plan: ReloadPlan, signal: AbortSignal): Promise<Outcome> {
  const { client } = context;
  const key = keyOfWorkload(plan.workload);
  const live = await client.get(JOBS, key, { signal });
  const moved = movedOn(live, plan);
  if (moved) return moved;
  const { uid } = live.metadata;
  const job = copyOfJob(live, templateChange(plan, live.spec?.template?.spec?.containers?.[0]?.name));
  await tryOut(context, job, signal);
  const entry = { uid, job, ledger: plan.ledgerAfter };
  return context.kept.whileBusy(uid, () => replaceBy(context, entry, signal));
}

async function replaceBy(context: JobContext, entry: KeptJob, signal: AbortSignal): Promise<Outcome> {
  const { client, kept } = context;
  const { uid, job } = entry;
  const key = keyOfJob(job);
  await kept.keep(entry, signal);
  try {
    await client.delete(JOBS, key, { propagationPolicy: 'Background', preconditions: { uid }, signal });
  } catch (error) {
    // After a lost connection, or a retry, the Job may be deleted: then only the manifest is left, so keep it.
    const untouched = error instanceof ForbiddenError || error instanceof ConflictError;
    if (untouched) await kept.drop(uid, signal);
    if (!(error instanceof NotFoundError)) throw error;
  }
  if (!(await isGone(context, uid, job, signal))) {
    return { kind: 'continue', afterMs: GONE_CHECK_MS, message: 'the old Job is still being deleted' };
  }
  return createKept(context, entry, signal);
}

/** A dry run of the new Job, under another name because the old one still exists. */
async function tryOut({ client }: PatchContext, job: RawJob, signal: AbortSignal): Promise<void> {
  const name = `${(job.metadata?.name ?? '').slice(0, LONGEST_NAME - 2)}-x`;
  const trial = { ...job, metadata: { ...job.metadata, name } };
  try {
    await client.create(JOBS, trial, { dryRun: true, fieldManager: FIELD_MANAGER, signal });
  } catch (error) {
    const refused = error instanceof InvalidError || error instanceof ForbiddenError;
    // Any other error may concern the dry run only, such as a quota that the old Job uses up.
    if (refused && !error.message.includes('exceeded quota')) throw error;
  }
}

async function isGone(
  { client, clock }: PatchContext,
  uid: string,
  job: RawJob,
  signal: AbortSignal,
): Promise<boolean> {
  for (let check = 0; check < GONE_CHECKS; check++) {
    if (check > 0) await sleep(clock, GONE_CHECK_MS, signal);
    const live = await getIfExists(client, JOBS, keyOfJob(job), signal);
    if (live?.metadata.uid !== uid) return true;
  }
  return false;
}
