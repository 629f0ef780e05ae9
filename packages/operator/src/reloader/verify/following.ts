/**
 * Tracks the rollout after one of our reloads, beyond the status of its controller. Pure; values are immutable.
 *
 * Only a new maximum counts as progress: a pod that becomes ready and crashes repeatedly is none. Pods are listed only
 * after 30 s without progress, so a rollout without problems costs no request.
 */
import type { RolloutEvidence, RolloutStatus } from '@reloader/runtime';
import type { Following, RolloutPods } from '../model/following.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import { rolloutOf } from './rollout.ts';

/** Pods are listed after this time without progress, and again at this interval. */
export const LOOK_AFTER_MS = 30_000;

export type Begin = Pick<Following, 'seq' | 'reloadedAt' | 'before' | 'outsideCap' | 'undoes'>;

export function begin(reload: Begin, workload: WorkloadFacts, now: number): Following {
  // The cache still shows the end of the previous rollout.
  const reached = Number.NEGATIVE_INFINITY;
  return { ...reload, template: workload.templateDigest, reached, movedAt: now };
}

/** A rollout that an earlier process started. */
export function inherit(reload: Begin, workload: WorkloadFacts): Following {
  const following = begin(reload, workload, reload.reloadedAt * 1000);
  return { ...following, reached: progressOf(workload), inherited: true };
}

export function observe(following: Following, workload: WorkloadFacts, now: number): Following {
  if (following.before === workload.metadata.resourceVersion) return following;
  const reached = progressOf(workload);
  const isOther = workload.templateDigest !== following.template;
  if (!isOther && reached <= following.reached) return following;
  // Drop the evidence of pods, which is from before this progress.
  const { pods: _, inherited: __, ...rest } = following;
  return { ...rest, template: workload.templateDigest, reached, movedAt: now };
}

export function withPods(following: Following, pods: RolloutPods, now: number): Following {
  const { inherited, ...rest } = following;
  const movedAt = inherited ? Math.min(now, Math.max(rest.movedAt, pods.movedAt)) : rest.movedAt;
  return { ...rest, movedAt, lookedAt: now, pods };
}

/** The state of the rollout, by all evidence. */
export function judged(
  workload: WorkloadFacts,
  following: Following | undefined,
  now: number,
  deadlineMs: number,
): RolloutStatus {
  if (!following) return rolloutOf(workload);
  const stalledMs = Math.max(0, now - following.movedAt);
  const isUnseen = following.before === workload.metadata.resourceVersion;
  const message = 'our write has not come back yet';
  if (isUnseen && stalledMs < deadlineMs) return { state: 'progressing', reason: 'WriteNotSeen', message };
  const { failing, readyAbovePartition } = following.pods ?? {};
  const evidence: RolloutEvidence = { failing, readyAbovePartition, stalledMs, deadlineMs };
  const status = rolloutOf(workload, evidence);
  // If pods could not be created, as with a quota that is exceeded for a moment, it is no failure yet.
  const mayPass = status.state === 'failed' && status.retriable && !failing && stalledMs < LOOK_AFTER_MS;
  return mayPass ? { state: 'progressing', reason: status.reason, message: status.message } : status;
}

/** The rollout is open, and without progress for long enough to list its pods. */
export function needsPods(
  following: Following,
  status: RolloutStatus,
  now: number,
  afterMs = LOOK_AFTER_MS,
): boolean {
  const { movedAt, lookedAt, pods } = following;
  if (!isOpen(status) || now - movedAt < afterMs) return false;
  if (lookedAt === undefined || !pods) return true;
  // A failure stays until there is progress, so the pods need not be listed again.
  return following.failed === undefined && !pods.failing && now - lookedAt >= afterMs;
}

/** When to look again without an event, in milliseconds since the epoch; undefined: wait for an event. */
export function lookAgainAt(
  following: Following,
  status: RolloutStatus,
  afterMs = LOOK_AFTER_MS,
): number | undefined {
  if (!isOpen(status) || (following.failed !== undefined && following.pods)) return undefined;
  return Math.max(following.movedAt, following.lookedAt ?? 0) + afterMs;
}

function isOpen(status: RolloutStatus): boolean {
  return status.state === 'progressing' || (status.state === 'failed' && status.retriable);
}

/** Grows with each new pod and each removed old pod, and after the last update with each available pod. */
function progressOf({ rollout }: WorkloadFacts): number {
  const { generation, observedGeneration, wanted, updated, available, total, partition = 0 } = rollout;
  if (observedGeneration < generation) return Number.NEGATIVE_INFINITY;
  const old = Math.max(0, total - updated);
  const isRolled = updated >= wanted - Math.min(partition, wanted);
  return updated - old + (isRolled ? available : 0);
}
