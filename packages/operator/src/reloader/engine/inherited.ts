/**
 * Finds the rollouts that were under way, and the changes that waited, when this process became leader. They get their
 * slots, or their place in line, before this process grants the first slot, so that after a change of leader no more
 * rollouts start than budgets allow, and the oldest change starts first.
 *
 * In: all workloads with their notes, once a plan asks for slots. Out: their slots and places. Guarantees: the records of
 * all workloads are read a few at a time, and not at all without budgets. `inheritedRollout` is pure.
 */
import type { Clock } from '@reloader/runtime';
import { inPieces } from '../../pace/pieces.ts';
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

export interface Inherited {
  /** Undefined: it holds a slot. Otherwise its change waits since then, in milliseconds since the epoch. */
  readonly since: number | undefined;
}

/** `now`: milliseconds since the epoch. */
export function inheritedRollout(
  workload: WorkloadFacts,
  noted: ParsedNote,
  deadlineMs: number,
  now: number,
): Inherited | undefined {
  const record = recordOf({ workload, note: noted, memory: undefined, keyId: undefined });
  if (record.kind !== 'record' || !record.recorded) return undefined;
  const { seq, pendingSince } = record.recorded;
  const note = noted.kind === 'note' ? noted.note : undefined;
  const isOpen = outcomeOf(outcomesOf(noted, workload.metadata.uid), seq)?.result === 'open';
  const isRolling =
    note?.failed?.seq !== seq &&
    isOurs(workload, record.recorded, deadlineMs, now) &&
    rolloutOf(workload).state === 'progressing';
  if (note?.evicting !== undefined || isOpen || isRolling) return { since: undefined };
  return pendingSince === undefined ? undefined : { since: pendingSince * 1000 };
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
  readonly clock: Pick<Clock, 'now'>;
}

/** Holds the slots of plans. A plan that asked for slots while `areMissing` has to be made again after `found`. */
export class InheritedRollouts {
  readonly #options: InheritedOptions;
  readonly #rollouts: Pick<UnfinishedRollouts, 'set' | 'expect' | 'slots'>;
  #found: Promise<void> | undefined;
  #state: 'not needed yet' | 'missing' | 'known' = 'not needed yet';

  constructor(options: InheritedOptions, rollouts: Pick<UnfinishedRollouts, 'set' | 'expect' | 'slots'>) {
    this.#options = options;
    this.#rollouts = rollouts;
  }

  /** The slots that are known so far. The first call makes the others missing. */
  slots(): Slots {
    if (this.#state === 'not needed yet') this.#state = 'missing';
    return this.#rollouts.slots();
  }

  get areMissing(): boolean {
    return this.#state === 'missing';
  }

  /** Resolves when all inherited rollouts have their slots. */
  found(): Promise<void> {
    this.#found ??= this.#find();
    return this.#found;
  }

  async #find(): Promise<void> {
    const { world, settings, notebook, workloads, clock } = this.#options;
    await inPieces([...workloads()], (workload) => {
      // Workloads that another installation manages take none of our slots.
      if (!world.inScope(workload.metadata.namespace)) return;
      const ref = refOf(workload);
      const inherited = inheritedRollout(
        workload,
        notebook.note(ref),
        settings.rolloutDeadlineMs,
        clock.now(),
      );
      if (!inherited) return;
      if (inherited.since === undefined) this.#rollouts.set(workloadKey(ref), true);
      else this.#rollouts.expect(workloadKey(ref), inherited.since);
    });
    this.#state = 'known';
  }
}
