/** The actions that a plan can have. One function of `engine/` carries out each kind; `explain` shows it. */

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
  /** The contents that the workload was last rolled out with, merged from all records. */
  readonly recorded: Ledger | undefined;
  /** The memory after this pass, whatever the result of the action. */
  readonly memory: Memory;
  readonly action: Action;
  /** Contents with rules that were not checked yet: nothing is rolled out before there is a verdict on them. */
  readonly unchecked?: readonly ContentQuestion[];
}

/** Why a workload is not examined at all, or needs nothing. */
export type LeaveReason =
  | 'deleting'
  | 'run-of-cron-job'
  /** It is not opted in, and nothing is recorded. */
  | 'asks-nothing'
  /** A newer version of the operator wrote its ledger or note. */
  | 'newer-record'
  | 'up-to-date';

export type Action =
  | { readonly kind: 'leave'; readonly why: LeaveReason; readonly verdict?: Verdict }
  /** Only the ages of its pods can decide: list them, and plan again with that evidence. */
  | { readonly kind: 'ask-pods'; readonly doubt: Doubt }
  /**
   * Requeue after this time. A running rollout may bring the new values, then an event may show earlier that it ended;
   * or a ReloaderConfig that was just deleted may be created again.
   */
  | { readonly kind: 'wait'; readonly afterMs: number; readonly why?: 'config-deleted' }
  /** Nothing is restarted. `instead`: a change is only recorded, because the next run reads it by itself. */
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
      /** It may repair a rollout that failed: the cap neither holds it nor counts it. */
      readonly outsideCap: boolean;
      /** Set if only times are evidence for the reload. */
      readonly byTimesAlone?: NotedDoubt;
    }
  /** Decided, and held back by a gate. `ledger`: the record to write while it waits; undefined if none is needed. */
  | {
      readonly kind: 'defer';
      readonly verdict: Verdict;
      readonly later: Later;
      readonly ledger: Ledger | undefined;
      /** It undoes the reload of this number. */
      readonly undoes?: number;
      /** Set if only times are evidence for the reload. */
      readonly byTimesAlone?: NotedDoubt;
    };

export function verdictOf(action: Action): Verdict | undefined {
  return 'verdict' in action ? action.verdict : undefined;
}
