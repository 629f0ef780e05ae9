/**
 * Finds the rollouts that were under way, and the changes that waited, when this process became leader. They get their
 * slots, or their place in line, before the first decision, so that after a change of leader no more rollouts start
 * than budgets allow, and the oldest change starts first. `inheritedRollouts` is pure.
 */
import { outcomesOf, type ParsedNote } from '../ledger/note.ts';
import { outcomeOf } from '../ledger/outcomes.ts';
import { recordOf } from '../ledger/record.ts';
import type { Slots } from '../model/budget.ts';
import type { Ledger } from '../model/ledger.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import { refOf, type WorkloadFacts, type WorkloadRef, workloadKey } from '../model/workload.ts';
import type { World } from '../model/world.ts';
import { rolloutOf } from '../verify/rollout.ts';
import type { UnfinishedRollouts } from './rollouts.ts';

export interface Inheritance {
  readonly workloads: Iterable<WorkloadFacts>;
  readonly note: (ref: WorkloadRef) => ParsedNote;
  readonly deadlineMs: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface Inherited {
  readonly key: string;
  /** Undefined: it holds a slot. Otherwise its change waits since then, in milliseconds since the epoch. */
  readonly since?: number;
}

export function* inheritedRollouts({ workloads, note, deadlineMs, now }: Inheritance): Iterable<Inherited> {
  for (const workload of workloads) {
    const ref = refOf(workload);
    const noted = note(ref);
    const record = recordOf({ workload, note: noted, memory: undefined, keyId: undefined });
    if (record.kind !== 'record' || !record.recorded) continue;
    const isEvicting = noted.kind === 'note' && noted.note.evicting !== undefined;
    const failedSeq = noted.kind === 'note' ? noted.note.failed?.seq : undefined;
    const { seq } = record.recorded;
    const isOpen = outcomeOf(outcomesOf(noted, workload.metadata.uid), seq)?.result === 'open';
    const isRolling =
      failedSeq !== seq &&
      isOurs(workload, record.recorded, deadlineMs, now) &&
      rolloutOf(workload).state === 'progressing';
    const { pendingSince } = record.recorded;
    if (isEvicting || isOpen || isRolling) yield { key: workloadKey(ref) };
    else if (pendingSince !== undefined) yield { key: workloadKey(ref), since: pendingSince * 1000 };
  }
}

/**
 * Whether a rollout that this process did not start comes from our last reload: no client has written the template
 * since, and the reload is younger than the deadline. After that, another cause, such as scaling, is more likely.
 */
export function isOurs(
  { templateWrittenAt }: WorkloadFacts,
  { reloadedAt }: Pick<Ledger, 'reloadedAt'>,
  deadlineMs: number,
  now: number,
): boolean {
  return reloadedAt !== undefined && templateWrittenAt <= reloadedAt && now - reloadedAt * 1000 < deadlineMs;
}

export interface InheritedOptions {
  readonly world: World;
  readonly settings: Pick<ReloaderSettings, 'rolloutDeadlineMs'>;
  readonly notebook: { note(ref: WorkloadRef): ParsedNote };
  /** All workloads in the caches. */
  readonly workloads: () => Iterable<WorkloadFacts>;
}

/** Inherited rollouts take their slots before this process grants the first one. */
export class InheritedRollouts {
  readonly #options: InheritedOptions;
  #isDone = false;

  constructor(options: InheritedOptions) {
    this.#options = options;
  }

  /** The slots of `rollouts`; the first call adds the inherited rollouts. */
  slotsOf(rollouts: UnfinishedRollouts): (now: number) => Slots {
    return (now) => {
      this.takeOnce(rollouts, now);
      return rollouts.slots();
    };
  }

  takeOnce(rollouts: Pick<UnfinishedRollouts, 'set' | 'expect'>, now: number): void {
    const { world, settings, notebook } = this.#options;
    if (this.#isDone) return;
    this.#isDone = true;
    // Workloads that another installation manages take none of our slots.
    const workloads = [...this.#options.workloads()].filter((each) => world.inScope(each.metadata.namespace));
    const deadlineMs = settings.rolloutDeadlineMs;
    const note = (ref: WorkloadRef): ParsedNote => notebook.note(ref);
    for (const { key, since } of inheritedRollouts({ workloads, note, deadlineMs, now })) {
      if (since === undefined) rollouts.set(key, true);
      else rollouts.expect(key, since);
    }
  }
}
