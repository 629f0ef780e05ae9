/**
 * One pass over one workload: load its record, plan, execute the plan, report.
 *
 * In: the name of a workload that an event may concern. Out: at most one write to it, the time of the next pass, and
 * reports. It decides by caches, ledger and notebook; memory only saves requests, so a crash loses and repeats nothing.
 */
import type { Result } from '@reloader/runtime';
import { pause } from '../../pace/pieces.ts';
import type { Slots } from '../model/budget.ts';
import { type WorkloadFacts, type WorkloadKind, type WorkloadRef, workloadKey } from '../model/workload.ts';
import type { Executor } from '../patch/executor.ts';
import { type Action, verdictOf } from '../plan/action.ts';
import type { PassReport, PipelineReporter } from '../report/reporter.ts';
import { rolloutOf } from '../verify/rollout.ts';
import { Doubts } from './doubts.ts';
import { Execution } from './execution.ts';
import { Failures } from './failures.ts';
import { InheritedRollouts } from './inherited.ts';
import { Inquiry, type InquiryOptions, isLacking, withoutUnchecked } from './inquiry.ts';
import { otherInstallation, oursOf, problemsOf } from './notes.ts';
import { isIdle, isReload, type Pass, soonest } from './pass.ts';
import { PeerWaits } from './peer-waits.ts';
import { Planner, type PlannerOptions } from './planner.ts';
import { Restoration, type RestorationOptions } from './restoration.ts';
import { UnfinishedRollouts } from './rollouts.ts';
import { WorkloadStates } from './state.ts';
import { Verification, type VerificationOptions } from './verification.ts';

type Refresh = (ref: WorkloadRef, signal: AbortSignal) => Promise<void>;
type Known = Omit<PlannerOptions, 'states' | 'doubts' | 'slots' | 'failures'>;
type Passed = { readonly result: Result; readonly action?: Action };

export interface EngineOptions extends Known, InquiryOptions {
  readonly executor: Executor;
  readonly keeper: RestorationOptions['keeper'];
  /** Resolves when the last note of this workload is stored. */
  readonly noteStored: RestorationOptions['noteStored'];
  readonly lookAtRollout: VerificationOptions['lookAtRollout'];
  /** For kinds that are listed, not watched: reads a workload from the API server into the cache. */
  readonly refreshListed: (kind: WorkloadKind) => Refresh | undefined;
  /** All workloads in the caches. */
  readonly workloads: () => Iterable<WorkloadFacts>;
  /** Keys of the workloads that are reconciled when a process starts. */
  readonly expected: () => Iterable<string>;
  readonly reporter: PipelineReporter;
  /** Requeues a workload for another pass. */
  readonly wake: (key: string) => void;
}

export class Engine {
  readonly #options: EngineOptions & { readonly peerWaits: PeerWaits };
  /** The engine's memory of each workload; other parts only read it. */
  readonly states = new WorkloadStates();
  readonly #rollouts: UnfinishedRollouts;
  readonly #inherited: InheritedRollouts;
  readonly #planner: Planner;
  readonly #inquiry: Inquiry;
  readonly #execution: Execution;
  readonly #verification: Verification;
  readonly #restoration: Restoration;
  readonly #doubts: Doubts;
  readonly failures: Failures;

  constructor(given: EngineOptions) {
    const failures = new Failures({ ...given, states: this.states });
    const { wake, clock, settings, expected, world } = given;
    const isHeld = (ref: WorkloadRef): boolean => {
      const facts = world.workload(ref);
      return facts !== undefined && rolloutOf(facts).state === 'held';
    };
    const peerWaits = new PeerWaits(wake, this.states, isHeld);
    const options = { ...given, notebook: failures.notebook, peerWaits };
    this.#options = options;
    this.failures = failures;
    const now = (): number => clock.now();
    this.#rollouts = new UnfinishedRollouts(wake, now, settings.rolloutDeadlineMs);
    this.#inherited = new InheritedRollouts(options, this.#rollouts);
    const slots = (): Slots => this.#inherited.slots();
    this.#doubts = new Doubts({ expected, wake, now, tooMany: () => options.reporter.manyDoubts() });
    this.#planner = new Planner({ ...options, states: this.states, doubts: this.#doubts, slots, failures });
    this.#inquiry = new Inquiry(options, this.#planner);
    this.#execution = new Execution({ ...options, rollouts: this.#rollouts });
    this.#verification = new Verification({ ...options, rollouts: this.#rollouts });
    this.#restoration = new Restoration({ ...options, states: this.states, failures });
  }

