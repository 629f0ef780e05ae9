/** When a reload that was decided may happen. */
import type { Slots } from '../model/budget.ts';
import type { UnmetCondition } from '../model/condition.ts';
import type { ContentFinding } from '../model/content-rule.ts';
import type { FailedElsewhere } from '../model/failed-content.ts';
import type { Ledger } from '../model/ledger.ts';
import type { PendingChange } from '../model/memory.ts';
import type { Order } from '../model/order.ts';
import type { SourceRef } from '../model/source.ts';
import type { Policy } from '../model/want.ts';
import type { WorkloadFacts } from '../model/workload.ts';

export interface ScheduleInput {
  readonly policy: Policy;
  readonly pending: PendingChange;
  /** The ledger that the decision started from: `reloadedAt` for the pause, `pendingSince` for the longest wait. */
  readonly recorded: Ledger | undefined;
  readonly workload: WorkloadFacts;
  /** The change that waits, and what somebody said about it. */
  readonly change: {
    /** For people: `k3v9x2mqpa`. */
    readonly id: string;
    readonly needsApproval: boolean;
    readonly word: 'now' | 'approved' | undefined;
    readonly otherApproved: string | undefined;
  };
  /** Times alone speak for it: `held` as one of too many, `counting` until that is known. */
  readonly doubt?: 'counting' | 'held' | undefined;
  /** Conditions that are not met. */
  readonly unmet?: readonly UnmetCondition[];
  /** Whether it is its turn among its peers. */
  readonly order?: Order | undefined;
  /** Where the same content has failed. */
  readonly failures?: readonly FailedElsewhere[];
  /** Changes that bring back what failed and was taken back. */
  readonly refused?: readonly RefusedChange[];
  /** Changed sources whose content is not what it has to be. */
  readonly contents?: readonly InvalidContent[];
  /** What changed, and who wrote it, for people: `Secret shop/db, written by argocd and cert-manager`. */
  readonly causes: string;
  readonly mode: 'reload' | 'observe';
  /** Rollouts of ours that have not ended, and who waits for one to end. Asked only where there is a budget. */
  readonly slots: () => Slots;
  /** Its own last rollout failed, and this may be the way out: nobody else's rollout holds it. */
  readonly passesCap: boolean;
  /** Its pods are being evicted for this change: what has begun is finished. */
  readonly begun: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface InvalidContent {
  readonly source: SourceRef;
  readonly findings: readonly ContentFinding[];
}

export interface RefusedChange {
  readonly source: SourceRef;
}

/** Why a reload waits, in the order in which gates are asked. */
export const REASONS = [
  'frozen',
  'observing',
  'invalid',
  'condition',
  'doubt',
  'refused',
  'failed-elsewhere',
  'approval',
  'window',
  'rate',
  'paused',
  'batching',
  'settling',
  'wave',
  'canary',
  'capped',
] as const;
export type Why = (typeof REASONS)[number];

/** Told anew for each change that it holds. */
export const TOLD_BY_CHANGE: ReadonlySet<Why> = new Set([
  'approval',
  'refused',
  'failed-elsewhere',
  'invalid',
]);

/** One reason for waiting. */
export interface Held {
  readonly why: Why;
  /** Milliseconds since the epoch; undefined: until something happens. */
  readonly until: number | undefined;
  /** Not before `until`, and perhaps never: there was too much to look at. */
  readonly orLater?: true;
  readonly message: string;
  /** Keys of workloads: when all of them are through, it is worth another look. */
  readonly peers?: readonly string[];
  /** What a person should look at. */
  readonly warnings?: readonly Warning[];
}

/** Told once as an Event, and as a condition of ReloaderConfigs for as long as it is true. */
export interface Warning {
  readonly condition?: string;
  readonly event: string;
  readonly message: string;
}

export interface Later extends Held {
  readonly kind: 'later';
  /** Names the change for `approve` and `now`. */
  readonly change: string;
  /** Milliseconds since the epoch: when the oldest of the changes that wait was seen. */
  readonly since: number;
  /** Milliseconds since the epoch: when there is something to tell although it still waits. */
  readonly lookAt?: number;
  /** Further gates that hold it now. */
  readonly also?: readonly Held[];
}

export type Schedule = { readonly kind: 'now' } | Later;
