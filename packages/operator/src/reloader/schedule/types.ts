/** When a reload that was decided may happen. */
import type { Ledger } from '../model/ledger.ts';
import type { PendingChange } from '../model/memory.ts';
import type { Policy } from '../model/want.ts';
import type { WorkloadFacts } from '../model/workload.ts';

export interface ScheduleInput {
  readonly policy: Policy;
  readonly pending: PendingChange;
  /** The ledger that the decision started from: `reloadedAt` for the pause, `pendingSince` for the longest wait. */
  readonly recorded: Ledger | undefined;
  readonly workload: WorkloadFacts;
  readonly mode: 'reload' | 'observe';
  /** Keys of rollouts of ours that have not ended, this workload's aside; and how many are allowed (0: any number). */
  readonly unfinished: readonly string[];
  readonly maxUnfinished: number;
  /** The cap does not hold it: its own last rollout failed, or it has begun already. */
  readonly passesCap: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface Later {
  readonly kind: 'later';
  readonly why: 'settling' | 'batching' | 'paused' | 'frozen' | 'capped' | 'observing';
  /** Milliseconds since the epoch; undefined: until something happens. */
  readonly until: number | undefined;
  readonly message: string;
}

export type Schedule = { readonly kind: 'now' } | Later;
