/**
 * Whether a reload worked, by the state of its rollout and its pods. Pure.
 *
 * The rollout has to complete within `timeout`, and then all new pods have to stay ready for `stableFor`, counted from
 * the time when the last of them became ready, so that a new leader needs no memory. Pods are listed once at the end of
 * that time, and every 15 s without progress. A rollout that waits for a person (paused, OnDelete) has no outcome, and
 * its timeout does not run.
 */
import type { RolloutStatus } from '@reloader/runtime';
import type { Following, RolloutPods } from '../model/following.ts';
import type { Verify } from '../model/verify.ts';
import { lookAgainAt, needsPods } from './following.ts';

export type Assessment =
  /** `lookAt`: milliseconds since the epoch; undefined: wait for an event. `needsPods`: list pods and assess again. */
  | { readonly state: 'open'; readonly lookAt: number | undefined; readonly needsPods: boolean }
  | { readonly state: 'over'; readonly result: 'ok' | 'failed' | 'timeout'; readonly message: string };

/** Interval for listing pods without progress. */
const LOOK_EVERY_MS = 15_000;
/** The longest time between two passes: each pass renews the slot of the rollout, which would expire otherwise. */
const SHOW_EVERY_MS = 60_000;
/** A container that ran this long counts as healthy, however often it restarted: the kubelet does the same. */
const HEALED_AFTER_MS = 600_000;

/** Adds the times that only `verify` needs. */
export function timed(following: Following, status: RolloutStatus, now: number): Following {
  const { doneAt, ...rest } = following;
  if (status.state === 'held') return { ...rest, startedAt: now };
  if (status.state !== 'done') return doneAt === undefined ? following : rest;
  // An inherited rollout may have been done for some time: the times of its pods tell since when.
  return doneAt === undefined
    ? { ...following, doneAt: following.inherited ? following.movedAt : now }
    : following;
}

export function assess(following: Following, status: RolloutStatus, verify: Verify, now: number): Assessment {
  const deadline = (following.startedAt ?? following.reloadedAt * 1000) + verify.timeoutMs;
  switch (status.state) {
    case 'held':
      return { state: 'open', lookAt: undefined, needsPods: false };
    case 'failed':
      return { state: 'over', result: 'failed', message: status.message };
    case 'progressing': {
      if (now >= deadline) return timedOut(verify, status.message);
      const next = lookAgainAt(following, status, LOOK_EVERY_MS) ?? deadline;
      return open(Math.min(deadline, next), now, needsPods(following, status, now, LOOK_EVERY_MS));
    }
    case 'done':
      return stable(following, status.message, verify, deadline, now);
  }
}

function stable(
  { doneAt, lookedAt, pods, failed }: Following,
  message: string,
  verify: Verify,
  deadline: number,
  now: number,
): Assessment {
  const first = (doneAt ?? now) + verify.stableForMs;
  if (!pods || lookedAt === undefined || lookedAt < first) return look(first, now);
  const { failing, restarted, unready, readyAt } = pods;
  if (failing && failed === undefined) {
    const { pod, container, reason } = failing;
    return { state: 'over', result: 'failed', message: `pod ${pod}: container ${container}: ${reason}` };
  }
  const isRestarting = restarted !== undefined && restarted.restarts > verify.maxRestarts;
  if (isRestarting && failed === undefined) {
    const text = `pod ${restarted.pod} restarted ${times(restarted.restarts)} after it was rolled out, allowed are ${verify.maxRestarts}`;
    return { state: 'over', result: 'failed', message: text };
  }
  const needed = isRestarting ? Math.max(verify.stableForMs, HEALED_AFTER_MS) : verify.stableForMs;
  const isLate = unready === undefined ? readyAt > deadline : lookedAt >= deadline;
  if (isLate && failed === undefined) return timedOut(verify, unreadyText(pods, verify));
  if (unready !== undefined) return look(lookedAt + LOOK_EVERY_MS, now);
  if (readyAt + needed > lookedAt) return look(readyAt + needed, now);
  return { state: 'over', result: 'ok', message: `${message}, for ${seconds(verify.stableForMs)}` };
}

function unreadyText({ unready }: RolloutPods, { stableForMs }: Verify): string {
  return `no ${seconds(stableForMs)} without a pod that is not ready${unready ? `, the last was ${unready}` : ''}`;
}

function timedOut({ timeoutMs }: Verify, state: string): Assessment {
  return { state: 'over', result: 'timeout', message: `not healthy within ${seconds(timeoutMs)}: ${state}` };
}

function look(at: number, now: number): Assessment {
  return open(at, now, now >= at);
}

function open(at: number, now: number, asksPods: boolean): Assessment {
  return { state: 'open', lookAt: Math.min(at, now + SHOW_EVERY_MS), needsPods: asksPods };
}

function seconds(ms: number): string {
  return ms >= 120_000 && ms % 60_000 === 0 ? `${ms / 60_000}m` : `${ms / 1000}s`;
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}
