/**
 * A CronJob is reloaded by running it once, now: a Job is created from its template with the change added. The
 * CronJob's own template is not changed.
 *
 * Guarantees: the Job's name is derived from the content that it runs for, so that a retry finds the Job of the first
 * attempt. A Job that is older than the content does not count.
 */
import { createHash } from 'node:crypto';
import {
  AlreadyExistsError,
  getIfExists,
  type KubernetesObject,
  kinds,
  type ResourceType,
  type Stored,
} from '@reloader/runtime';
import { FIELD_MANAGER, FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { Outcome, ReloadPlan } from '../model/plan.ts';
import { keyOfWorkload } from '../model/workload.ts';
import type { PatchContext } from './context.ts';
import { outcomeOf } from './outcome.ts';
import { changedTemplate, type RawTemplate } from './raw-template.ts';
import { templateChange } from './template-change.ts';

interface RawCronJob extends KubernetesObject {
  spec?: {
    jobTemplate?: {
      metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
      spec?: { template?: RawTemplate };
    };
  };
}

const CRON_JOBS: ResourceType<RawCronJob> = kinds.CronJob;
const LONGEST_NAME = 63;

const DONE: Outcome = { kind: 'done', changed: true, noteOnly: true };
/** Limit of older Jobs for the same content. More than a few exist only if another client makes them. */
const MOST_NAMES = 10;

export async function reloadCronJob(
  context: PatchContext,
  plan: ReloadPlan,
  signal: AbortSignal,
): Promise<Outcome> {
  const { client } = context;
  try {
    const live = await client.get(CRON_JOBS, keyOfWorkload(plan.workload), { signal });
    const moved = movedOn(live, plan);
    if (moved) return moved;
    for (let attempt = 0; attempt < MOST_NAMES; attempt++) {
      const job = jobOf(live, plan, attempt);
      if (await run(context, job, plan, signal)) return DONE;
    }
  } catch (error) {
    return outcomeOf(error);
  }
  return {
    kind: 'rejected',
    message: `${MOST_NAMES} Jobs for this content exist already, all older than it`,
  };
}

/** False if a Job of that name is older than the content: it ran with other content. */
async function run(
  { client }: PatchContext,
  job: kinds.PlainObject,
  { causes, workload }: ReloadPlan,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await client.create(kinds.Job, job, { fieldManager: FIELD_MANAGER, signal });
    return true;
  } catch (error) {
    if (!(error instanceof AlreadyExistsError)) throw error;
  }
  const { namespace } = workload.metadata;
  const found = await getIfExists(client, kinds.Job, { namespace, name: job.metadata?.name ?? '' }, signal);
  const createdAt = Math.floor(Date.parse(found?.metadata.creationTimestamp ?? '') / 1000);
  const written = Math.max(0, ...causes.map(({ writtenAt }) => writtenAt ?? 0));
  return !(createdAt < written);
}

/** A conflict if the live object is not the one that the plan was made for. */
export function movedOn(
  live: Stored<KubernetesObject>,
  { workload, ledgerBefore }: ReloadPlan,
): Outcome | undefined {
  const { uid, annotations, deletionTimestamp } = live.metadata;
  const same = uid === workload.metadata.uid && annotations?.[FIXED_ANNOTATIONS.ledger] === ledgerBefore;
  if (same && deletionTimestamp === undefined) return undefined;
  return { kind: 'conflict', message: `${workload.kind} ${live.metadata.name} has changed meanwhile` };
}

export function jobOf(cronJob: Stored<RawCronJob>, plan: ReloadPlan, attempt = 0): kinds.PlainObject {
  const { name, namespace = '', uid } = cronJob.metadata;
  const { metadata, spec = {} } = cronJob.spec?.jobTemplate ?? {};
  const template = spec.template ?? {};
  const change = templateChange(plan, template.spec?.containers?.[0]?.name);
  return {
    metadata: {
      namespace,
      name: runName(name, plan, attempt),
      labels: { ...metadata?.labels },
      annotations: { 'cronjob.kubernetes.io/instantiate': 'manual', ...metadata?.annotations },
      // Without blockOwnerDeletion: some clusters require the right to set finalizers on CronJobs for it.
      ownerReferences: [{ apiVersion: 'batch/v1', kind: 'CronJob', name, uid, controller: true }],
    },
    spec: { ...spec, template: changedTemplate(template, change) },
  };
}

/** Made from the uid, the reload's number and digests, not from this process: a retry after a crash finds the Job. */
export function runName(cronJob: string, { mark, workload }: ReloadPlan, attempt = 0): string {
  const suffix = createHash('sha256')
    .update([workload.metadata.uid, mark, ...(attempt > 0 ? [attempt] : [])].join('\n'))
    .digest('hex')
    .slice(0, 10);
  const room = LONGEST_NAME - suffix.length - 1;
  return `${cronJob.slice(0, room).replace(/[-.]+$/, '')}-${suffix}`;
}
