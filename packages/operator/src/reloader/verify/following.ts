/**
 * What is known of the rollout after a reload of ours, beyond what its controller reports. Pure; values are replaced.
 *
 * Progress is what was never reached before: a pod that becomes ready and crashes again and again moves nothing. Pods are
 * worth a list only when nothing has moved for 30 s, so a rollout that goes well costs no request.
 */
import type { RolloutEvidence, RolloutStatus } from '@reloader/runtime';
import type { Following, RolloutPods } from '../model/following.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import { rolloutOf } from './rollout.ts';

/** Without progress for so long, pods are worth a look; and again after the same time. */
export const LOOK_AFTER_MS = 30_000;

export type Begin = Pick<Following, 'seq' | 'reloadedAt' | 'before' | 'outsideCap' | 'undoes'>;

export function begin(reload: Begin, workload: WorkloadFacts, now: number): Following {
  // What the cache shows now is the end of the rollout before.
  const reached = Number.NEGATIVE_INFINITY;
  return { ...reload, template: workload.templateDigest, reached, movedAt: now };
}

/** A rollout that an earlier process began. */
export function inherit(reload: Begin, workload: WorkloadFacts): Following {
  const following = begin(reload, workload, reload.reloadedAt * 1000);
  return { ...following, reached: progressOf(workload), inherited: true };
}

export function observe(following: Following, workload: WorkloadFacts, now: number): Following {
  if (following.before === workload.metadata.resourceVersion) return following;
  const reached = progressOf(workload);
  const isOther = workload.templateDigest !== following.template;
  if (!isOther && reached <= following.reached) return following;
  // What was seen of pods was true before this.
  const { pods: _, inherited: __, ...rest } = following;
  return { ...rest, template: workload.templateDigest, reached, movedAt: now };
}

export function withPods(following: Following, pods: RolloutPods, now: number): Following {
  const { inherited, ...rest } = following;
  const movedAt = inherited ? Math.min(now, Math.max(rest.movedAt, pods.movedAt)) : rest.movedAt;
  return { ...rest, movedAt, lookedAt: now, pods };
}

/** What has become of it, by everything that is known. */
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
  // Pods that could not be created, by a quota for a moment, are no failure yet.
  const mayPass = status.state === 'failed' && status.retriable && !failing && stalledMs < LOOK_AFTER_MS;
  return mayPass ? { state: 'progressing', reason: status.reason, message: status.message } : status;
}

/** Its end is open, and nothing has moved for long enough to ask the pods. */
export function needsPods(
  following: Following,
  status: RolloutStatus,
  now: number,
  afterMs = LOOK_AFTER_MS,
): boolean {
  const { movedAt, lookedAt, pods } = following;
  if (!isOpen(status) || now - movedAt < afterMs) return false;
  if (lookedAt === undefined || !pods) return true;
  // A failure stays one until something moves.
  return following.failed === undefined && !pods.failing && now - lookedAt >= afterMs;
}

/** Milliseconds since the epoch: when to look although no event came; undefined: an event will tell. */
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

/** Grows while a rollout goes on: with new pods, with every old one that is gone, in the end with those available. */
function progressOf({ rollout }: WorkloadFacts): number {
  const { generation, observedGeneration, wanted, updated, available, total, partition = 0 } = rollout;
  if (observedGeneration < generation) return Number.NEGATIVE_INFINITY;
  const old = Math.max(0, total - updated);
  const isRolled = updated >= wanted - Math.min(partition, wanted);
  return updated - old + (isRolled ? available : 0);
}
