/** Jobs: pods until enough have succeeded or too many have failed; suspend, deadline and TTL. */
import type { LocalEvent } from '../model/local-api.ts';
import { podFromTemplate } from './children.ts';
import type { SimulatedController, Simulation } from './controller.ts';
import { keyOf, refOf } from './controller.ts';
import { JOBS, PODS, sameKind } from './kind-refs.ts';
import { controllerOf } from './owned.ts';
import { isActive, isReady, isTerminating } from './pod-state.ts';
import { timestamp, writeStatus } from './status-writer.ts';
import type { Condition, Job, Pod } from './types.ts';

const USER = 'system:serviceaccount:kube-system:job-controller';
const INDEX_LABEL = 'batch.kubernetes.io/job-completion-index';

interface Outcome {
  readonly type: 'Complete' | 'Failed';
  readonly reason: string;
  readonly message: string;
}

export function jobController({ api, clock, owned }: Simulation): SimulatedController {
  function* keysFor({ kind, object }: LocalEvent): Iterable<string> {
    if (sameKind(kind, JOBS)) yield keyOf(object);
    else if (sameKind(kind, PODS)) {
      const owner = controllerOf(object);
      if (owner?.kind === 'Job') yield `${object.metadata.namespace}/${owner.name}`;
    }
  }

  function sync(key: string): number | undefined {
    const job = api.get(JOBS, refOf(key)) as Job | undefined;
    if (!job || job.metadata.deletionTimestamp) return undefined;
    if (outcomeOf(job)) return expire(job);
    const now = clock.now();
    const startTime = job.status?.startTime ?? (job.spec.suspend ? undefined : timestamp(now));
    const pods = owned.by<Pod>(PODS, job.metadata.uid);
    const outcome = decide(job, pods, startTime, now);
    if (outcome || job.spec.suspend) for (const pod of pods.filter(isActive)) remove(pod);
    else createMissing(job, pods);
    report(job, startTime, outcome);
    const deadline = job.spec.activeDeadlineSeconds;
    if (outcome || deadline === undefined || startTime === undefined) return undefined;
    return Math.max(0, Date.parse(startTime) + deadline * 1000 - now);
  }

  function createMissing(job: Job, pods: readonly Pod[]): void {
    const { parallelism = 1, completions, completionMode } = job.spec;
    const active = pods.filter(isActive);
    const succeeded = pods.filter((pod) => pod.status?.phase === 'Succeeded');
    const left = completions === undefined ? parallelism : completions - succeeded.length;
    // Without completions, no further pod starts after the first success.
    const wanted =
      completions === undefined && succeeded.length > 0 ? active.length : Math.min(parallelism, left);
    const taken = new Set([...active, ...succeeded].map((pod) => pod.metadata.labels?.[INDEX_LABEL]));
    for (let count = active.length; count < wanted; count++) {
      const index = completionMode === 'Indexed' ? freeIndex(taken, completions ?? 0) : undefined;
      if (index !== undefined) taken.add(index);
      api.create(
        PODS,
        podFromTemplate(job.spec.template, job, {
          generateName: `${job.metadata.name}-${index === undefined ? '' : `${index}-`}`,
          ...(index !== undefined && { labels: { [INDEX_LABEL]: index } }),
        }),
        USER,
      );
    }
    for (const pod of active.slice(wanted)) remove(pod);
  }

  function report(job: Job, startTime: string | undefined, outcome: Outcome | undefined): void {
    const live = api.get(JOBS, job.metadata) as Job | undefined;
    if (!live) return;
    const pods = owned.by<Pod>(PODS, live.metadata.uid);
    const inPhase = (phase: string): number => pods.filter((pod) => pod.status?.phase === phase).length;
    const active = pods.filter(isActive);
    const now = timestamp(clock.now());
    writeStatus(
      api,
      JOBS,
      live,
      {
        conditions: conditionsOf(live, outcome, now),
        startTime,
        completionTime: outcome?.type === 'Complete' ? now : live.status?.completionTime,
        active: active.length || undefined,
        ready: active.filter(isReady).length,
        terminating: pods.filter(isTerminating).length,
        succeeded: inPhase('Succeeded') || undefined,
        failed: inPhase('Failed') || undefined,
        uncountedTerminatedPods: {},
      },
      USER,
    );
  }

  /** ttlSecondsAfterFinished: the Job is deleted automatically. */
  function expire(job: Job): number | undefined {
    const ttl = job.spec.ttlSecondsAfterFinished;
    const finished = job.status?.conditions?.find(isOutcome)?.lastTransitionTime;
    if (ttl === undefined || !finished) return undefined;
    const left = Date.parse(finished) + ttl * 1000 - clock.now();
    if (left > 0) return left;
    api.delete(JOBS, job.metadata, { uid: job.metadata.uid, propagationPolicy: 'Foreground' }, USER);
    return undefined;
  }

  const remove = (pod: Pod): void => api.delete(PODS, pod.metadata, { uid: pod.metadata.uid }, USER);

  return { name: 'job-controller', keysFor, sync };
}

