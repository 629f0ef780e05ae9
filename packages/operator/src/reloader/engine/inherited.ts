/**
 * Which rollouts were under way when this process began: they hold slots before anything is decided, so that a change of
 * leader begins no more than the cap allows. Pure.
 */
import type { ParsedNote } from '../ledger/note.ts';
import { recordOf } from '../ledger/record.ts';
import type { Ledger } from '../model/ledger.ts';
import { refOf, type WorkloadFacts, type WorkloadRef, workloadKey } from '../model/workload.ts';
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
