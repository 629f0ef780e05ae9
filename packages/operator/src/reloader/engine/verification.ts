/**
 * Follows the rollout after a reload to its end, and with `verify` until it has been stable.
 *
 * In: each pass over a workload. Out: whether it holds a slot, one report when its rollout has ended or failed, a note
 * of a failure and of each verified outcome, and the time of the next pass without an event. Guarantees: without
 * `verify` pods are listed only after 30 s without progress; a failure is reported once, even across a change of
 * leader; a rollout that succeeds after a reported failure is reported, too.
 */
import type { Clock, Result, RolloutStatus } from '@reloader/runtime';
import type { Following, RolloutPods } from '../model/following.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import { inherit, judged, lookAgainAt, needsPods, observe, withPods } from '../verify/following.ts';
import { type Assessment, assess, timed } from '../verify/stability.ts';
import { isOurs } from './inherited.ts';
import { OutcomeNotes, type OutcomeNotesOptions, type Verified } from './outcome-notes.ts';
import { type Pass, soonest } from './pass.ts';
import type { UnfinishedRollouts } from './rollouts.ts';
import { freeStuckPods, type StuckPodsOptions } from './stuck-pods.ts';

export interface VerificationOptions extends OutcomeNotesOptions, Pick<StuckPodsOptions, 'executor'> {
  readonly rollouts: UnfinishedRollouts;
  readonly settings: ReloaderSettings;
  readonly clock: Clock;
  /** `since`: seconds since the epoch, when the reload was made. */
  readonly lookAtRollout: (
    workload: WorkloadFacts,
    since: number,
    signal: AbortSignal,
  ) => Promise<RolloutPods>;
}

/** The state of a rollout: by the rollout status alone, or with `verify` by the assessment of its stability. */
interface Standing {
  readonly following: Following;
  readonly status: RolloutStatus;
  readonly assessment: Assessment;
}

export class Verification {
  readonly #options: VerificationOptions;
  readonly #notes: OutcomeNotes;

  constructor(options: VerificationOptions) {
    this.#options = options;
    this.#notes = new OutcomeNotes(options);
  }

  /** After each pass. */
  async follow(pass: Pass): Promise<Result> {
    const { key, workload, state, signal } = pass;
    const { rollouts, clock, lookAtRollout } = this.#options;
    const known = ofLastReload(pass) ?? this.#inherited(pass);
    if (!known) {
      rollouts.set(key, this.#isEvicting(pass));
      return {};
    }
    const verified = this.#notes.verified(pass, known);
    if (verified?.isSuperseded) {
      this.#notes.superseded(pass, known);
      state.following = undefined;
      rollouts.set(key, this.#isEvicting(pass));
      return {};
    }
    let standing = this.#standing(observe(known, workload, pass.now), workload, verified);
    if (standing.assessment.state === 'open' && standing.assessment.needsPods) {
      const pods = await lookAtRollout(workload, since(standing), signal);
      standing = this.#standing(withPods(standing.following, pods, clock.now()), workload, verified);
    }
    const { following, afterMs } = await freeStuckPods(
      this.#options,
      pass,
      standing.following,
      standing.status,
    );
    standing = { ...standing, following };
    const { status, assessment } = standing;
    state.following = this.#told(pass, standing, verified);
    const isOver = following.failed !== undefined || following.outsideCap === true;
    const isRunning =
      assessment.state === 'open' && status.state !== 'held' && !isOver && !this.#isStuck(standing);
    rollouts.set(key, isRunning || this.#isEvicting(pass));
    const at = state.following && nextLook(state.following, standing, verified);
    const next = at === undefined ? {} : { requeueAfterMs: Math.max(1, at - clock.now()) };
    return afterMs === undefined ? next : soonest(next, { requeueAfterMs: afterMs });
  }

  #standing(observed: Following, workload: WorkloadFacts, verified: Verified | undefined): Standing {
    const now = this.#options.clock.now();
    const status = this.#judge(workload, observed);
    if (!verified) return { following: observed, status, assessment: unverified(observed, status, now) };
    const following = timed(observed, status, now);
    return { following, status, assessment: assess(following, status, verified.verify, now) };
  }

  #judge(workload: WorkloadFacts, following: Following): RolloutStatus {
    const { clock, settings } = this.#options;
    return judged(workload, following, clock.now(), settings.rolloutDeadlineMs);
  }

  /** False after the deadline without progress: a budget that never allows an eviction must not hold a slot. */
  #isEvicting({ state: { eviction }, now }: Pass): boolean {
    return eviction !== undefined && now - eviction.movedAt < this.#options.settings.rolloutDeadlineMs;
  }

