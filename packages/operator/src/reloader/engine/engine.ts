/**
 * One pass over one workload: what it wants, what its ledger says, what follows, and when.
 *
 * In: the name of a workload whose world may have changed. Out: at most one write to it, the time of the next pass,
 * and reports. Everything it decides by is in the caches and the ledger; what it remembers only saves requests and
 * keeps order between events, so a crash at any point loses nothing and repeats nothing.
 */
import type { Clock, Result } from '@reloader/runtime';
import { decide } from '../decide/decide.ts';
import { formatLedger, type Ledger } from '../decide/ledger.ts';
import { afterRefusal, afterWrite, emptyMemory, remember } from '../decide/remember.ts';
import {
  type Decision,
  type Doubt,
  type Install,
  isVerdict,
  type PodEvidence,
  type Verdict,
} from '../decide/types.ts';
import { wantOf } from '../decide/want.ts';
import { refOf } from '../index/concerned.ts';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { Outcome, ReloadPlan } from '../model/plan.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import type { Problem } from '../model/want.ts';
import { type WorkloadFacts, type WorkloadRef, workloadKey } from '../model/workload.ts';
import type { World } from '../model/world.ts';
import type { Executor } from '../patch/executor.ts';
import type { PassReport, PipelineReporter, ReloadReport } from '../report/reporter.ts';
import { schedule } from '../schedule/schedule.ts';
import type { Later } from '../schedule/types.ts';
import { rolloutOf } from '../verify/rollout.ts';
import { LedgerWriter, withoutTimes } from './ledger-writer.ts';
import type { Pass } from './pass.ts';
import { recordOnlyReason, uncounted } from './record-only.ts';
import { UnfinishedRollouts } from './rollouts.ts';
import { newState, type WorkloadState } from './state.ts';
import { notesOf } from './view.ts';

export interface EngineOptions {
  readonly world: World;
  readonly settings: ReloaderSettings;
  readonly install: Install;
  readonly executor: Executor;
  readonly lookAtPods: (workload: WorkloadFacts, why: Doubt, signal: AbortSignal) => Promise<PodEvidence>;
  readonly reporter: PipelineReporter;
  readonly clock: Clock;
  /** Asks for another pass over a workload. */
  readonly wake: (key: string) => void;
}

/** A running rollout is looked at again this often where no event says that it ended. */
const ROLLOUT_CHECK_MS = 5_000;
const LONGEST_WAIT_MS = 600_000;
/** A change that the API server refuses for what it says is tried again this often. */
const REJECTED_RETRY_MS = 300_000;
const JOB_CHECK_MS = 1_000;

/** The server did not take the reload; the queue tries again with backoff. */
export class ReloadFailedError extends Error {
  override name = 'ReloadFailedError';
}

