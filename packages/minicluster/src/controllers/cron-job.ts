/** CronJobs: a Job at each scheduled time on the simulation's clock, with concurrency policy and history limits. */
import { Cron } from 'croner';
import type { LocalEvent } from '../model/local-api.ts';
import { StatusError } from '../model/status.ts';
import { controllerReference } from './children.ts';
import type { SimulatedController, Simulation } from './controller.ts';
import { keyOf, refOf } from './controller.ts';
import { outcomeOf } from './job.ts';
import { CRON_JOBS, JOBS, sameKind } from './kind-refs.ts';
import { controllerOf } from './owned.ts';
import { timestamp, writeStatus } from './status-writer.ts';
import type { CronJob, Job } from './types.ts';

const USER = 'system:serviceaccount:kube-system:cronjob-controller';

export function cronJobController({ api, clock, owned }: Simulation): SimulatedController {
  function* keysFor({ kind, object }: LocalEvent): Iterable<string> {
    if (sameKind(kind, CRON_JOBS)) yield keyOf(object);
    else if (sameKind(kind, JOBS)) {
      const owner = controllerOf(object);
      if (owner?.kind === 'CronJob') yield `${object.metadata.namespace}/${owner.name}`;
    }
  }

  function sync(key: string): number | undefined {
    const cronJob = api.get(CRON_JOBS, refOf(key)) as CronJob | undefined;
    if (!cronJob || cronJob.metadata.deletionTimestamp) return undefined;
    const jobs = owned.by<Job>(JOBS, cronJob.metadata.uid);
    prune(cronJob, jobs);
    const now = clock.now();
    const due = cronJob.spec.suspend ? undefined : latestDue(cronJob, now);
    if (due !== undefined) start(cronJob, jobs, due, now);
    report(cronJob, due);
    if (cronJob.spec.suspend) return undefined;
    const next = scheduleOf(cronJob).nextRun(new Date(now));
    return next ? Math.max(1, next.getTime() - now) : undefined;
  }

  function start(cronJob: CronJob, jobs: readonly Job[], due: number, now: number): void {
    const { concurrencyPolicy, startingDeadlineSeconds } = cronJob.spec;
    if (startingDeadlineSeconds !== undefined && now - due > startingDeadlineSeconds * 1000) return;
    const active = jobs.filter((job) => outcomeOf(job) === undefined);
    if (concurrencyPolicy === 'Forbid' && active.length > 0) return;
    if (concurrencyPolicy === 'Replace') {
      for (const { metadata } of active)
        api.delete(JOBS, metadata, { propagationPolicy: 'Background' }, USER);
    }
    try {
      api.create(JOBS, jobFor(cronJob, due), USER);
    } catch (error) {
      if (!(error instanceof StatusError) || error.body.reason !== 'AlreadyExists') throw error;
    }
  }

  function report(cronJob: CronJob, due: number | undefined): void {
    const live = api.get(CRON_JOBS, cronJob.metadata) as CronJob | undefined;
    if (!live) return;
    const jobs = owned.by<Job>(JOBS, live.metadata.uid);
    const active = jobs
      .filter((job) => outcomeOf(job) === undefined)
      .map(({ apiVersion, kind, metadata: { name, namespace, uid, resourceVersion } }) => ({
        apiVersion,
        kind,
        name,
        namespace,
        uid,
        resourceVersion,
      }));
    const completed = jobs
      .map((job) => job.status?.completionTime ?? '')
      .sort()
      .at(-1);
    writeStatus(
      api,
      CRON_JOBS,
      live,
      {
        active: active.length > 0 ? active : undefined,
        lastScheduleTime: due === undefined ? live.status?.lastScheduleTime : timestamp(due),
        lastSuccessfulTime: completed || live.status?.lastSuccessfulTime,
      },
      USER,
    );
  }

  function prune(cronJob: CronJob, jobs: readonly Job[]): void {
    const limits = {
      Complete: cronJob.spec.successfulJobsHistoryLimit ?? 3,
      Failed: cronJob.spec.failedJobsHistoryLimit ?? 1,
    };
    for (const outcome of ['Complete', 'Failed'] as const) {
      const finished = jobs.filter((job) => outcomeOf(job) === outcome);
      for (const { metadata } of finished.slice(0, Math.max(0, finished.length - limits[outcome]))) {
        api.delete(JOBS, metadata, { uid: metadata.uid, propagationPolicy: 'Background' }, USER);
      }
    }
  }

  return { name: 'cronjob-controller', keysFor, sync };
}

function scheduleOf({ spec }: CronJob): Cron {
  return new Cron(spec.schedule, { timezone: spec.timeZone ?? 'UTC' });
}

/** The newest missed scheduled time; earlier missed ones are skipped. */
function latestDue(cronJob: CronJob, now: number): number | undefined {
  const since = cronJob.status?.lastScheduleTime ?? cronJob.metadata.creationTimestamp;
  const schedule = scheduleOf(cronJob);
  let due: number | undefined;
  for (
    let next = schedule.nextRun(new Date(since));
    next && next.getTime() <= now;
    next = schedule.nextRun(next)
  ) {
    due = next.getTime();
  }
  return due;
}

/** Named by its minute, so that a retry finds the first one. */
function jobFor(cronJob: CronJob, due: number): object {
  const { jobTemplate } = cronJob.spec;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: `${cronJob.metadata.name}-${Math.floor(due / 60_000)}`,
      namespace: cronJob.metadata.namespace,
      labels: { ...jobTemplate.metadata?.labels },
      annotations: {
        ...jobTemplate.metadata?.annotations,
        'batch.kubernetes.io/cronjob-scheduled-timestamp': timestamp(due),
      },
      ownerReferences: [controllerReference(cronJob)],
    },
    spec: structuredClone(jobTemplate.spec),
  };
}
