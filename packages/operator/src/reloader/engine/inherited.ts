/**
 * Which rollouts were under way when this process began: they hold slots before anything is decided, so that a change of
 * leader begins no more than the cap allows. Pure.
 */
import type { ParsedNote } from '../ledger/note.ts';
import { recordOf } from '../ledger/record.ts';
import type { Ledger } from '../model/ledger.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import { refOf, type WorkloadFacts, type WorkloadRef, workloadKey } from '../model/workload.ts';
import type { World } from '../model/world.ts';
import { rolloutOf } from '../verify/rollout.ts';

export interface Inheritance {
  readonly workloads: Iterable<WorkloadFacts>;
  readonly note: (ref: WorkloadRef) => ParsedNote;
  readonly deadlineMs: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Keys of the workloads that hold a slot. */
export function* inheritedRollouts({ workloads, note, deadlineMs, now }: Inheritance): Iterable<string> {
  for (const workload of workloads) {
    const ref = refOf(workload);
    const noted = note(ref);
    const record = recordOf({ workload, note: noted, memory: undefined, keyId: undefined });
    if (record.kind !== 'record' || !record.recorded) continue;
    const isEvicting = noted.kind === 'note' && noted.note.evicting !== undefined;
    const failedSeq = noted.kind === 'note' ? noted.note.failed?.seq : undefined;
    const isRolling =
      failedSeq !== record.recorded.seq &&
      isOurs(workload, record.recorded, deadlineMs, now) &&
      rolloutOf(workload).state === 'progressing';
    if (isEvicting || isRolling) yield workloadKey(ref);
  }
}

/**
 * A rollout that this process did not begin: it came with our last reload if nobody has written the template since, and
 * if that was not so long ago that it is more likely to be something else, as scaling.
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
  readonly settings: Pick<ReloaderSettings, 'maxUnfinishedRollouts' | 'rolloutDeadlineMs'>;
  readonly notebook: { note(ref: WorkloadRef): ParsedNote };
  /** All that are known. */
  readonly workloads: () => Iterable<WorkloadFacts>;
}

/** They take their slots before the first decision of this process, and only where there is a cap. */
export class InheritedRollouts {
  readonly #options: InheritedOptions;
  #isDone = false;

  constructor(options: InheritedOptions) {
    this.#options = options;
  }

  takeOnce(rollouts: { set(key: string, running: boolean): void }, now: number): void {
    const { world, settings, notebook } = this.#options;
    if (this.#isDone || settings.maxUnfinishedRollouts === 0) return;
    this.#isDone = true;
    // What another installation cares for holds no slot of ours.
    const workloads = [...this.#options.workloads()].filter((each) => world.inScope(each.metadata.namespace));
    const deadlineMs = settings.rolloutDeadlineMs;
    const note = (ref: WorkloadRef): ParsedNote => notebook.note(ref);
    for (const key of inheritedRollouts({ workloads, note, deadlineMs, now })) rollouts.set(key, true);
  }
}
