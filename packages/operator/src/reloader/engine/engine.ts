/**
 * One pass over one workload: load what is known, plan, carry the plan out, report.
 *
 * In: the name of a workload whose world may have changed. Out: at most one write to it, the time of the next pass,
 * and reports. Everything it decides by is in the caches, the ledger and the notebook; what it remembers only saves
 * requests and keeps order between events, so a crash at any point loses nothing and repeats nothing.
 */
import type { Clock, Result } from '@reloader/runtime';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { Slots } from '../model/budget.ts';
import type { Doubt, Install, PodEvidence } from '../model/decision.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import {
  refOf,
  type WorkloadFacts,
  type WorkloadKind,
  type WorkloadRef,
  workloadKey,
} from '../model/workload.ts';
import type { World } from '../model/world.ts';
import type { Executor } from '../patch/executor.ts';
import { type Action, type Plan, verdictOf } from '../plan/action.ts';
import { plan } from '../plan/plan.ts';
import type { OpenRollout } from '../report/metrics.ts';
import type { PassReport, PipelineReporter } from '../report/reporter.ts';
import { Doubts } from './doubts.ts';
import { Execution, type NotebookPort } from './execution.ts';
import { InheritedRollouts } from './inherited.ts';
import { notesOf, otherInstallation, oursOf } from './notes.ts';
import { isIdle, isReload, type Pass, soonest } from './pass.ts';
import { UnfinishedRollouts } from './rollouts.ts';
import { type WorkloadState, WorkloadStates } from './state.ts';
import { Verification, type VerificationOptions } from './verification.ts';

export interface EngineOptions {
  readonly world: World;
  readonly settings: ReloaderSettings;
  readonly install: Install;
  readonly executor: Executor;
  readonly notebook: NotebookPort;
  readonly lookAtPods: (workload: WorkloadFacts, why: Doubt, signal: AbortSignal) => Promise<PodEvidence>;
  readonly lookAtRollout: VerificationOptions['lookAtRollout'];
  /** Of kinds that are listed, not watched: reads a workload from the server into the cache. */
  readonly refreshListed: (
    kind: WorkloadKind,
  ) => ((ref: WorkloadRef, signal: AbortSignal) => Promise<void>) | undefined;
  /** All that are known. */
  readonly workloads: () => Iterable<WorkloadFacts>;
  /** Keys of those that are looked at when a process begins. */
  readonly expected: () => Iterable<string>;
  readonly reporter: PipelineReporter;
  readonly clock: Clock;
  /** Asks for another pass over a workload. */
  readonly wake: (key: string) => void;
}

export class Engine {
  readonly #options: EngineOptions;
  readonly #states = new WorkloadStates();
  readonly #rollouts: UnfinishedRollouts;
  readonly #execution: Execution;
  readonly #verification: Verification;
  readonly #inherited: InheritedRollouts;
  readonly #doubts: Doubts;