const isOutcome = ({ type, status }: Condition): boolean =>
  (type === 'Complete' || type === 'Failed') && status === 'True';

export function outcomeOf(job: Job): 'Complete' | 'Failed' | undefined {
  return job.status?.conditions?.find(isOutcome)?.type as 'Complete' | 'Failed' | undefined;
}

function decide(
  job: Job,
  pods: readonly Pod[],
  startTime: string | undefined,
  now: number,
): Outcome | undefined {
  const { backoffLimit = 6, completions, activeDeadlineSeconds } = job.spec;
  const succeeded = pods.filter((pod) => pod.status?.phase === 'Succeeded').length;
  const restarts = pods.reduce(
    (total, pod) =>
      total + (pod.status?.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0),
    0,
  );
  const failed = pods.filter((pod) => pod.status?.phase === 'Failed').length;
  if (
    failed > backoffLimit ||
    (job.spec.template.spec.restartPolicy === 'OnFailure' && restarts > backoffLimit)
  ) {
    return {
      type: 'Failed',
      reason: 'BackoffLimitExceeded',
      message: 'Job has reached the specified backoff limit',
    };
  }
  const ranFor = startTime ? now - Date.parse(startTime) : 0;
  if (activeDeadlineSeconds !== undefined && startTime && ranFor >= activeDeadlineSeconds * 1000) {
    return {
      type: 'Failed',
      reason: 'DeadlineExceeded',
      message: 'Job was active longer than specified deadline',
    };
  }
  const done = completions === undefined ? succeeded > 0 && !pods.some(isActive) : succeeded >= completions;
  return done && !job.spec.suspend
    ? { type: 'Complete', reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' }
    : undefined;
}

function conditionsOf(job: Job, outcome: Outcome | undefined, now: string): Condition[] | undefined {
  const others = (job.status?.conditions ?? []).filter(({ type }) => type !== 'Suspended');
  const stamp = { status: 'True', lastProbeTime: now, lastTransitionTime: now };
  const suspended = (job.status?.conditions ?? []).find(({ type }) => type === 'Suspended');
  if (outcome) {
    // First SuccessCriteriaMet, then Complete: real servers set both.
    const met = outcome.type === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget';
    return [...others, { ...outcome, ...stamp, type: met }, { ...outcome, ...stamp }];
  }
  const wanted = job.spec.suspend === true;
  if (!wanted && !suspended) return others.length > 0 ? others : undefined;
  const status = wanted ? 'True' : 'False';
  if (suspended?.status === status) return [...others, suspended];
  const [reason, message] = wanted ? ['JobSuspended', 'Job suspended'] : ['JobResumed', 'Job resumed'];
  return [...others, { ...stamp, type: 'Suspended', status, reason, message }];
}

function freeIndex(taken: ReadonlySet<string | undefined>, completions: number): string {
  for (let index = 0; index < completions; index++) if (!taken.has(String(index))) return String(index);
  return '0';
}
