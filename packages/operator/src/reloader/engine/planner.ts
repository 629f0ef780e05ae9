/**
 * Loads everything that is known of one workload and plans with it.
 *
 * In: a workload from the caches, and the evidence of its pods if they were listed. Its note, the engine's memory of
 * it, the slots and the count of doubts are looked up here. Out: the plan, and the time that it was made for. A doubt
 * is counted before the engine acts on it, because it may exceed the limit.
 */
import type { Clock } from '@reloader/runtime';
import type { Slots } from '../model/budget.ts';
import type { VerdictOf } from '../model/content-rule.ts';
import type { Install, PodEvidence } from '../model/decision.ts';
import type { PeersOf } from '../model/order.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import { refOf, type WorkloadFacts, type WorkloadRef, workloadKey } from '../model/workload.ts';
import type { World } from '../model/world.ts';
import type { Action, Plan } from '../plan/action.ts';
import { lookupOf } from '../plan/peers/lookup.ts';
import { plan } from '../plan/plan.ts';
import type { Doubts } from './doubts.ts';
import type { NotebookPort } from './execution.ts';
import type { Failures } from './failures.ts';
import type { WorkloadStates } from './state.ts';

export interface PlannerOptions {
  readonly world: World;
  readonly settings: ReloaderSettings;
  readonly install: Install;
  readonly notebook: NotebookPort;
  readonly states: WorkloadStates;
  readonly doubts: Doubts;
  readonly slots: () => Slots;
  readonly failures: Pick<Failures, 'of' | 'noteOf'>;
  /** Undefined: workloads have no order. */
  readonly peers?: PeersOf;
  readonly verdictOn: VerdictOf;
  readonly clock: Clock;
}

export interface Planned extends Plan {
  /** The time of the plan, in milliseconds since the epoch: a window may close a moment later. */
  readonly now: number;
}

export class Planner {
  readonly #options: PlannerOptions;

  constructor(options: PlannerOptions) {
    this.#options = options;
  }

  /** Synchronous: between a plan and taking its slot, no other pass may plan. */
  plan(workload: WorkloadFacts, pods?: PodEvidence): Planned {
    const planned = this.#plan(workload, pods);
    return this.#isNewDoubt(refOf(workload), planned.action) ? this.#plan(workload, pods) : planned;
  }

  #plan(workload: WorkloadFacts, pods: PodEvidence | undefined): Planned {
    const { world, settings, install, notebook, states, doubts, slots, failures, peers, verdictOn, clock } =
      this.#options;
    const now = clock.now();
    const ref = refOf(workload);
    const { memory, following } = states.of(ref) ?? {};
    const known = { note: notebook.note(ref), memory, following, pods, doubts: doubts.count };
    return {
      ...plan({
        workload,
        world,
        settings,
        install,
        now,
        slots,
        failures: (content) => failures.of(content),
        verdictOn,
        ...known,
        ...(peers && { peers: lookupOf(peers, (each) => failures.noteOf(each), states) }),
      }),
      now,
    };
  }

  #isNewDoubt(ref: WorkloadRef, action: Action): boolean {
    if (!('byTimesAlone' in action)) return false;
    const note = this.#options.notebook.note(ref);
    const isHeld = note.kind === 'note' && note.note.doubt?.held === true;
    return !isHeld && this.#options.doubts.add(workloadKey(ref));
  }
}
