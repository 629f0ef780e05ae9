/**
 * Judges rollouts: the progress by the rules of `kubectl rollout status`, and whether it has failed. Pure.
 *
 * `done`: every pod that should run the newest template runs it and is available; `waits` counts those that keep the
 * old one on purpose. `progressing`: it moves, wait. `held`: it will not move by itself (paused, OnDelete). `failed`:
 * `retriable` while its controller still tries, not after it gave up. The object alone never shows that a StatefulSet
 * or a DaemonSet has failed, or that a pod crashes: pass evidence for that.
 */
import { type PodFailure, podFailureText } from './pod-failure.ts';
import {
  type AnyWorkload,
  ROLLOUT_KINDS,
  type RolloutFacts,
  type RolloutKind,
  rolloutFacts,
} from './rollout-facts.ts';

/** The state of a rollout: progressing, done, held (nothing moves until a person acts), or failed, with a sentence. */
export type RolloutStatus =
  | { readonly state: 'done'; readonly message: string; readonly waits?: 'partition' }
  | { readonly state: 'progressing' | 'held'; readonly reason: string; readonly message: string }
  | {
      readonly state: 'failed';
      readonly retriable: boolean;
      readonly reason: string;
      readonly message: string;
    };

/** Evidence beyond the object. */
export interface RolloutEvidence {
  /** A new pod that does not become ready. Look for one only if nothing moves: it costs a LIST. */
  readonly failing?: PodFailure | undefined;
  /** StatefulSet with a partition: ready pods above it. The status includes those below. */
  readonly readyAbovePartition?: number | undefined;
  /** Milliseconds since the last progress. */
  readonly stalledMs?: number;
  /**
   * Milliseconds without progress after which it counts as failed; the workload's own longer deadline takes
   * precedence.
   */
  readonly deadlineMs?: number;
}

/** Objects from lists carry no kind: then pass it. */
export function rolloutStatus(
  object: AnyWorkload,
  kind: string | undefined = object.kind,
  evidence: RolloutEvidence = {},
): RolloutStatus {
  const known = ROLLOUT_KINDS.find((each) => each === kind);
  if (!known) {
    throw new TypeError(`Cannot tell the rollout of a "${kind}": only ${ROLLOUT_KINDS.join(', ')} are known`);
  }
  return judgeRollout(known, rolloutFacts(object, known), evidence);
}

/** The same, for callers that keep the facts and not the object. */
export function judgeRollout(
  kind: RolloutKind,
  facts: RolloutFacts,
  evidence: RolloutEvidence = {},
): RolloutStatus {
  const seen = kind === 'Job' || kind === 'CronJob' ? runOnce(kind, facts) : replaced(kind, facts, evidence);
  const isOpen = seen.state === 'progressing' || (seen.state === 'failed' && seen.retriable);
  if (!isOpen) return seen;
  const { failing, stalledMs = 0, deadlineMs } = evidence;
  if (failing) return failed(true, failing.reason, podFailureText(failing));
  // A Job has its own limits: activeDeadlineSeconds and backoffLimit.
  if (seen.state === 'failed' || kind === 'Job' || deadlineMs === undefined) return seen;
  const longest = Math.max(deadlineMs, (facts.deadlineSeconds ?? 0) * 1000);
  if (stalledMs < longest) return seen;
  return failed(true, 'NoProgress', `no progress for ${minutes(stalledMs)}: ${seen.message}`);
}

function replaced(
  kind: RolloutKind,
  facts: RolloutFacts,
  { readyAbovePartition = 0 }: RolloutEvidence,
): RolloutStatus {
  const { generation, observedGeneration, wanted, updated, available, total, failure } = facts;
  if (observedGeneration < generation) {
    const message = `its controller has seen generation ${observedGeneration} of ${generation}`;
    return progressing('SpecNotObserved', message);
  }
  if (facts.deadlineExceeded) return failed(false, 'ProgressDeadlineExceeded', deadlineText(facts));
  const below = Math.min(facts.partition ?? 0, wanted);
  const target = wanted - below;
  const isRolled = updated >= target && (below > 0 || total <= updated);
  const isAvailable = available >= wanted || (below > 0 && readyAbovePartition >= target);
  if (isRolled && isAvailable) {
    return updated >= wanted || below === 0
      ? done(`${updated} of ${wanted} pods are updated and available`)
      : {
          ...done(`${updated} of ${wanted} pods are updated: ${WAITS.partition.message}`),
          waits: 'partition',
        };
  }
  if (facts.waits !== undefined && facts.waits !== 'partition') {
    const { reason, message } = WAITS[facts.waits];
    return { state: 'held', reason, message };
  }
  if (failure) return failed(true, failure.reason, failure.message);
  const noun = kind === 'DaemonSet' ? 'Pods' : 'Replicas';
  if (updated < target) {
    const where = below > 0 ? ' above the partition' : '';
    return progressing(`Updating${noun}`, `${updated} of ${target} pods${where} are updated`);
  }
  if (below === 0 && total > updated) {
    return progressing('RemovingOldReplicas', `${total - updated} old pods are still there`);
  }
  const reason = kind === 'StatefulSet' ? 'WaitingForReadiness' : 'WaitingForAvailability';
  return progressing(reason, `${available} of ${wanted} pods are available`);
}

/** These have no rollout: a Job runs once, a CronJob starts Jobs. */
function runOnce(kind: 'Job' | 'CronJob', { waits, finished, failure }: RolloutFacts): RolloutStatus {
  if (kind === 'Job' && failure) {
    return failed(false, failure.reason, failure.message || 'the Job failed');
  }
  if (waits !== undefined) {
    const { reason, message } = WAITS[waits];
    return { state: 'held', reason, message };
  }
  if (kind === 'CronJob') return done('the next run reads what is there then');
  return finished ? done('the Job has ended') : progressing('Running', 'the Job is running');
}

const WAITS = {
  'on-delete': {
    reason: 'OnDelete',
    message: 'pods get the new template only when somebody deletes them (update strategy OnDelete)',
  },
  partition: {
    reason: 'Partition',
    message: 'pods below the partition keep the old template until it is lowered',
  },
  paused: { reason: 'Paused', message: 'it is paused and rolls out when somebody resumes it' },
  suspended: { reason: 'Suspended', message: 'it is suspended and runs when somebody resumes it' },
} as const;

function deadlineText({ failure, updated, wanted }: RolloutFacts): string {
  return failure?.message || `no progress within its deadline: ${updated} of ${wanted} pods are updated`;
}

function minutes(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`;
}

function done(message: string): Extract<RolloutStatus, { state: 'done' }> {
  return { state: 'done', message };
}
function progressing(reason: string, message: string): RolloutStatus {
  return { state: 'progressing', reason, message };
}
function failed(retriable: boolean, reason: string, message: string): RolloutStatus {
  return { state: 'failed', retriable, reason, message };
}