export class Engine {
  readonly #options: EngineOptions;
  readonly #states = new Map<string, WorkloadState>();
  readonly #rollouts: UnfinishedRollouts;
  readonly #ledgers: LedgerWriter;
  /** Milliseconds since the epoch, by uid: since when a decision waits for the end of a rollout. */
  readonly #waiting = new Map<string, number>();

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#rollouts = new UnfinishedRollouts(options.wake);
    this.#ledgers = new LedgerWriter(options);
  }

  state(ref: WorkloadRef): WorkloadState | undefined {
    return this.#states.get(workloadKey(ref));
  }

  /** Rollouts of ours that have not ended, this workload's aside. */
  unfinishedBeside(ref: WorkloadRef): number {
    return this.#rollouts.countWithout(workloadKey(ref));
  }

  async reconcile(ref: WorkloadRef, signal: AbortSignal): Promise<Result> {
    const { clock, reporter } = this.#options;
    const start = clock.monotonic();
    const report = (result: PassReport['result'], matched: boolean): void =>
      reporter.reconciled({ workload: ref, result, seconds: (clock.monotonic() - start) / 1000, matched });
    try {
      const { result, action } = await this.#pass(ref, signal);
      report(action === 'nothing' ? 'skipped' : 'success', action === 'reload');
      return result;
    } catch (error) {
      report('error', true);
      throw error;
    }
  }

  async #pass(ref: WorkloadRef, signal: AbortSignal): Promise<{ result: Result; action: Verdict['action'] }> {
    const { world, settings, reporter, clock } = this.#options;
    const key = workloadKey(ref);
    const workload = world.workload(ref);
    if (!workload && world.knows(ref.kind)) this.#forget(ref, key);
    if (!workload) return { result: await this.#finishJobs(ref, signal), action: 'nothing' };
    if (workload.deleting || isRunOfCronJob(workload)) return { result: {}, action: 'nothing' };
    const known = this.#states.get(key);
    const state = known?.memory.uid === workload.metadata.uid ? known : undefined;
    const want = wantOf(workload, world, settings);
    const now = clock.now();
    if (want.sources.length === 0 && !state && !hasLedger(workload)) {
      reporter.problems(workload, want.problems);
      return { result: await this.#resume(workload, now, signal), action: 'nothing' };
    }
    const decided = await this.#decide({ workload, want, now, signal }, state);
    if ('waitMs' in decided) return { result: { requeueAfterMs: decided.waitMs }, action: 'nothing' };
    const { decision } = decided;
    const memory = remember(state?.memory, workload, decision, now);
    const current = state ?? newState(memory);
    current.memory = memory;
    if (isHealed(current, decision)) current.lastError = undefined;
    this.#states.set(key, current);
    const pass: Pass = { key, workload, want, state: current, now, signal };
    const next = await this.#act(pass, decision);
    reporter.problems(workload, [...want.problems, ...troublesOf(pass, decision)]);
    this.#followRollout(pass);
    const resumed = await this.#resume(workload, now, signal);
    const action = decision.action === 'record' || decision.action === 'reload' ? decision.action : 'nothing';
    return { result: soonest(next, resumed), action };
  }

  /** Looks at the pods only where nothing else can tell. */
  async #decide(
    { workload, want, now, signal }: Pick<Pass, 'workload' | 'want' | 'now' | 'signal'>,
    state: WorkloadState | undefined,
  ): Promise<{ decision: Decision } | { waitMs: number }> {
    const { install, settings } = this.#options;
    const memory = state?.memory ?? emptyMemory(workload.metadata.uid);
    const input = { workload, want, memory, install, settings, now };
    const first = decide({ ...input, pods: undefined });
    if (first.action !== 'ask-pods') {
      this.#waiting.delete(workload.metadata.uid);
      return { decision: first };
    }
    if (first.waitForRollout && rolloutOf(workload).state === 'progressing' && this.#mayWait(workload, now)) {
      return { waitMs: ROLLOUT_CHECK_MS };
    }
    const pods = await this.#options.lookAtPods(workload, first.why, signal);
    return { decision: decide({ ...input, pods }) };
  }

  /** A rollout that never ends must not keep a change from ever being rolled out. */
  #mayWait({ metadata: { uid } }: WorkloadFacts, now: number): boolean {
    const since = this.#waiting.get(uid) ?? now;
    this.#waiting.set(uid, since);
    if (now - since < LONGEST_WAIT_MS) return true;
    this.#waiting.delete(uid);
    return false;
  }

  async #act(pass: Pass, decision: Decision): Promise<Result> {
    if (!isVerdict(decision)) return {};
    pass.state.foreignSlots = decision.foreignSlots ?? pass.state.foreignSlots;
    if (decision.action === 'reload') return this.#reload(pass, decision);
    pass.state.deferred = undefined;
    if (decision.action !== 'record' || !decision.record) return {};
    const next = await this.#ledgers.write(pass, decision, decision.record);
    // What was noted is still to be rolled out, and no event tells us of our own write.
    const isNoted = decision.because === 'returned' && Object.keys(next).length === 0;
    return isNoted ? { requeueAfterMs: 1 } : next;
  }

  async #reload(pass: Pass, verdict: Verdict): Promise<Result> {
    const { workload, want, state, key, now } = pass;
    const { settings, reporter } = this.#options;
    const { pending } = state.memory;
    if (!verdict.reload || !pending) return {};
    if (recordOnlyReason(workload, want, settings)) {
      const ledger = uncounted(verdict);
      return ledger ? this.#ledgers.write(pass, verdict, ledger) : {};
    }
    const when = schedule({
      policy: want.policy,
      pending,
      recorded: verdict.recorded,
      workload,
      mode: settings.mode,
      unfinished: this.#rollouts.countWithout(key),
      maxUnfinished: settings.maxUnfinishedRollouts,
      now,
    });
    if (when.kind === 'later') return this.#defer(pass, verdict, when);
    state.deferred = undefined;
    const { ledger, mark, causes, configs } = verdict.reload;
    const plan: ReloadPlan = {
      workload,
      ledgerBefore: workload.annotations[FIXED_ANNOTATIONS.ledger],
      ledgerAfter: formatLedger(ledger),
      mark,
      seq: ledger.seq,
      now,
      causes,
      configs,
      reloadStrategy: want.policy.reloadStrategy,
      rolloutStrategy: want.policy.rolloutStrategy,
      stakaterPauseMs: want.policy.stakaterPauseMs,
      cronJob: want.policy.cronJob,
    };
    const report = { plan, want, seenAt: pending.firstSeen };
    // Taken before anything is awaited: others decide meanwhile.
    this.#rollouts.set(key, true);
    try {
      const outcome = await this.#options.executor.reload(plan, pass.signal);
      return this.#afterReload(pass, ledger, outcome, report);
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error));
      state.lastError = failure.message;
      reporter.failed(report, failure, false);
      throw error;
    }
  }

  #afterReload({ state }: Pass, ledger: Ledger, outcome: Outcome, report: ReloadReport): Result {
    const { reporter } = this.#options;
    switch (outcome.kind) {
      case 'done':
        state.lastError = outcome.note;
        state.refused = outcome.recorded === false ? withoutTimes(ledger) : undefined;
        state.memory = (outcome.recorded === false ? afterRefusal : afterWrite)(state.memory, ledger);
        state.following = { seq: ledger.seq, before: report.plan.workload.metadata.resourceVersion };
        if (outcome.changed) reporter.reloaded(report);
        else reporter.unchangedByReload(refOf(report.plan.workload));
        return {};
      case 'continue':
        return { requeueAfterMs: outcome.afterMs };
      case 'conflict':
        // Somebody wrote at the same time: what the caches show next decides.
        return { requeue: true };
      case 'forbidden':
        throw new ReloadFailedError(outcome.message);
      case 'rejected':
        state.lastError = outcome.message;
        reporter.failed(report, new ReloadFailedError(outcome.message), true);
        return { requeueAfterMs: REJECTED_RETRY_MS };
    }
  }

  async #defer(pass: Pass, verdict: Verdict, later: Later): Promise<Result> {
    const { workload, want, state, key, now } = pass;
    const { reporter } = this.#options;
    const before = state.deferred;
    state.deferred = later;
    if (later.why === 'observing') this.#observe(pass, verdict);
    else if (before?.why !== later.why || before.until !== later.until)
      reporter.deferred(workload, want, later);
    if (later.why === 'capped') this.#rollouts.wait(key);
    // A settling that is over in a second is worth no request; what waits longer must survive a restart.
    const store = verdict.record && (verdict.recordUrgent || !isShort(later));
    const next: Result = later.until === undefined ? {} : { requeueAfterMs: Math.max(1, later.until - now) };
    if (!store || !verdict.record) return next;
    return soonest(next, await this.#ledgers.write(pass, verdict, verdict.record));
  }

  #observe({ workload, state }: Pass, verdict: Verdict): void {
    const fingerprint = state.memory.pending?.fingerprint;
    if (state.observed === fingerprint) return;
    state.observed = fingerprint;
    this.#options.reporter.wouldReload(workload, verdict);
  }

  #followRollout({ key, workload, state }: Pass): void {
    const { ledger } = state.memory;
    const { state: rollout, message } = rolloutOf(workload);
    if (!state.following && rollout === 'progressing' && ledger?.reloadedAt !== undefined) {
      state.following = { seq: ledger.seq, before: '' };
    }
    // Until the cache shows our own write, what it says is about the rollout before.
    const running =
      rollout === 'progressing' || state.following?.before === workload.metadata.resourceVersion;
    this.#rollouts.set(key, state.following !== undefined && running);
    if (!state.following || running) return;
    const { seq } = state.following;
    state.following = undefined;
    const result = rollout === 'failed' ? 'failed' : 'succeeded';
    if (rollout !== 'waiting') this.#options.reporter.rolledOut(workload, seq, result, message);
  }

  /** The end of a pause the Stakater way, computed from what stands on the workload. */
  async #resume(workload: WorkloadFacts, now: number, signal: AbortSignal): Promise<Result> {
    const { executor, settings } = this.#options;
    const at = executor.resumeAt(workload);
    if (at === undefined || settings.mode === 'observe') return {};
    if (at > now) return { requeueAfterMs: at - now };
    const outcome = await executor.resume(workload, signal);
    return outcome.kind === 'conflict' ? { requeue: true } : {};
  }

  /** A Job that is not there may be one that we deleted to create it again. */
  async #finishJobs({ kind }: WorkloadRef, signal: AbortSignal): Promise<Result> {
    const { executor } = this.#options;
    if (kind !== 'Job' || !executor.hasInterruptedJobs) return {};
    const { pending } = await executor.finishInterruptedJobs(signal);
    return pending > 0 ? { requeueAfterMs: JOB_CHECK_MS } : {};
  }

  #forget(ref: WorkloadRef, key: string): void {
    this.#rollouts.forget(key);
    if (this.#states.delete(key)) this.#options.reporter.forget(ref);
  }
}