  /** Our rollouts that have not ended, and the workloads that wait for a slot. */
  slots(): Slots {
    return this.#rollouts.slots();
  }

  /** Another leader has stored a newer note of this workload, so our memory of it is outdated. */
  outdated(ref: WorkloadRef): void {
    this.states.outdated(ref);
    this.failures.reread(ref);
    this.#options.wake(workloadKey(ref));
  }

  async reconcile(ref: WorkloadRef, signal: AbortSignal): Promise<Result> {
    const { clock, reporter } = this.#options;
    const start = clock.monotonic();
    const report = (result: PassReport['result'], matched: boolean): void =>
      reporter.reconciled({ workload: ref, result, seconds: (clock.monotonic() - start) / 1000, matched });
    try {
      const { result, action } = await this.#pass(ref, signal);
      report(isIdle(action) ? 'skipped' : 'success', isReload(action));
      return result;
    } catch (error) {
      report('error', true);
      throw error;
    } finally {
      this.#doubts.looked(workloadKey(ref));
      this.#options.peerWaits.looked(ref);
    }
  }

  /** `isFresh`: the workload was just read from the API server, so its cache entry needs no refresh. */
  async #pass(ref: WorkloadRef, signal: AbortSignal, isFresh = false): Promise<Passed> {
    const { world, reporter } = this.#options;
    const workload = world.workload(ref);
    if (!workload) return { result: await this.#absent(ref, signal) };
    // If we re-created a Job and lost the API server's answer, first note what it was created for.
    // Without it there is no await before the plan: the controller counts the time of a pass until its first one, and
    // starts no other in the same turn of the event loop if that was long.
    if (this.#execution.hasJobsToFinish(ref)) await this.#execution.finishJobs(ref, signal);
    let planned = this.#planner.plan(workload);
    if (this.#inherited.areMissing || isLacking(planned)) {
      if (this.#inherited.areMissing) await this.#inherited.found();
      const pods = isLacking(planned) ? await this.#inquiry.about(workload, planned, signal) : undefined;
      // The answers for many workloads may come at the same time.
      const full = pause();
      if (full) await full;
      planned = withoutUnchecked(this.#planner.plan(workload, pods));
    }
    const { want, memory, action, now } = planned;
    // While the reload waited, a user may have rolled out the new values. Listed kinds send no event, so read it again.
    const refresh = isFresh ? undefined : this.#options.refreshListed(ref.kind);
    if (refresh && action.kind === 'reload' && this.states.of(ref)?.deferred) {
      await refresh(ref, signal);
      return this.#pass(ref, signal, true);
    }
    // No await from here until a reload holds its slot, because other passes count the slots.
    if (action.kind === 'leave' && action.why !== 'up-to-date' && action.why !== 'newer-record') {
      this.#rollouts.forget(workloadKey(ref));
      if (action.why !== 'asks-nothing') return { result: {}, action };
      reporter.problems(workload, want.problems);
      return { result: await this.#execution.resume(workload, now, signal), action };
    }
    const state = this.states.remember(workload, memory);
    const pass: Pass = { key: workloadKey(ref), workload, want, state, now, signal };
    const next = await this.#execution.carryOut(pass, action);
    if (action.kind === 'wait' || action.kind === 'ask-pods') return { result: next, action };
    const ours = oursOf(this.#options.settings, this.#options.install);
    state.contestedBy = otherInstallation(verdictOf(action)?.recorded, ours);
    reporter.problems(workload, [...want.problems, ...problemsOf(workload, verdictOf(action), state, ours)]);
    const rollout = await this.#verification.follow(pass);
    const restored = await this.#restoration.after(pass);
    const resumed = await this.#execution.resume(workload, now, signal);
    return { result: [rollout, restored, resumed].reduce(soonest, next), action };
  }

  async #absent(ref: WorkloadRef, signal: AbortSignal): Promise<Result> {
    if (this.#options.world.knows(ref.kind)) {
      this.#rollouts.forget(workloadKey(ref));
      this.#options.notebook.forget(ref);
      this.states.forget(ref);
      // Problems may have been reported for a workload without any state here.
      this.#options.reporter.forget(ref);
    }
    return this.#execution.finishJobs(ref, signal);
  }
}
