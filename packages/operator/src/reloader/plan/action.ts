/** What follows from a plan. Each kind is carried out by one function of `engine/`, and shown by `explain` as it is. */

import type { ContentQuestion } from '../model/content-rule.ts';
import type { Doubt, Verdict } from '../model/decision.ts';
import type { Ledger, NotedDoubt } from '../model/ledger.ts';
import type { Memory } from '../model/memory.ts';
import type { ReloadPlan } from '../model/plan.ts';
import type { Want } from '../model/want.ts';
import type { Later } from '../schedule/types.ts';
import type { RecordOnlyReason } from './record-only.ts';

export interface Plan {
  readonly want: Want;
  /** What the workload was last rolled out with, from whatever knows it. */
  readonly recorded: Ledger | undefined;
  /** What to remember of this pass, whatever becomes of the action. */
  readonly memory: Memory;
  readonly action: Action;
  /** Contents that nobody has looked at and that have to be something: without a verdict on them nothing is rolled out. */
  readonly unchecked?: readonly ContentQuestion[];
}

/** Why a workload is not looked into at all, or needs nothing. */
export type LeaveReason =
  | 'deleting'
  | 'run-of-cron-job'
  /** Nothing asks for it, and nothing is recorded. */
  | 'asks-nothing'
  /** Its ledger or note was written by a newer version of ours. */
  | 'newer-record'
  | 'up-to-date';

export type Action =
  | { readonly kind: 'leave'; readonly why: LeaveReason; readonly verdict?: Verdict }
  /** Only the ages of its pods can tell: list them, and plan again with this evidence. */
  | { readonly kind: 'ask-pods'; readonly doubt: Doubt }
  /** A rollout that runs may bring the new values: look again after this long, or when an event says that it ended. */
  | { readonly kind: 'wait'; readonly afterMs: number }
  /** Nothing is restarted. `instead`: a change is noted because the next run reads it by itself. */
  | {
      readonly kind: 'record';
      readonly verdict: Verdict;
      readonly ledger: Ledger;
      readonly instead?: RecordOnlyReason;
    }
  | {
      readonly kind: 'reload';
      readonly verdict: Verdict;
      readonly ledger: Ledger;
      readonly reload: ReloadPlan;
      /** Milliseconds since the epoch: when the first of the changes was seen. */
      readonly seenAt: number;
      /** The way out of a rollout that failed: the cap neither holds it nor counts it. */
      readonly outsideCap: boolean;
      /** Nothing else speaks for it. */
      readonly byTimesAlone?: NotedDoubt;
    }
  /** Decided, and held back. `ledger`: what is worth noting while it waits; undefined for what stands there already. */
  | {
      readonly kind: 'defer';
      readonly verdict: Verdict;
      readonly later: Later;
      readonly ledger: Ledger | undefined;
      /** It undoes the reload of this number. */
      readonly undoes?: number;
      /** Nothing else speaks for it. */
      readonly byTimesAlone?: NotedDoubt;
    };

export function verdictOf(action: Action): Verdict | undefined {
  return 'verdict' in action ? action.verdict : undefined;
}
