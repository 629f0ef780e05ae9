/**
 * A CronJob is reloaded by running it once, now: a Job is created from its template with the change added. The CronJob's
 * own template stays as it is.
 *
 * Guarantees: the Job's name follows from the content it runs for, so that a second try finds the first one's Job.
 */
import { createHash } from 'node:crypto';
import {
  AlreadyExistsError,
  type KubernetesObject,
  kinds,
  type ResourceType,
  type Stored,
} from '@reloader/runtime';
import { FIELD_MANAGER, FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { Outcome, ReloadPlan } from '../model/plan.ts';
import { keyOfWorkload } from '../model/workload.ts';
import { type PatchContext, recordDone, recordLedger } from './context.ts';
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

/** `era` tells this process from others: where nothing can be recorded, numbers begin anew after a restart. */
export async function reloadCronJob(
  context: PatchContext,
  plan: ReloadPlan,
  era: string,
  signal: AbortSignal,
): Promise<Outcome> {
  if (plan.cronJob === 'next-run') return recordLedger(context, plan.workload, plan, signal);
  const { client } = context;
  try {
    const live = await client.get(CRON_JOBS, keyOfWorkload(plan.workload), { signal });
    const moved = movedOn(live, plan);
    if (moved) return moved;
    await client.create(kinds.Job, jobOf(live, plan, era), { fieldManager: FIELD_MANAGER, signal });
  } catch (error) {
    if (!(error instanceof AlreadyExistsError)) return outcomeOf(error);
  }
  return recordDone(context, plan.workload, plan, signal);
}

/** A conflict if the live object is not the one that was decided about. */
export function movedOn(
  live: Stored<KubernetesObject>,
  { workload, ledgerBefore }: ReloadPlan,
): Outcome | undefined {
  const { uid, annotations, deletionTimestamp } = live.metadata;
  const same = uid === workload.metadata.uid && annotations?.[FIXED_ANNOTATIONS.ledger] === ledgerBefore;
  if (same && deletionTimestamp === undefined) return undefined;
  return { kind: 'conflict', message: `${workload.kind} ${live.metadata.name} has changed meanwhile` };
}

export function jobOf(cronJob: Stored<RawCronJob>, plan: ReloadPlan, era: string): kinds.PlainObject {
  const { name, namespace = '', uid } = cronJob.metadata;
  const { metadata, spec = {} } = cronJob.spec?.jobTemplate ?? {};
  const template = spec.template ?? {};
  const change = templateChange(plan, template.spec?.containers?.[0]?.name);
  return {
    metadata: {
      namespace,
      name: runName(name, plan, era),
      labels: { ...metadata?.labels },
      annotations: { 'cronjob.kubernetes.io/instantiate': 'manual', ...metadata?.annotations },
      // Without blockOwnerDeletion, which some clusters allow only to those who may set finalizers on CronJobs.
      ownerReferences: [{ apiVersion: 'batch/v1', kind: 'CronJob', name, uid, controller: true }],
    },
    spec: { ...spec, template: changedTemplate(template, change) },
  };
}

export function runName(cronJob: string, { mark, workload, ledgerBefore }: ReloadPlan, era: string): string {
  const suffix = createHash('sha256')
    .update([workload.metadata.uid, mark, ledgerBefore === undefined ? era : ''].join('\n'))
    .digest('hex')
    .slice(0, 10);
  const room = LONGEST_NAME - suffix.length - 1;
  return `${cronJob.slice(0, room).replace(/[-.]+$/, '')}-${suffix}`;
}