  /** Its own deadline may be years away: until then it is no failure, but it must not hold the slots of others. */
  #isStuck({ following, status }: Standing): boolean {
    const { clock, settings } = this.#options;
    return status.state === 'progressing' && clock.now() - following.movedAt >= settings.rolloutDeadlineMs;
  }

  /** A rollout that an earlier process started, or reported as failed. */
  #inherited(pass: Pass): Following | undefined {
    const { workload, state, now } = pass;
    const { ledger } = state.memory;
    const { reloadedAt, seq = 0 } = ledger ?? {};
    if (!ledger || reloadedAt === undefined) return undefined;
    const undoes = ledger.recent.find((each) => each.seq === seq)?.undoes;
    const reload = { seq, reloadedAt, before: '', ...(undoes !== undefined && { undoes }) };
    const following = inherit(reload, workload);
    const failed = this.#notes.failure(workload, seq);
    if (failed) return { ...following, failed: failed.message };
    const outcome = this.#notes.outcome(workload, seq);
    // An open outcome is followed at any age, because `verify` asked for it.
    if (outcome) return outcome.result === 'open' ? following : undefined;
    if (!isOurs(workload, ledger, this.#options.settings.rolloutDeadlineMs, now)) return undefined;
    if (this.#notes.verified(pass, following)) return following;
    return this.#judge(workload, following).state === 'progressing' ? following : undefined;
  }

  /** Reports and notes the end of a rollout. Returns the rollout if it has to be followed further. */
  #told(
    pass: Pass,
    { following, status, assessment }: Standing,
    verified: Verified | undefined,
  ): Following | undefined {
    if (assessment.state === 'open') {
      if (verified || status.state !== 'held') return following;
      if (following.failed !== undefined) this.#notes.forgetFailure(pass, following.seq);
      return undefined;
    }
    const { result, message } = assessment;
    if (result === 'ok') {
      this.#notes.worked(pass, following, message, verified);
      return undefined;
    }
    if (following.failed !== undefined) return following;
    this.#notes.failed(pass, following, { result, message }, verified);
    return { ...following, failed: message };
  }
}

/** Undefined if the record has a newer reload: its answer was lost, or another process made it. */
function ofLastReload({ state: { following, memory } }: Pass): Following | undefined {
  return following && following.seq >= (memory.ledger?.seq ?? 0) ? following : undefined;
}

/** Without `verify`, the end of the rollout is the outcome. */
function unverified(following: Following, status: RolloutStatus, now: number): Assessment {
  const lookAt = lookAgainAt(following, status);
  const asksPods = needsPods(following, status, now);
  if (asksPods) return { state: 'open', lookAt, needsPods: true };
  switch (status.state) {
    case 'done':
      return { state: 'over', result: 'ok', message: status.message };
    case 'failed':
      return { state: 'over', result: 'failed', message: status.message };
    default:
      return { state: 'open', lookAt, needsPods: false };
  }
}

/** Milliseconds since the epoch; undefined: the next pass comes with an event. */
function nextLook(
  following: Following,
  { status, assessment }: Standing,
  verified: Verified | undefined,
): number | undefined {
  return verified && assessment.state === 'open' ? assessment.lookAt : lookAgainAt(following, status);
}

/** After a complete rollout all living pods are new, unless it waits at a partition or was an undo. */
function since({ status, following }: Standing): number {
  const areAllNew = status.state === 'done' && status.waits === undefined && following.undoes === undefined;
  return areAllNew ? 0 : following.reloadedAt;
}