  constructor(options: EngineOptions) {
    this.#options = options;
    const { wake, clock, settings } = options;
    this.#rollouts = new UnfinishedRollouts(wake, () => clock.now(), settings.rolloutDeadlineMs);
    this.#inherited = new InheritedRollouts(options);
    this.#doubts = new Doubts({
      expected: options.expected,
      wake,
      now: () => clock.now(),
      tooMany: () => options.reporter.manyDoubts(),
    });
    this.#execution = new Execution({ ...options, rollouts: this.#rollouts });
    this.#verification = new Verification({ ...options, rollouts: this.#rollouts });
  }

  state(ref: WorkloadRef): WorkloadState | undefined {
    return this.#states.of(ref);
  }

  /** Rollouts of ours that have not ended, and who waits for one to end. */
  slots(): Slots {
    return this.#rollouts.slots();
  }

  openRollouts(): Iterable<OpenRollout> {
    return this.#states.openRollouts();
  }

  /** How many workloads another installation reloads, too. */
  contested(): number {
    return this.#states.contested();
  }

  /** Another leader has noted something newer of it: what we remember is outdated. */
  outdated(ref: WorkloadRef): void {
    this.#states.outdated(ref);
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
    }
  }

  /** `isFresh`: the workload was read just now, whatever is heard of it otherwise. */
  async #pass(
    ref: WorkloadRef,
    signal: AbortSignal,
    isFresh = false,
  ): Promise<{ result: Result; action?: Action }> {
    const { world, clock, reporter } = this.#options;
    const workload = world.workload(ref);
    if (!workload) return { result: await this.#absent(ref, signal) };
    // A Job that we made anew, and whose answer got lost, is noted as what it was made for before anything else.
    await this.#execution.finishJobs(ref, signal);
    let now = clock.now();
    let planned = this.#plan(workload, now, undefined);
    if (planned.action.kind === 'ask-pods') {
      const { doubt } = planned.action;
      const pods = await this.#options.lookAtPods(workload, doubt, signal);
      // A window may have closed meanwhile.
      now = clock.now();
      planned = this.#plan(workload, now, pods);
      if (this.#isNewDoubt(ref, planned.action)) planned = this.#plan(workload, now, pods);
    } else if (this.#isNewDoubt(ref, planned.action)) planned = this.#plan(workload, now, undefined);
    // While it waited, somebody may have rolled it out with the new values, and of a kind that is listed nobody hears.
    const refresh = isFresh ? undefined : this.#options.refreshListed(ref.kind);
    if (refresh && planned.action.kind === 'reload' && this.#states.of(ref)?.deferred) {
      await refresh(ref, signal);
      return this.#pass(ref, signal, true);
    }
    // Nothing is awaited from here until a reload has taken its place among the rollouts: others count it.
    const { want, memory, action } = planned;
    const key = workloadKey(ref);
    if (action.kind === 'leave' && action.why !== 'up-to-date' && action.why !== 'newer-record') {
      this.#rollouts.forget(key);
      if (action.why !== 'asks-nothing') return { result: {}, action };
      reporter.problems(workload, want.problems);
      return { result: await this.#execution.resume(workload, now, signal), action };
    }
    const state = this.#states.remember(workload, memory);
    const pass: Pass = { key, workload, want, state, now, signal };
    const next = await this.#execution.carryOut(pass, action);
    if (action.kind === 'wait' || action.kind === 'ask-pods') return { result: next, action };
    // A ReloaderConfig shows these as conditions; on an annotated workload they have no place but in an Event.
    const { settings, install } = this.#options;
    const ours = oursOf(settings, install);
    state.contestedBy = otherInstallation(verdictOf(action)?.recorded, ours);
    const notes = notesOf(workload, verdictOf(action), state, ours);
    const troubles = notes.map((note) => ({ field: FIXED_ANNOTATIONS.ledger, ...note }));
    const warnings = (state.deferred?.warnings ?? []).map(({ event, message }) => ({
      field: state.deferred?.why ?? '',
      reason: event,
      message,
    }));
    reporter.problems(workload, [...want.problems, ...troubles, ...warnings]);
    const rollout = await this.#verification.follow(pass);
    const resumed = await this.#execution.resume(workload, now, signal);
    return { result: soonest(soonest(next, rollout), resumed), action };
  }

  #plan(workload: WorkloadFacts, now: number, pods: PodEvidence | undefined): Plan {
    const { world, settings, install, notebook } = this.#options;
    const ref = refOf(workload);
    const { memory, following } = this.#states.of(ref) ?? {};
    const slots = (): Slots => {
      // Before the first slot is given: what is under way already counts.
      this.#inherited.takeOnce(this.#rollouts, now);
      return this.#rollouts.slots();
    };
    const doubts = this.#doubts.count;
    const known = { note: notebook.note(ref), memory, following, slots, pods, doubts };
    return plan({ workload, world, settings, install, now, ...known });
  }

  /** It is counted before it is made; that may be the one too many. */
  #isNewDoubt(ref: WorkloadRef, action: Action): boolean {
    if (!('byTimesAlone' in action)) return false;
    const note = this.#options.notebook.note(ref);
    const isHeld = note.kind === 'note' && note.note.doubt?.held === true;
    return !isHeld && this.#doubts.add(workloadKey(ref));
  }

  async #absent(ref: WorkloadRef, signal: AbortSignal): Promise<Result> {
    const key = workloadKey(ref);
    if (this.#options.world.knows(ref.kind)) {
      this.#rollouts.forget(key);
      this.#options.notebook.forget(ref);
      this.#states.forget(ref);
      // Also what was never watched may have had problems that were told.
      this.#options.reporter.forget(ref);
    }
    return this.#execution.finishJobs(ref, signal);
  }
}