/** What a ReloaderConfig shows as a condition has no place on an annotated workload but in an Event. */
function troublesOf({ workload, state, now }: Pass, decision: Decision): readonly Problem[] {
  const verdict = isVerdict(decision) ? decision : undefined;
  return notesOf(workload, verdict, state, now).map((note) => ({ field: FIXED_ANNOTATIONS.ledger, ...note }));
}

function hasLedger({ annotations }: WorkloadFacts): boolean {
  return annotations[FIXED_ANNOTATIONS.ledger] !== undefined;
}

/** What failed is done: the server may have carried out a write whose answer was lost, or somebody else did it. */
function isHealed({ refused }: WorkloadState, { action, ...rest }: Decision): boolean {
  if (refused !== undefined || (action !== 'nothing' && action !== 'record')) return false;
  const { because } = rest as Verdict;
  return because !== 'not-in-sync' && because !== 'write-not-seen';
}

function isRunOfCronJob({ kind, controlledBy }: WorkloadFacts): boolean {
  return kind === 'Job' && controlledBy?.startsWith('CronJob/') === true;
}

function isShort(later: Later): boolean {
  return later.why === 'settling' || later.why === 'observing';
}

function soonest(one: Result, other: Result): Result {
  if (one.requeue || other.requeue) return { requeue: true };
  const times = [one.requeueAfterMs, other.requeueAfterMs].filter((time) => time !== undefined);
  return times.length === 0 ? {} : { requeueAfterMs: Math.min(...times) };
}
