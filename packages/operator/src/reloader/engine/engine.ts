/**
 * One pass over one workload: load what is known, plan, carry the plan out, report.
 *
 * In: the name of a workload whose world may have changed. Out: at most one write to it, the time of the next pass,
 * and reports. Everything it decides by is in the caches, the ledger and the notebook; what it remembers only saves
 * requests and keeps order between events, so a crash at any point loses nothing and repeats nothing.
 */
import type { Clock, Result } from '@reloader/runtime';
import { emptyMemory } from '../ledger/remember.ts';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { Doubt, Install, PodEvidence } from '../model/decision.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import { refOf, type WorkloadFacts, type WorkloadRef, workloadKey } from '../model/workload.ts';
import type { World } from '../model/world.ts';
import type { Executor } from '../patch/executor.ts';
import { type Action, type Plan, verdictOf } from '../plan/action.ts';
import { plan } from '../plan/plan.ts';
import type { PassReport, PipelineReporter } from '../report/reporter.ts';
import { Execution, type NotebookPort } from './execution.ts';
import { notesOf } from './notes.ts';
import type { Pass } from './pass.ts';
import { UnfinishedRollouts } from './rollouts.ts';
import { newState, type WorkloadState } from './state.ts';

export interface EngineOptions {
  readonly world: World;
  readonly settings: ReloaderSettings;
  readonly install: Install;
  readonly executor: Executor;
  readonly notebook: NotebookPort;
  readonly lookAtPods: (workload: WorkloadFacts, why: Doubt, signal: AbortSignal) => Promise<PodEvidence>;
  readonly reporter: PipelineReporter;
  readonly clock: Clock;
  /** Asks for another pass over a workload. */
  readonly wake: (key: string) => void;
}

export class Engine {
  readonly #options: EngineOptions;
  readonly #states = new Map<string, WorkloadState>();
  readonly #rollouts: UnfinishedRollouts;
  readonly #execution: Execution;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#rollouts = new UnfinishedRollouts(options.wake);
    this.#execution = new Execution({ ...options, rollouts: this.#rollouts });
  }

  state(ref: WorkloadRef): WorkloadState | undefined {
    return this.#states.get(workloadKey(ref));
  }

  /** Rollouts of ours that have not ended, this workload's aside. */
  unfinishedBeside(ref: WorkloadRef): number {
    return this.#rollouts.countWithout(workloadKey(ref));
  }

  /** Another leader has noted something newer of it: what we remember is outdated. */
  outdated(ref: WorkloadRef): void {
    const state = this.state(ref);
    if (state) state.memory = emptyMemory(state.memory.uid);
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
    }
  }

  async #pass(ref: WorkloadRef, signal: AbortSignal): Promise<{ result: Result; action?: Action }> {
    const { world, clock, reporter } = this.#options;
    const workload = world.workload(ref);
    if (!workload) return { result: await this.#absent(ref, signal) };
    const now = clock.now();
    let planned = this.#plan(workload, now, undefined);
    if (planned.action.kind === 'ask-pods') {
      const { doubt } = planned.action;
      planned = this.#plan(workload, now, await this.#options.lookAtPods(workload, doubt, signal));
    }
    // Nothing is awaited from here until a reload has taken its place among the rollouts: others count it.
    const { want, memory, action } = planned;
    const isUntouched =
      action.kind === 'leave' && (action.why === 'deleting' || action.why === 'run-of-cron-job');
    if (isUntouched) return { result: {}, action };
    if (action.kind === 'leave' && action.why === 'asks-nothing') {
      reporter.problems(workload, want.problems);
      return { result: await this.#execution.resume(workload, now, signal), action };
    }
    const state = this.#remember(workload, memory);
    const pass: Pass = { key: workloadKey(ref), workload, want, state, now, signal };
    if (action.kind === 'wait' || action.kind === 'ask-pods') {
      return { result: await this.#execution.carryOut(pass, action), action };
    }
    const next = await this.#execution.carryOut(pass, action);
    // A ReloaderConfig shows these as conditions; on an annotated workload they have no place but in an Event.
    const notes = notesOf(workload, verdictOf(action), state);
    const troubles = notes.map((note) => ({ field: FIXED_ANNOTATIONS.ledger, ...note }));
    reporter.problems(workload, [...want.problems, ...troubles]);
    this.#rollouts.follow(pass, reporter);
    return { result: soonest(next, await this.#execution.resume(workload, now, signal)), action };
  }

  #plan(workload: WorkloadFacts, now: number, pods: PodEvidence | undefined): Plan {
    const { world, settings, install, notebook } = this.#options;
    const ref = refOf(workload);
    const key = workloadKey(ref);
    const { memory } = this.#states.get(key) ?? {};
    const unfinished = this.#rollouts.countWithout(key);
    return plan({
      workload,
      world,
      settings,
      install,
      note: notebook.note(ref),
      memory,
      unfinished,
      now,
      pods,
    });
  }

  #remember(workload: WorkloadFacts, memory: WorkloadState['memory']): WorkloadState {
    const key = workloadKey(refOf(workload));
    const known = this.#states.get(key);
    const state = known?.memory.uid === workload.metadata.uid ? known : newState(memory);
    state.memory = memory;
    this.#states.set(key, state);
    return state;
  }

  async #absent(ref: WorkloadRef, signal: AbortSignal): Promise<Result> {
    const key = workloadKey(ref);
    if (this.#options.world.knows(ref.kind)) {
      this.#rollouts.forget(key);
      this.#options.notebook.forget(ref);
      if (this.#states.delete(key)) this.#options.reporter.forget(ref);
    }
    return this.#execution.finishJobs(ref, signal);
  }
}

function isReload(action: Action | undefined): boolean {
  return action !== undefined && verdictOf(action)?.action === 'reload' && action.kind !== 'leave';
}

function isIdle(action: Action | undefined): boolean {
  return action?.kind !== 'record' && action?.kind !== 'reload' && action?.kind !== 'defer';
}

function soonest(one: Result, other: Result): Result {
  if (one.requeue || other.requeue) return { requeue: true };
  const times = [one.requeueAfterMs, other.requeueAfterMs].filter((time) => time !== undefined);
  return times.length === 0 ? {} : { requeueAfterMs: Math.min(...times) };
}
