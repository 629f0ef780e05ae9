/** Input and result of scheduling: when a decided reload may happen. */
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
  /** The pending change, and a user's instruction for it. */
  readonly change: {
    /** For users: `k3v9x2mqpa`. */
    readonly id: string;
    readonly needsApproval: boolean;
    readonly word: 'now' | 'approved' | undefined;
    readonly otherApproved: string | undefined;
  };
  /** Only times are evidence for it: `held` as one of too many, `counting` until their number is known. */
  readonly doubt?: 'counting' | 'held' | undefined;
  /** Conditions that are not met. */
  readonly unmet?: readonly UnmetCondition[];
  /** Its turn among its peers. */
  readonly order?: Order | undefined;
  /** Peers on which the same content has failed. */
  readonly failures?: readonly FailedElsewhere[];
  /** Changes that bring back a content that failed and was replaced. */
  readonly refused?: readonly RefusedChange[];
  /** Changed sources whose content violates its rules. */
  readonly contents?: readonly InvalidContent[];
  /**
   * The changed sources and their writers, for people: `Secret shop/db, written by argocd and cert-manager`. Called only
   * if a gate is closed.
   */
  readonly causes: () => string;
  readonly mode: 'reload' | 'observe';
  /** Our running rollouts, and the workloads that wait for one to end. Called only if there is a budget. */
  readonly slots: () => Slots;
  /** Its own last rollout failed, and this reload may repair it: no other workload's rollout holds it. */
  readonly passesCap: boolean;
  /** Its pods are being evicted for this change: a reload that has begun is finished. */
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

/** Reasons to wait, in the order in which the gates are checked. */
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

/** Reported again for each change that is held. */
export const TOLD_BY_CHANGE: ReadonlySet<Why> = new Set([
  'approval',
  'refused',
  'failed-elsewhere',
  'invalid',
]);

/** One reason for waiting. */
export interface Held {
  readonly why: Why;
  /** Milliseconds since the epoch; undefined: until an event opens it. */
  readonly until: number | undefined;
  /** Not before `until`, and perhaps never: the search was ended early. */
  readonly orLater?: true;
  readonly message: string;
  /** Keys of workloads: when all of them are done, this one is requeued. */
  readonly peers?: readonly string[];
  /** Not all of them were looked at: planning again continues. */
  readonly unfinished?: true;
  /** Problems that a user should look at. */
  readonly warnings?: readonly Warning[];
}

/** Reported once as an Event, and as a condition of ReloaderConfigs while it is true. */
export interface Warning {
  readonly condition?: string;
  readonly event: string;
  readonly message: string;
}

export interface Later extends Held {
  readonly kind: 'later';
  /** The id of the change for `approve` and `now`. */
  readonly change: string;
  /** Milliseconds since the epoch: when the oldest pending change was seen. */
  readonly since: number;
  /** Milliseconds since the epoch: when to requeue for a warning although it still waits. */
  readonly lookAt?: number;
  /** Other gates that hold it now. */
  readonly also?: readonly Held[];
}

export type Schedule = { readonly kind: 'now' } | Later;
