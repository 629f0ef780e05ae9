/**
 * A Job cannot be changed, so it is reloaded by deleting it and creating it anew under the same name.
 *
 * In: a plan. Out: the new Job. Guarantees: its manifest is kept in the operator's namespace before the old one is
 * deleted, and a server that would refuse the new one is asked before. `finishInterruptedJobs` completes what a crash
 * interrupted; until it runs, an interrupted Job does not exist.
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

/** How long a deleted Job may take to go before this pass gives up waiting; its manifest stays kept. */
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
    // A lost connection may have deleted it, and so may the first of two tries: then the manifest is all that is left.
    const untouched = error instanceof ForbiddenError || error instanceof ConflictError;
    if (untouched) await kept.drop(uid, signal);
    if (!(error instanceof NotFoundError)) throw error;
  }
  if (!(await isGone(context, uid, job, signal))) {
    return { kind: 'continue', afterMs: GONE_CHECK_MS, message: 'the old Job is still being deleted' };
  }
  return createKept(context, entry, signal);
}

/** The server checks the new Job without making it, under another name, while the old one is still there. */
async function tryOut({ client }: PatchContext, job: RawJob, signal: AbortSignal): Promise<void> {
  const name = `${(job.metadata?.name ?? '').slice(0, LONGEST_NAME - 2)}-x`;
  const trial = { ...job, metadata: { ...job.metadata, name } };
  try {
    await client.create(JOBS, trial, { dryRun: true, fieldManager: FIELD_MANAGER, signal });
  } catch (error) {
    const refused = error instanceof InvalidError || error instanceof ForbiddenError;
    // Anything else may be true of the trial only, such as a quota that the old Job fills.
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
